import { WIDE_SPACER, type Grid } from '../../grid/grid.ts'
import { textGrid } from './frame-grid.ts'
import type { WebFrame } from './web-frame.ts'
import type { Cell } from './web-page.ts'

/** The rows as text: where graphics are, blanks. */
export function frameLines(frame: WebFrame, trim: boolean): string[] {
  const grid = textGrid(frame)
  return rowsOf(grid).map((row) => (trim ? grid.lineOf(row) : grid.textOf(row)))
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

/** Where a text is shown, from the upper left. A blank in it stands for any run of blanks. */
export function findText(frame: WebFrame, text: string, ignoreCase = false): TextMatch[] {
  const words = text.trim().split(/\s+/).map(escapePattern)
  const pattern = new RegExp(words.join(' +'), ignoreCase ? 'giu' : 'gu')
  const grid = textGrid(frame)
  return rowsOf(grid).flatMap((row) => {
    const line = grid.textOf(row)
    return Array.from(line.matchAll(pattern), ({ index, 0: found }) => {
      const col = colAt(grid, row, index)
      return { row, col, width: colAt(grid, row, index + found.length) - col, text: found }
    })
  })
}

/** The rows of `now` whose text differs from `before`. */
export function changedLines(before: WebFrame, now: WebFrame): { row: number; text: string }[] {
  const old = frameLines(before, true)
  return frameLines(now, true).flatMap((text, row) => (text === old[row] ? [] : [{ row, text }]))
}

/** The column of a position in a row's text: wide characters cover two, clusters have several units. */
function colAt(grid: Grid, row: number, offset: number): number {
  let units = 0
  for (let col = 0; col < grid.cols; col++) {
    if (units >= offset && grid.codes[row * grid.cols + col] !== WIDE_SPACER) return col
    units += grid.textOf(row, col, col + 1).length
  }
  return grid.cols
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
