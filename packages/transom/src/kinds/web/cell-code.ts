import { eastAsianWidth } from 'get-east-asian-width'

/**
 * How a character is written into a cell of 8 × 16 pixels so that it can be read back from a painted page: three
 * columns of two pixels (Chromium places text at fractions of a pixel, which a column of one does not survive) at
 * x = 1…6, and 11 rows at y = 3…13. The first row is `101` and the last `110`, so that a reader finds them; between
 * them stand 27 bits: the code point's 21, most significant first, and a check of 6.
 */
export const CODE_X = 1
export const CODE_Y = 3
export const CODE_ROWS = 11
export const TOP_SYNC = 0b101
export const BOTTOM_SYNC = 0b110

/** The patterns of the nine rows between the syncs, 3 bits each. */
export function codeRows(codePoint: number): number[] {
  const check = checkOf(codePoint)
  const rows = [18, 15, 12, 9, 6, 3, 0].map((shift) => (codePoint >> shift) & 7)
  return [...rows, check >> 3, check & 7]
}

/** Six check bits over the code point. They detect one wrong bit, or a picture that looks like a code. */
export function checkOf(codePoint: number): number {
  let check = 0x2b
  for (let shift = 0; shift < 21; shift += 3) {
    check = ((check << 1) | (check >> 5)) ^ ((codePoint >> shift) & 7)
    check &= 63
  }
  return check
}

/**
 * A combining mark has no advance and is painted over the character before it, in the rows that a character leaves
 * free: 0–2 and 14–15. They hold its number among all marks in 12 bits, and a check of 3.
 */
export const MARK_ROWS = [0, 1, 2, 14, 15] as const

export function markRows(markIndex: number): number[] {
  const value = markIndex + 1 // never empty rows
  const bits = (value << 3) | markCheck(value)
  return [12, 9, 6, 3, 0].map((shift) => (bits >> shift) & 7)
}

/** The code point of a mark, or 0 when the bits are none. */
export function markOf(bits: number): number {
  const value = bits >> 3
  if (value === 0 || (bits & 7) !== markCheck(value)) return 0
  return combiningMarks()[value - 1] ?? 0
}

function markCheck(value: number): number {
  return (value ^ (value >> 3) ^ (value >> 6) ^ (value >> 9) ^ 5) & 7
}

let marks: readonly number[] | null = null

/** The combining marks in order. Their place in this list is what a mark's code holds. */
export function combiningMarks(): readonly number[] {
  marks ??= Array.from({ length: 0x1_f400 - 0x300 }, (_, index) => index + 0x300).filter(isMark)
  return marks
}

function isMark(codePoint: number): boolean {
  if (codePoint >= 0xfe00 && codePoint <= 0xfe0f) return false // variation selectors show nothing of their own
  if (codePoint >= 0x1_f3fb && codePoint <= 0x1_f3ff) return true // skin tones
  if (codePoint >= 0x3400 && codePoint < 0xa000) return false // ideographs: many, and none is a mark
  if (codePoint >= 0xac00 && codePoint < 0xe000) return false
  return /[\p{Mn}\p{Me}]/u.test(String.fromCodePoint(codePoint))
}

/** Cells that a character covers: 0 for marks and what shows nothing, 2 for East Asian wide ones. */
export function cellWidth(codePoint: number): 0 | 1 | 2 {
  if (codePoint < 0x20 || (codePoint >= 0x7f && codePoint < 0xa0)) return 0
  if (codePoint < 0x300) return codePoint === 0xad ? 0 : 1
  if (isMark(codePoint) || /\p{Default_Ignorable_Code_Point}|\p{Cf}/u.test(String.fromCodePoint(codePoint)))
    return 0
  return eastAsianWidth(codePoint) === 2 ? 2 : 1
}
