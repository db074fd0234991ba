import { CLUSTER_BASE, DEFAULT_COLOR, EMPTY_CELL, WIDE_SPACER, type Grid, type Style } from '@transom/grid'
import { cellColors, rgbOf } from './cell-look.ts'
import type { CellRange } from './rasterizer.ts'
import type { Theme } from './theme.ts'

/** Cells of a row that look alike, for the pictures that are made of text: colours as `#rrggbb`. */
export interface ViewRun {
  readonly col: number
  readonly cols: number
  readonly text: string
  readonly style: Style
  readonly fg: string
  /** Null for the picture's own background. */
  readonly bg: string | null
  readonly underlineColor: string
}

/** The runs of the cells [fromCol, toCol) of a row. A cursor's cell is a run by itself. */
export function viewRuns(
  grid: Grid,
  row: number,
  { range, theme, cursorCol }: { range: CellRange; theme: Theme; cursorCol: number | null },
): ViewRun[] {
  const start = row * grid.cols
  const runs: ViewRun[] = []
  for (let col = range.fromCol; col < range.toCol;) {
    const from = col
    const styleId = grid.styleIds[start + col]
    const isCursor = from === cursorCol
    const goesOn = (next: number) => {
      if (grid.codes[start + next] === WIDE_SPACER) return true
      return !isCursor && next !== cursorCol && grid.styleIds[start + next] === styleId
    }
    do col++
    while (col < range.toCol && goesOn(col))
    runs.push(runOf(grid, { row, from, to: col, theme, isCursor }))
  }
  return runs
}

function runOf(
  grid: Grid,
  {
    row,
    from,
    to,
    theme,
    isCursor,
  }: { row: number; from: number; to: number; theme: Theme; isCursor: boolean },
): ViewRun {
  const style = grid.tables.styles.valueOf(grid.styleIds[row * grid.cols + from] ?? 0)
  const colors = isCursor ? { fg: theme.cursorText, bg: theme.cursor } : cellColors(style, theme)
  const underline = style.underlineColor === DEFAULT_COLOR ? colors.fg : rgbOf(style.underlineColor, 0, theme)
  return {
    col: from,
    cols: to - from,
    text: style.invisible ? ' '.repeat(to - from) : grid.textOf(row, from, to),
    style,
    fg: hex(colors.fg),
    bg: colors.bg === theme.background ? null : hex(colors.bg),
    underlineColor: hex(underline),
  }
}

/** The characters of some cells with the column of each. */
export function cellTexts(
  grid: Grid,
  row: number,
  [from, to]: readonly [number, number],
): { col: number; cols: number; text: string }[] {
  const start = row * grid.cols
  const found: { col: number; cols: number; text: string }[] = []
  for (let col = from; col < to; col++) {
    const code = grid.codes[start + col] ?? EMPTY_CELL
    if (code === WIDE_SPACER || code === EMPTY_CELL || code === 0x20) continue
    const text =
      code < CLUSTER_BASE ? String.fromCodePoint(code) : grid.tables.clusters.valueOf(code - CLUSTER_BASE)
    found.push({
      col,
      cols: grid.codes[start + col + 1] === WIDE_SPACER && col + 1 < grid.cols ? 2 : 1,
      text,
    })
  }
  return found
}

export function hex(rgb: number): string {
  return `#${rgb.toString(16).padStart(6, '0')}`
}

/** For text and attributes of HTML and SVG. What XML cannot hold is left out. */
export function escapeMarkup(text: string): string {
  return text
    .replaceAll(/[\u0000-\u001f\u007f-\u009f\ufffe\uffff]|\p{Surrogate}/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
