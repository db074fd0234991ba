/** The one meaning of "this text is on the screen": for waits, for the mouse and for what looks for a text. */
import { cellAt, type CanonicalLine, type CanonicalText } from './canonical-text.ts'
import { WIDE_SPACER, type Grid } from './grid.ts'
import { COLUMN_GAP_CELLS } from './reading-order.ts'

/** A stretch of the canonical text, in UTF-16 units. */
export interface TextSpan {
  readonly start: number
  readonly end: number
}

/** Where a text is shown. */
export interface TextPlace {
  /** The leftmost cell of it in its first row. */
  readonly row: number
  readonly col: number
  /** Cells that it covers in that row. */
  readonly width: number
  readonly text: string
  /** The cell of its middle character: where to click at it. */
  readonly middle: { readonly row: number; readonly col: number }
}

export interface ShownText {
  /** Text cells alone: where a page shows graphics they are empty. */
  readonly grid: Grid
  readonly canonical: CanonicalText
}

/**
 * Where a text is shown, from the upper left. A blank within it stands for any run of blanks, and on a painted page also
 * for the end of a line that goes on below: the span is then that of the first part. A blank at its begin or end is part
 * of it, as in the prompt `$ `.
 */
export function* findText(
  { grid, canonical }: ShownText,
  text: string,
  { ignoreCase = false }: { ignoreCase?: boolean } = {},
): Generator<TextSpan> {
  const words = wordsOf(text)
  if (grid.textOrder === 'painted' && words.length > 1) {
    yield* inPage(canonical, words, ignoreCase ? 'giu' : 'gu')
    return
  }
  yield* findInText(canonical.text, text, { ignoreCase })
}

/** Like findText(), but in the text, or a part of it, of a screen that is not a painted page. */
export function* findInText(
  shown: string,
  text: string,
  { ignoreCase = false }: { ignoreCase?: boolean } = {},
): Generator<TextSpan> {
  if (text === '') return
  const words = wordsOf(text)
  if (words.length === 1 && !ignoreCase) {
    for (let at = shown.indexOf(text); at >= 0; at = shown.indexOf(text, at + 1))
      yield { start: at, end: at + text.length }
    return
  }
  const pattern = new RegExp(words.map(escapePattern).join(' +'), ignoreCase ? 'giu' : 'gu')
  for (const { index, 0: found } of shown.matchAll(pattern)) yield { start: index, end: index + found.length }
}

/** As findText(), with the places on the screen: row by row, from left to right. */
export function findPlaces(shown: ShownText, text: string, options?: { ignoreCase?: boolean }): TextPlace[] {
  return Array.from(findText(shown, text, options), (span) => placeOf(shown, span)).sort(
    (a, b) => a.row - b.row || a.col - b.col,
  )
}

/** The cells of a span: of a text in two directions these may be more than its own. */
function placeOf({ grid, canonical }: ShownText, { start, end }: TextSpan): TextPlace {
  const { row } = cellAt(grid, canonical, start)
  const before = rowStart(grid, canonical, row)
  let offset = before
  const cols: number[] = []
  for (const character of grid.charactersOf(row)) {
    if (offset >= start && offset < end) cols.push(character.col)
    offset += character.text.length
  }
  const col = Math.min(...cols)
  const last = Math.max(...cols)
  const isWide = grid.codes[row * grid.cols + last + 1] === WIDE_SPACER && last + 1 < grid.cols
  return {
    row,
    col,
    width: last + (isWide ? 2 : 1) - col,
    text: canonical.text.slice(start, end),
    middle: cellAt(grid, canonical, start + Math.floor((end - start) / 2)),
  }
}

export function liesWithin(spans: readonly TextSpan[], match: TextSpan): boolean {
  return spans.some((span) => span.start <= match.start && match.end <= span.end)
}

/** A text at its inner runs of blanks; blanks at its ends belong to the words there. */
function wordsOf(text: string): string[] {
  return text.split(/(?<=\S) +(?=\S)/)
}

/** The position in the whole text at which a row begins. */
function rowStart(grid: Grid, canonical: CanonicalText, row: number): number {
  const line = canonical.lines.find((it) => it.rowIndex <= row && row < it.rowIndex + it.rowCount)
  if (line === undefined) return 0
  let start = line.start
  for (let at = line.rowIndex; at < row; at++) start += grid.readingOf(at).length
  return start
}

/** A longer phrase is found within a line only: each of its words is tried as the last of a line, with a pattern each. */
const WRAPPED_WORDS_MAX = 64

function* inPage(canonical: CanonicalText, words: readonly string[], flags: string): Generator<TextSpan> {
  const patterns = words.map(escapePattern)
  const lineFlags = flags.replace('g', '')
  for (const [index, line] of canonical.lines.entries()) {
    const inLine = Array.from(line.text.matchAll(new RegExp(patterns.join(' +'), flags)), (match) => ({
      index: match.index,
      text: match[0],
    }))
    const wrapped =
      words.length > WRAPPED_WORDS_MAX
        ? []
        : wrappedMatches(canonical.lines, index, { words: patterns, flags: lineFlags })
    const all = [...inLine, ...wrapped].sort((a, b) => a.index - b.index)
    for (const { index: at, text } of all)
      yield { start: line.start + at, end: line.start + at + text.length }
  }
}

interface LineMatch {
  /** In UTF-16 units of the line. */
  readonly index: number
  readonly text: string
}

interface Phrase {
  /** As patterns. */
  readonly words: readonly string[]
  readonly flags: string
}

/** Matches that begin at the end of a column of the line and go on at the beginning of the one below. */
function wrappedMatches(lines: readonly CanonicalLine[], at: number, { words, flags }: Phrase): LineMatch[] {
  const found: LineMatch[] = []
  for (let count = 1; count < words.length; count++) {
    const head = new RegExp(`${words.slice(0, count).join(' +')}$`, flags)
    for (const column of columnsOf(lines[at]?.text ?? '')) {
      const match = head.exec(column.text)
      const rest = { words: words.slice(count), flags }
      if (match !== null && goesOn(lines, at + 1, { column, rest }))
        found.push({ index: column.start + match.index, text: match[0] })
    }
  }
  return found
}

/** Whether the rest of a phrase stands at the beginning of a column below another one, over as many rows as it takes. */
function goesOn(
  lines: readonly CanonicalLine[],
  at: number,
  { column, rest }: { readonly column: Column; readonly rest: Phrase },
): boolean {
  const { words, flags } = rest
  const whole = new RegExp(`^${words.join(' +')}`, flags)
  return columnsOf(lines[at]?.text ?? '').some((below) => {
    if (below.start >= column.end || below.end <= column.start) return false
    if (whole.test(below.text)) return true
    const count = below.text.split(/ +/).length
    const isAll = new RegExp(`^${words.slice(0, count).join(' +')}$`, flags).test(below.text)
    return isAll && goesOn(lines, at + 1, { column: below, rest: { words: words.slice(count), flags } })
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

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
