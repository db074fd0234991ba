import { BREAKS, codePointTable, firstState, isEmoji, joinedState, widthOf } from './unicode.ts'

/** A flag of a region has seven code points, a family eleven. What is stacked above that is not shown. */
export const CLUSTER_CODE_POINTS_MAX = 32

const TEXT_SELECTOR = 0xfe0e
const EMOJI_SELECTOR = 0xfe0f

/** A grapheme cluster and the number of cells that it takes. */
export interface TextCell {
  readonly text: string
  readonly width: 1 | 2
}

/**
 * Splits text into the cells that a terminal shows it in: grapheme clusters (UAX #29), each one or two columns wide.
 * A mark without a character to stand over is left out. Control characters are not interpreted: they count as marks.
 */
export function textCells(text: string): TextCell[] {
  const table = codePointTable()
  const cells: { text: string; width: number }[] = []
  let state = BREAKS
  let codePoints = 0
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0
    const value = table[codePoint] ?? 0
    const last = cells.at(-1)
    // ASCII begins a cell even after a Prepend: so terminals have it.
    const joined = state === BREAKS || codePoint < 0x80 ? BREAKS : joinedState(state, value)
    if (last !== undefined && (joined !== BREAKS || widthOf(value) === 0)) {
      if (codePoints++ < CLUSTER_CODE_POINTS_MAX) {
        last.width = joinedWidth(last.text, last.width, codePoint)
        last.text += character
        state = joined === BREAKS ? firstState(value) : joined
      }
    } else if (widthOf(value) > 0) {
      cells.push({ text: character, width: widthOf(value) })
      state = firstState(value)
      codePoints = 1
    }
  }
  return cells.map((cell) => ({ text: cell.text, width: cell.width === 2 ? 2 : 1 }))
}

/** How many columns a text takes. */
export function textWidth(text: string): number {
  let width = 0
  for (const cell of textCells(text)) width += cell.width
  return width
}

/** The width of a cluster, which has `width` without it, after one more code point. */
export function joinedWidth(cluster: string, width: number, codePoint: number): number {
  const table = codePointTable()
  const first = cluster.codePointAt(0) ?? 0
  if (codePoint === EMOJI_SELECTOR) return isEmoji(table[first] ?? 0) ? 2 : width
  if (codePoint === TEXT_SELECTOR) {
    const isSingle = cluster.length === (first > 0xffff ? 2 : 1)
    return isSingle && isEmoji(table[first] ?? 0) ? 1 : width
  }
  return Math.min(2, width + widthOf(table[codePoint] ?? 0))
}
