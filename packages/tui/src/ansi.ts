import {
  DEFAULT_COLOR,
  EMPTY_CELL,
  RGB_COLOR,
  UNDERLINES,
  WIDE_SPACER,
  type Grid,
  type Style,
} from '@transom/grid'

export interface Cursor {
  readonly row: number
  readonly col: number
  readonly visible: boolean
  readonly shape: 'block' | 'underline' | 'bar'
  readonly blink: boolean
}

/** Where and how much of a Grid is painted. */
export interface PaintArea {
  /** Cells beyond are cut off. */
  readonly cols: number
  readonly rows: number
}

/**
 * The control sequences that paint rows of a Grid onto a terminal that shows it from its top left corner. All there
 * is in them is cells: nothing that a program printed goes through as it was.
 */
export function paintRows(grid: Grid, rows: readonly number[], area: PaintArea = grid): string {
  const cols = Math.min(grid.cols, area.cols)
  return (
    rows
      .filter((row) => row < Math.min(grid.rows, area.rows))
      // Erased first: behind a full row the cursor stands on its last cell, and would erase that.
      .map((row) => `\u001b[${row + 1};1H\u001b[m\u001b[2K${rowAnsi(grid, row, cols)}\u001b[m`)
      .join('')
  )
}

/** Puts the cursor where it was, as it was. */
export function paintCursor({ row, col, visible, shape, blink }: Cursor, area?: PaintArea): string {
  const isInside = area === undefined || (row < area.rows && col < area.cols)
  if (!visible || !isInside) return '\u001b[?25l'
  const style = { block: 1, underline: 3, bar: 5 }[shape] + (blink ? 0 : 1) // DECSCUSR
  return `\u001b[${row + 1};${col + 1}H\u001b[${style} q\u001b[?25h`
}

/** The cells of a row, up to the last one that shows anything, each in its style. */
function rowAnsi(grid: Grid, row: number, cols: number): string {
  const start = row * grid.cols
  let end = cols
  while (end > 0 && grid.codes[start + end - 1] === EMPTY_CELL && grid.styleIds[start + end - 1] === 0) end--
  // Half of a wide character would shift what follows.
  if (end > 0 && end < grid.cols && grid.codes[start + end] === WIDE_SPACER) end--
  let text = ''
  let styleId = 0
  for (let col = 0; col < end; col++) {
    if (grid.codes[start + col] === WIDE_SPACER) continue
    const next = grid.styleIds[start + col] ?? 0
    if (next !== styleId) {
      text += sgr(grid.tables.styles.valueOf(next))
      styleId = next
    }
    text += safe(grid.textOf(row, col, col + 1))
  }
  return text
}

function sgr(style: Style): string {
  const codes = [0]
  if (style.bold) codes.push(1)
  if (style.dim) codes.push(2)
  if (style.italic) codes.push(3)
  if (style.blink) codes.push(5)
  if (style.inverse) codes.push(7)
  if (style.invisible) codes.push(8)
  if (style.strikethrough) codes.push(9)
  if (style.overline) codes.push(53)
  const underline = style.underline === 'none' ? '' : `\u001b[4:${UNDERLINES.indexOf(style.underline)}m`
  return `\u001b[${[...codes, ...color(style.fg, 30), ...color(style.bg, 40)].join(';')}m${underline}`
}

function color(value: number, base: 30 | 40): number[] {
  if (value === DEFAULT_COLOR) return []
  if ((value & RGB_COLOR) !== 0) return [base + 8, 2, (value >> 16) & 0xff, (value >> 8) & 0xff, value & 0xff]
  if (value < 8) return [base + value]
  if (value < 16) return [base + 60 + value - 8]
  return [base + 8, 5, value]
}

/** The emulator leaves no control characters in a cell; should it, they do not reach a viewer's terminal. */
function safe(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd')
}
