import { WEB_COLS_MAX, WEB_COLS_MIN, WEB_ROWS_MAX, WEB_ROWS_MIN } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'

const ZOOM_PERCENT_MIN = 25
const ZOOM_PERCENT_MAX = 500

/** Throws for a size that a page cannot have. */
export function checkViewport(cols: number, rows: number): void {
  const isInside =
    cols >= WEB_COLS_MIN && cols <= WEB_COLS_MAX && rows >= WEB_ROWS_MIN && rows <= WEB_ROWS_MAX
  if (isInside) return
  const message = `a page has ${WEB_COLS_MIN}–${WEB_COLS_MAX} columns and ${WEB_ROWS_MIN}–${WEB_ROWS_MAX} rows (got ${cols} × ${rows})`
  throw new OpError('invalid_viewport', message, { cols, rows })
}

export function checkZoom(percent: number): void {
  if (percent >= ZOOM_PERCENT_MIN && percent <= ZOOM_PERCENT_MAX) return
  const message = `a zoom is from ${ZOOM_PERCENT_MIN} to ${ZOOM_PERCENT_MAX} percent (got ${percent})`
  throw new OpError('invalid_viewport', message, { percent })
}
