import { WIDE_SPACER, type Grid } from '../../grid/grid.ts'
import { COLUMN_GAP_CELLS } from '../../grid/reading-order.ts'
import { textGrid } from './frame-grid.ts'
import type { WebFrame } from './web-frame.ts'
import type { Cell } from './web-page.ts'

/** The rows as text, in the order in which it is read: where graphics are, blanks. */
export function frameLines(frame: WebFrame, trim: boolean): string[] {
  const grid = textGrid(frame)
  const blanks = (row: number) => ' '.repeat(grid.cols - grid.usedCols(row))
  return rowsOf(grid).map((row) => (trim ? grid.lineOf(row) : grid.readingOf(row) + blanks(row)))
}

/** The rows with their colours as SGR sequences, graphics included. Each line stands for itself. */
export function frameAnsi({ grid }: WebFrame): string[] {
  return rowsOf(grid).map((row) => {
    let line = ''
    let last = -1
    for (let col = 0; col < grid.cols; col++) {
      const index = row * grid.cols + col
      if (grid.codes[index] === WIDE_SPACER) continue
      const styleId = grid.styleIds[index] ?? 0
      if (styleId !== last) {
        const { fg, bg } = grid.tables.styles.valueOf(styleId)
        line += `\u001b[38;2;${channels(fg)};48;2;${channels(bg)}m`
        last = styleId
      }
      line += grid.textOf(row, col, col + 1)
    }
    return `${line}\u001b[0m`
  })
}

export interface TextMatch extends Cell {
  /** Cells that it covers. */
  readonly width: number
  readonly text: string
}

/**
 * Where a text is shown, from the upper left. A blank in it stands for any run of blanks, and for the end of a line that
 * goes on below: the place is then that of the first part.
 */
export function findText(frame: WebFrame, text: string, ignoreCase = false): TextMatch[] {
  const words = text.trim().split(/\s+/).map(escapePattern)
  const flags = ignoreCase ? 'iu' : 'u'
  const inLine = new RegExp(words.join(' +'), `g${flags}`)
  const grid = textGrid(frame)
  const lines = rowsOf(grid).map((row) => grid.readingOf(row))
  return lines.flatMap((line, row) => {
    const matches = Array.from(line.matchAll(inLine), ({ index, 0: found }) =>
      placeOf(grid, row, { index, text: found }),
    )
    const wrapped = wrappedMatches(lines, row, { words, flags })
    return [...matches, ...wrapped.map((match) => placeOf(grid, row, match))].sort((a, b) => a.col - b.col)
  })
}

/** The rows of `now` whose text differs from `before`. */
export function changedLines(before: WebFrame, now: WebFrame): { row: number; text: string }[] {
  const old = frameLines(before, true)
  return frameLines(now, true).flatMap((text, row) => (text === old[row] ? [] : [{ row, text }]))
}

interface LineMatch {
  /** In UTF-16 units of the line. */
  readonly index: number
  readonly text: string
}

/** The cells from the leftmost to the rightmost of a match: of a text in two directions these may be more than its own. */
function placeOf(grid: Grid, row: number, { index, text }: LineMatch): TextMatch {
  let offset = 0
  const cols: number[] = []
  for (const character of grid.charactersOf(row)) {
    if (offset >= index && offset < index + text.length) cols.push(character.col)
    offset += character.text.length
  }
  const col = Math.min(...cols)
  const last = Math.max(...cols)
  const isWide = grid.codes[row * grid.cols + last + 1] === WIDE_SPACER && last + 1 < grid.cols
  return { row, col, width: last + (isWide ? 2 : 1) - col, text }
}

interface Phrase {
  /** As patterns. */
  readonly words: readonly string[]
  readonly flags: string
}

/** Matches that begin at the end of a column of the row and go on at the beginning of the one below. */
function wrappedMatches(lines: readonly string[], row: number, { words, flags }: Phrase): LineMatch[] {
  const found: LineMatch[] = []
  for (let count = 1; count < words.length; count++) {
    const head = new RegExp(`${words.slice(0, count).join(' +')}$`, flags)
    for (const column of columnsOf(lines[row] ?? '')) {
      const at = head.exec(column.text)
      const rest = { words: words.slice(count), flags }
      if (at !== null && goesOn(lines, row + 1, { column, rest }))
        found.push({ index: column.start + at.index, text: at[0] })
    }
  }
  return found
}

/** Whether the rest of a phrase stands at the beginning of a column below another one, over as many rows as it takes. */
function goesOn(
  lines: readonly string[],
  row: number,
  { column, rest }: { readonly column: Column; readonly rest: Phrase },
): boolean {
  const { words, flags } = rest
  const whole = new RegExp(`^${words.join(' +')}`, flags)
  return columnsOf(lines[row] ?? '').some((below) => {
    if (below.start >= column.end || below.end <= column.start) return false
    if (whole.test(below.text)) return true
    const count = below.text.split(/ +/).length
    const isAll = new RegExp(`^${words.slice(0, count).join(' +')}$`, flags).test(below.text)
    return isAll && goesOn(lines, row + 1, { column: below, rest: { words: words.slice(count), flags } })
  })
}

interface Column {
  readonly start: number
  readonly end: number
  readonly text: string
}

const COLUMN = new RegExp(`\\S+(?: {1,${COLUMN_GAP_CELLS - 1}}\\S+)*`, 'g')

/** The parts of a line that stand beside each other on a page. */
function columnsOf(line: string): Column[] {
  return Array.from(line.matchAll(COLUMN), ({ index, 0: text }) => ({
    start: index,
    end: index + text.length,
    text,
  }))
}

function rowsOf(grid: Grid): number[] {
  return Array.from({ length: grid.rows }, (_, row) => row)
}

function channels(color: number): string {
  return `${(color >> 16) & 255};${(color >> 8) & 255};${color & 255}`
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
