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

/** The line that a position of the whole text lies in. */
export function lineAt(canonical: CanonicalText, position: number): CanonicalLine | undefined {
  return canonical.lines.findLast((line) => line.start <= position)
}

/** A row as part of its line: blanks that were written stay, also at the end, because the line may go on. */
function rowText(grid: Grid, rowIndex: number): string {
  return grid.textOf(rowIndex, 0, grid.usedCols(rowIndex))
}

/** Where in a line's text a cell of the screen lies, in UTF-16 units. */
export function offsetInLine(grid: Grid, line: CanonicalLine, rowIndex: number, col: number): number {
  let offset = 0
  for (let row = line.rowIndex; row < rowIndex; row++) offset += rowText(grid, row).length
  return offset + grid.textOf(rowIndex, 0, col).length
}
