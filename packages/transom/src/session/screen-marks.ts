import type { Highlight } from '@transom/protocol'
import { DEFAULT_COLOR, WIDE_SPACER, type Grid, type Style } from '@transom/grid'
import type { Frame } from '../terminal/emulator.ts'

const CURSOR_MARK = '‸' // U+2038 CARET: a proofreader's mark, which hardly any program prints
const HIGHLIGHT_MARKS = ['⟦', '⟧'] as const

/** Past this the screen is coloured text, and a list of it would only repeat the screen. */
const HIGHLIGHTS_MAX = 20
/** A row with more of them is a bar of keys, as at the foot of mc and htop: nothing in it is chosen. */
const ROW_HIGHLIGHTS_MAX = 4

/** What is marked in the text of a screen. */
export interface Marks {
  readonly cursor: boolean
  readonly highlights: boolean
}

/** What stands out on a screen, for a reader who does not see colours; undefined if nothing or nearly all does. */
export function highlightsOf(grid: Grid): Highlight[] | undefined {
  const found = findHighlights(grid)
    .filter((ofRow) => ofRow.length <= ROW_HIGHLIGHTS_MAX)
    .flat()
  if (found.length === 0 || found.length > HIGHLIGHTS_MAX) return undefined
  return found.map(({ row, col, end }) => ({ row, col, text: grid.textOf(row, col, end) }))
}

/** The rows of a screen as text, with marks in it; without the blanks at their ends unless it is `fullWidth`. */
export function markedLines({ grid, text, cursor }: Frame, marks: Marks, fullWidth = false): string[] {
  const highlights = marks.highlights ? findHighlights(grid) : []
  const place = marks.cursor && cursor.visible ? cursor : null
  return Array.from({ length: grid.rows }, (_, row) => {
    const inserted = new Map<number, string>()
    const insert = (col: number, mark: string) => inserted.set(col, (inserted.get(col) ?? '') + mark)
    for (const highlight of highlights[row] ?? []) {
      insert(highlight.col, HIGHLIGHT_MARKS[0])
      insert(highlight.end, HIGHLIGHT_MARKS[1])
    }
    if (place?.row === row) insert(characterAt(grid, row, place.col), CURSOR_MARK)
    const line = inserted.size === 0 ? text.fullLineOf(row) : withInserted(text, row, inserted)
    return fullWidth ? line : line.trimEnd()
  })
}

/** A stretch of cells [col, end) of one row. */
interface Stretch {
  readonly row: number
  readonly col: number
  readonly end: number
}

function withInserted(grid: Grid, row: number, inserted: ReadonlyMap<number, string>): string {
  const cols = [...inserted.keys()].toSorted((a, b) => a - b)
  let line = ''
  let from = 0
  for (const col of cols) {
    line += grid.textOf(row, from, col) + inserted.get(col)
    from = col
  }
  return line + grid.textOf(row, from)
}

/** The cell that the character at a cell begins in: a wide one has two. */
function characterAt(grid: Grid, row: number, col: number): number {
  return grid.codes[row * grid.cols + col] === WIDE_SPACER ? col - 1 : col
}

/**
 * Text in reverse video, and text on a background of its own: hardly a cell above and below it has the same one.
 * Menus mark their item in one of these ways; a panel, and the backdrop of a dialog, are neither. By row.
 */
function findHighlights(grid: Grid): Stretch[][] {
  const looks: number[] = [] // by style, as far as the screen has it: the table keeps those of the past, too
  const lookAt = (row: number, col: number) => {
    const id = grid.styleIds[row * grid.cols + col] ?? 0
    return (looks[id] ??= lookOf(grid.tables.styles.valueOf(id)))
  }
  return Array.from({ length: grid.rows }, (_, row) => {
    const stretches: Stretch[] = []
    for (let col = 0; col < grid.cols;) {
      const look = lookAt(row, col)
      let end = col + 1
      while (end < grid.cols && lookAt(row, end) === look) end++
      const stretch = { row, col, end }
      const standsOut = () => !isAmong(grid.rows, stretch, (r, c) => lookAt(r, c) === look)
      if (look !== DEFAULT_COLOR && (look <= REVERSED || standsOut()))
        stretches.push(...textIn(grid, stretch))
      col = end
    }
    return stretches
  })
}

const REVERSED = -2

/** A background as a number: DEFAULT_COLOR, a colour, or from REVERSED down for text in reverse video. */
function lookOf({ inverse, fg, bg }: Style): number {
  return inverse ? REVERSED - 1 - fg : bg
}

/** Whether a tenth or more of the cells right above and below a stretch are such ones. */
function isAmong(
  rows: number,
  { row, col, end }: Stretch,
  isSuch: (row: number, col: number) => boolean,
): boolean {
  let cells = 0
  let such = 0
  for (const beside of [row - 1, row + 1].filter((at) => at >= 0 && at < rows)) {
    for (let at = col; at < end; at++, cells++) if (isSuch(beside, at)) such++
  }
  return cells > 0 && such * 10 >= cells
}

/** The stretch without the blanks at its ends; nothing if it has no text. */
function textIn(grid: Grid, { row, col, end }: Stretch): Stretch[] {
  const isBlank = (at: number) =>
    grid.textOf(row, at, at + 1).trim() === '' && grid.codes[row * grid.cols + at] !== WIDE_SPACER
  let from = col
  let to = end
  while (from < to && isBlank(from)) from++
  while (to > from && isBlank(to - 1)) to--
  return from === to ? [] : [{ row, col: from, end: to }]
}
