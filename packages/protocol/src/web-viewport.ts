import { OpError } from './errors.ts'

export const COLS_WEB_DEFAULT = 140
export const ROWS_WEB_DEFAULT = 45

const COLS_MIN = 10
const COLS_MAX = 500
const ROWS_MIN = 3
const ROWS_MAX = 300
const ZOOM_PERCENT_MIN = 25
const ZOOM_PERCENT_MAX = 500

/** Throws for a size that a page cannot have. */
export function checkViewport(cols: number, rows: number): void {
  if (cols >= COLS_MIN && cols <= COLS_MAX && rows >= ROWS_MIN && rows <= ROWS_MAX) return
  const message = `a page has ${COLS_MIN}–${COLS_MAX} columns and ${ROWS_MIN}–${ROWS_MAX} rows (got ${cols} × ${rows})`
  throw new OpError('invalid_viewport', message, { cols, rows })
}

export function checkZoom(percent: number): void {
  if (percent >= ZOOM_PERCENT_MIN && percent <= ZOOM_PERCENT_MAX) return
  const message = `a zoom is from ${ZOOM_PERCENT_MIN} to ${ZOOM_PERCENT_MAX} percent (got ${percent})`
  throw new OpError('invalid_viewport', message, { percent })
}
