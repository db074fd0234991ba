import type { ScreenLine, StyledRun } from '@transom/protocol'
import { DEFAULT_COLOR, RGB_COLOR, WIDE_SPACER, type Grid, type Style } from '@transom/grid'

/** A row as a Snapshot Result shows it, with its styled cells when asked for. */
export function screenLine(
  { grid, text }: { readonly grid: Grid; readonly text: Grid },
  rowIndex: number,
  withCells: boolean,
): ScreenLine {
  const line: ScreenLine = { text: text.lineOf(rowIndex), wrapped: grid.isWrapped(rowIndex) }
  if (withCells) line.cells = styledRuns(grid, rowIndex)
  return line
}

/** The runs of a row in one style each, up to the last cell that shows anything. */
export function styledRuns(grid: Grid, rowIndex: number): StyledRun[] {
  const start = rowIndex * grid.cols
  const end = shownCols(grid, rowIndex)
  const runs: StyledRun[] = []
  for (let col = 0; col < end;) {
    const styleId = grid.styleIds[start + col] ?? 0
    let next = col + 1
    while (
      next < end &&
      (grid.styleIds[start + next] === styleId || grid.codes[start + next] === WIDE_SPACER)
    )
      next++
    const text = grid.textOf(rowIndex, col, next)
    runs.push({ col, width: next - col, text, ...styleFields(grid.tables.styles.valueOf(styleId)) })
    col = next
  }
  return runs
}

/** One past the last cell with text or with a style of its own (a coloured blank shows). */
function shownCols(grid: Grid, rowIndex: number): number {
  const start = rowIndex * grid.cols
  const used = grid.usedCols(rowIndex)
  let end = grid.cols
  while (end > used && grid.styleIds[start + end - 1] === 0) end--
  return end
}

function styleFields(style: Style): Partial<StyledRun> {
  const fields: Partial<StyledRun> = {}
  if (style.fg !== DEFAULT_COLOR) fields.fg = colorField(style.fg)
  if (style.bg !== DEFAULT_COLOR) fields.bg = colorField(style.bg)
  if (style.underline !== 'none') fields.underline = style.underline
  if (style.underlineColor !== DEFAULT_COLOR) fields.underline_color = colorField(style.underlineColor)
  for (const flag of FLAGS) if (style[flag]) fields[flag] = true
  if (style.link !== '') fields.link = style.link
  return fields
}

const FLAGS = [
  'bold',
  'dim',
  'italic',
  'blink',
  'inverse',
  'invisible',
  'strikethrough',
  'overline',
] as const satisfies (keyof Style & keyof StyledRun)[]

function colorField(color: number): number | string {
  if ((color & RGB_COLOR) === 0) return color
  return `#${(color & 0xffffff).toString(16).padStart(6, '0')}`
}
