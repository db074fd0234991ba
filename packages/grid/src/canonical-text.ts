import type { Grid } from './grid.ts'

/**
 * The one text that waits match, Screen Stability compares and the Screen Hash digests, so that the three never
 * disagree: rows that wrap are joined to lines, lines lose their trailing blanks, and empty lines at the end go.
 */
export interface CanonicalText {
  readonly text: string
  readonly lines: readonly CanonicalLine[]
}

export interface CanonicalLine {
  readonly text: string
  /** Where the line starts in the whole text, in UTF-16 units. */
  readonly start: number
  /** The screen row it starts on, and how many rows it covers. */
  readonly rowIndex: number
  readonly rowCount: number
}

export function canonicalText(grid: Grid): CanonicalText {
  const lines: CanonicalLine[] = []
  let start = 0
  for (let rowIndex = 0; rowIndex < grid.rows;) {
    let text = ''
    let rowCount = 0
    do {
      text += rowText(grid, rowIndex + rowCount)
      rowCount++
    } while (rowIndex + rowCount < grid.rows && grid.isWrapped(rowIndex + rowCount))
    text = text.trimEnd()
    lines.push({ text, start, rowIndex, rowCount })
    start += text.length + 1
    rowIndex += rowCount
  }
  while (lines.length > 0 && lines.at(-1)?.text === '') lines.pop()
  return { text: lines.map((line) => line.text).join('\n'), lines }
}

/**
 * The same text with the line of the cursor filled with blanks up to the cursor, so that a prompt can be waited
 * for as it is written (`$ `); null if there is nothing to fill. Only for matching: the hash ignores the cursor.
 */
export function filledToCursor(
  canonical: CanonicalText,
  grid: Grid,
  cursor: { row: number; col: number },
): CanonicalText | null {
  const at = canonical.lines.findIndex(
    ({ rowIndex, rowCount }) => rowIndex <= cursor.row && cursor.row < rowIndex + rowCount,
  )
  const line = canonical.lines[at]
  if (line === undefined) return null
  const blanks = offsetInLine(grid, line, cursor.row, cursor.col) - line.text.length
  if (blanks <= 0) return null
  const lines = canonical.lines.map((it, index) => {
    if (index < at) return it
    return index === at ? { ...it, text: it.text + ' '.repeat(blanks) } : { ...it, start: it.start + blanks }
  })
  return { text: lines.map(({ text }) => text).join('\n'), lines }
}

/** The line that a position of the whole text lies in. */
export function lineAt(canonical: CanonicalText, position: number): CanonicalLine | undefined {
  return canonical.lines.findLast((line) => line.start <= position)
}

/** A row as part of its line: blanks that were written stay, also at the end, because the line may go on. */
function rowText(grid: Grid, rowIndex: number): string {
  return grid.readingOf(rowIndex)
}

/** The cell that shows the character at a position of the whole text. */
export function cellAt(grid: Grid, canonical: CanonicalText, position: number): { row: number; col: number } {
  const line = lineAt(canonical, position)
  if (line === undefined) return { row: 0, col: 0 }
  let left = position - line.start
  for (let row = line.rowIndex; row < line.rowIndex + line.rowCount; row++) {
    const length = rowText(grid, row).length
    if (left < length || row === line.rowIndex + line.rowCount - 1)
      return { row, col: colAt(grid, row, left) }
    left -= length
  }
  return { row: line.rowIndex, col: 0 }
}

/** The column of the character at `offset` (UTF-16 units) of a row's text. */
function colAt(grid: Grid, row: number, offset: number): number {
  let end = 0
  for (const { text, col } of grid.charactersOf(row)) {
    end += text.length
    if (end > offset) return col
  }
  return grid.cols - 1
}

/** Where in a line's text a cell of the screen lies, in UTF-16 units. */
export function offsetInLine(grid: Grid, line: CanonicalLine, rowIndex: number, col: number): number {
  let offset = 0
  for (let row = line.rowIndex; row < rowIndex; row++) offset += rowText(grid, row).length
  return offset + grid.textOf(rowIndex, 0, col).length
}
