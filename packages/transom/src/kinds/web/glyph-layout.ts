import type { ScannedGlyph } from './glyph-scan.ts'
import { CELL_HEIGHT_PX, CELL_WIDTH_PX } from './web-frame.ts'

export interface PlacedGlyph {
  readonly glyph: ScannedGlyph
  readonly row: number
  readonly col: number
}

/** Pixels by which neighbours of one word may miss or overlap each other: Chromium places at fractions. */
const WORD_GAP_PX_MAX = 1
/** From here on a gap is seen as one, and at least one blank cell stands for it. */
const SEEN_GAP_PX_MIN = 3

/** Glyphs that follow each other without a gap: they keep together, wherever they are moved. */
interface Run {
  readonly glyphs: ScannedGlyph[]
  readonly width: number
  /** Whether a blank must stand before it. */
  readonly apart: boolean
  col: number
}

/**
 * Gives each glyph a cell. Text on a page need not lie on the cells' raster: runs go to the nearest column, are moved
 * right where they would run into each other, and back left where that would push one out of the row.
 */
export function placeGlyphs(glyphs: readonly ScannedGlyph[], cols: number, rows: number): PlacedGlyph[] {
  const byRow = Array.from({ length: rows }, (): ScannedGlyph[] => [])
  for (const glyph of glyphs) byRow[Math.floor((glyph.y + CELL_HEIGHT_PX / 2) / CELL_HEIGHT_PX)]?.push(glyph)
  const placed: PlacedGlyph[] = []
  byRow.forEach((inRow, row) => inRow.length > 0 && placeRow(inRow, row, cols, placed))
  return placed
}

function placeRow(glyphs: ScannedGlyph[], row: number, cols: number, placed: PlacedGlyph[]): void {
  const runs = runsOf(uncovered(glyphs).toSorted((a, b) => a.x - b.x || a.y - b.y))
  let end = 0
  for (const run of runs) {
    run.col = Math.max(run.col, end + (run.apart ? 1 : 0))
    end = run.col + run.width
  }
  let limit = cols
  for (const run of runs.toReversed()) {
    run.col = Math.min(run.col, limit - run.width)
    limit = run.col - (run.apart ? 1 : 0)
  }
  for (const run of runs) {
    let { col } = run
    for (const glyph of run.glyphs) {
      if (col >= 0 && col + glyph.width <= cols) placed.push({ glyph, row, col })
      col += glyph.width
    }
  }
}

/** What is covered in part leaves its cells to what covers it. */
function uncovered(glyphs: readonly ScannedGlyph[]): readonly ScannedGlyph[] {
  const whole = glyphs.filter(({ isCut }) => !isCut)
  if (whole.length === glyphs.length) return glyphs
  const reach = (glyph: ScannedGlyph) => glyph.width * CELL_WIDTH_PX - WORD_GAP_PX_MAX
  const overlaps = (a: ScannedGlyph, b: ScannedGlyph) => a.x < b.x + reach(b) && b.x < a.x + reach(a)
  return glyphs.filter((glyph) => !glyph.isCut || !whole.some((other) => overlaps(glyph, other)))
}

function runsOf(sorted: readonly ScannedGlyph[]): Run[] {
  const runs: (Run & { width: number })[] = []
  let endPx = Number.NEGATIVE_INFINITY
  for (const glyph of sorted) {
    const gap = glyph.x - endPx
    if (gap < -WORD_GAP_PX_MAX) continue // painted over another one, of which more is seen
    const last = runs.at(-1)
    if (last !== undefined && gap <= WORD_GAP_PX_MAX) {
      last.glyphs.push(glyph)
      last.width += glyph.width
    } else {
      const col = Math.max(0, Math.round(glyph.x / CELL_WIDTH_PX))
      runs.push({
        glyphs: [glyph],
        width: glyph.width,
        apart: runs.length > 0 && gap >= SEEN_GAP_PX_MIN,
        col,
      })
    }
    endPx = glyph.x + glyph.width * CELL_WIDTH_PX
  }
  return runs
}
