import { WIDE_SPACER, canonicalText, findPlaces, type Grid, type TextPlace } from '@transom/grid'
import { textGrid } from './frame-grid.ts'
import type { WebFrame } from './web-frame.ts'

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

/** A text on a page, as its clients are told. */
export type TextMatch = Omit<TextPlace, 'middle'>

/** Where a page shows a text. */
export function findInFrame(frame: WebFrame, text: string, ignoreCase = false): TextMatch[] {
  const grid = textGrid(frame)
  const places = findPlaces({ grid, canonical: canonicalText(grid) }, text.trim(), { ignoreCase })
  return places.map(({ middle: _middle, ...match }) => match)
}

/** The rows of `now` whose text differs from `before`. */
export function changedLines(before: WebFrame, now: WebFrame): { row: number; text: string }[] {
  const old = frameLines(before, true)
  return frameLines(now, true).flatMap((text, row) => (text === old[row] ? [] : [{ row, text }]))
}

function rowsOf(grid: Grid): number[] {
  return Array.from({ length: grid.rows }, (_, row) => row)
}

function channels(color: number): string {
  return `${(color >> 16) & 255};${(color >> 8) & 255};${color & 255}`
}
