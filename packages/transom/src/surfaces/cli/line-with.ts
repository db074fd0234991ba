import type { ShownScreen } from '@transom/client'
import { findInText } from '@transom/grid'

type ScreenLine = ShownScreen['lines'][number]

/** The line of a screen that shows `text`, wrapped rows joined; null if none does. */
export function lineWith({ lines, cols }: Pick<ShownScreen, 'lines' | 'cols'>, text: string): string | null {
  for (const rows of joined(lines)) {
    // A row comes without its trailing blanks. Where the line goes on below they belong to it, unless the last
    // cell is empty because a wide character did not fit: either reading counts.
    for (const pad of [true, false]) {
      const line = rows
        .map((row, index) => (pad && index < rows.length - 1 ? padded(row, cols) : row.text))
        .join('')
      if (!findInText(line, text).next().done) return line
    }
  }
  return null
}

function joined(rows: readonly ScreenLine[]): ScreenLine[][] {
  const lines: ScreenLine[][] = []
  for (const row of rows) {
    const above = lines.at(-1)
    if (row.wrapped && above !== undefined) above.push(row)
    else lines.push([row])
  }
  return lines
}

function padded({ text, cells }: ScreenLine, cols: number): string {
  const last = cells?.findLast((run) => run.text.trim() !== '')
  if (last === undefined) return text.padEnd(cols)
  const shown = last.col + last.width - (last.text.length - last.text.trimEnd().length)
  return text + ' '.repeat(Math.max(0, cols - shown))
}
