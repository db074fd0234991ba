/** A character of a row, and the cells that show it. */
export interface ShownCharacter {
  readonly text: string
  readonly col: number
}

/** Hebrew, Arabic and the other scripts that are written from right to left. */
const RIGHT_TO_LEFT =
  /[\p{scx=Hebr}\p{scx=Arab}\p{scx=Syrc}\p{scx=Thaa}\p{scx=Nkoo}\p{scx=Samr}\p{scx=Mand}\p{scx=Adlm}]/u
const DIGIT = /^\p{Nd}/u
const LETTER = /^\p{L}/u
/** Between two digits these belong to the number, and beside one what is in the second list. */
const NUMBER_SEPARATORS = new Set(['.', ',', ':', '/', '+', '-'])
const NUMBER_SIGNS = new Set(['%', '$', '€', '£', '¥', '₪', '#', '°'])

/** Blanks that part the columns of a page, each read by itself: one more than the words of a justified line may have. */
export const COLUMN_GAP_CELLS = 3

const MIRRORED = new Map(
  ['()', '[]', '{}', '<>', '«»', '‹›'].flatMap(([open = '', close = '']) => [
    [open, close],
    [close, open],
  ]),
)

export function hasRightToLeft(text: string): boolean {
  return RIGHT_TO_LEFT.test(text)
}

/**
 * Puts a row that was painted, from left to right, into the order in which it is read and was written (UAX #9 done
 * backwards). The source text cannot always be known. In a line with letters of both directions, the direction
 * at both its ends is taken for the line's own, otherwise that of most letters.
 */
export function inReadingOrder(row: readonly ShownCharacter[]): ShownCharacter[] {
  return columnsOf(row).flatMap((column) => (column.some(isRight) ? readColumn(column) : column))
}

type Kind = 'left' | 'right' | 'digit' | 'neutral'

function kindOf({ text }: ShownCharacter): Kind {
  if (DIGIT.test(text)) return 'digit'
  if (RIGHT_TO_LEFT.test(text)) return 'right'
  return LETTER.test(text) ? 'left' : 'neutral'
}

function isRight(character: ShownCharacter): boolean {
  return kindOf(character) === 'right'
}

/** The row cut where several blanks begin and end: they stay where they are. */
function columnsOf(row: readonly ShownCharacter[]): ShownCharacter[][] {
  const columns: ShownCharacter[][] = []
  let blanks = COLUMN_GAP_CELLS
  for (const character of row) {
    const isBlank = character.text === ' '
    if (!isBlank && blanks >= COLUMN_GAP_CELLS) columns.push([])
    blanks = isBlank ? blanks + 1 : 0
    const last = columns.at(-1)
    if (last === undefined) columns.push([character])
    else last.push(character)
  }
  return columns.flatMap((column) => {
    const end = column.findLastIndex(({ text }) => text !== ' ') + 1
    return [column.slice(0, end), column.slice(end)]
  })
}

function readColumn(column: readonly ShownCharacter[]): ShownCharacter[] {
  const kinds = column.map(kindOf)
  return isRightToLeft(kinds) ? readFromRight(column, kinds) : readFromLeft(column, kinds)
}

function isRightToLeft(kinds: readonly Kind[]): boolean {
  const letters = kinds.filter((kind) => kind === 'left' || kind === 'right')
  if (letters[0] === letters.at(-1)) return letters[0] === 'right'
  return letters.filter((kind) => kind === 'right').length * 2 > letters.length
}

/** All from the right, but what is written from left to right in it. */
function readFromRight(column: readonly ShownCharacter[], kinds: readonly Kind[]): ShownCharacter[] {
  const runs: ShownCharacter[][] = []
  for (let at = 0; at < column.length;) {
    const end = endOfLeftRun(column, kinds, at)
    const character = column[at]
    if (character === undefined) break
    runs.push(end > at ? column.slice(at, end) : [mirrored(character)])
    at = Math.max(end, at + 1)
  }
  return runs.toReversed().flat()
}

/** All from the left, but what stands between letters that are written from the right. */
function readFromLeft(column: readonly ShownCharacter[], kinds: readonly Kind[]): ShownCharacter[] {
  const read: ShownCharacter[] = []
  for (let at = 0; at < column.length;) {
    const character = column[at]
    if (character === undefined) break
    const nextLeft = kinds.indexOf('left', at)
    const end = kinds.slice(0, nextLeft < 0 ? kinds.length : nextLeft).lastIndexOf('right') + 1
    if (kinds[at] === 'right' && end > at) {
      read.push(...readFromRight(column.slice(at, end), kinds.slice(at, end)))
      at = end
    } else {
      read.push(character)
      at++
    }
  }
  return read
}

/** Where the words or the number that begin here end; here when neither does. */
function endOfLeftRun(column: readonly ShownCharacter[], kinds: readonly Kind[], start: number): number {
  let end = start
  let hasLetter = false
  for (let at = start; at < column.length && kinds[at] !== 'right'; at++) {
    if (kinds[at] === 'neutral') {
      if (!hasLetter && !joinsNumber(column, kinds, at)) break
    } else {
      hasLetter ||= kinds[at] === 'left'
      end = at + 1
    }
  }
  return kinds[end - 1] === 'digit' && isNumberSign(column, end) ? end + 1 : end
}

function joinsNumber(column: readonly ShownCharacter[], kinds: readonly Kind[], at: number): boolean {
  if (kinds[at + 1] !== 'digit') return false
  const text = column[at]?.text ?? ''
  return isNumberSign(column, at) || (kinds[at - 1] === 'digit' && NUMBER_SEPARATORS.has(text))
}

function isNumberSign(column: readonly ShownCharacter[], at: number): boolean {
  return NUMBER_SIGNS.has(column[at]?.text ?? '')
}

function mirrored({ text, col }: ShownCharacter): ShownCharacter {
  return { text: MIRRORED.get(text) ?? text, col }
}
