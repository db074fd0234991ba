import { CODE_ROWS, CODE_X, CODE_Y, MARK_ROWS, cellWidth, checkOf, markOf } from './cell-code.ts'
import type { Pixels } from './png-reader.ts'

/** A character that was read from the pixels of a page. */
export interface ScannedGlyph {
  /** Where its cell was painted: the upper left pixel. */
  readonly x: number
  readonly y: number
  readonly codePoint: number
  /** Of a combining mark over it, or 0. */
  readonly mark: number
  readonly width: 1 | 2
  readonly fg: number
  readonly bg: number
}

/** How far apart two colours may be and still be the same ink: blending rounds, and edges are smoothed. */
const SAME_INK_DISTANCE_MAX = 30
const CODE_POINT_MAX = 0x10_ffff

/** Reads every character of the cell font in a picture, and wipes its ink off so that the graphics behind it remain. */
export function scanGlyphs({ width, height, rgb }: Pixels): ScannedGlyph[] {
  const glyphs: ScannedGlyph[] = []
  const bottom = (CODE_ROWS - 1) * width
  for (let y = 0; y + CODE_ROWS <= height; y++) {
    for (let x = CODE_X; x < width - 5; x++) {
      const at = y * width + x
      const ink = rgb[at] ?? 0
      const paper = rgb[at + 2] ?? 0
      // The syncs: 101 on top, 110 ten rows below. Nearly every pixel fails at the first comparison.
      if (paper === ink || !isNear(rgb[at + 4] ?? 0, ink) || isNear(paper, ink)) continue
      const low = at + bottom
      if (!isNear(rgb[low] ?? 0, ink) || !isNear(rgb[low + 2] ?? 0, ink) || isNear(rgb[low + 4] ?? 0, ink))
        continue
      const codePoint = readCode(rgb, at, width, ink)
      const cells = codePoint < 0 ? 0 : cachedWidth(codePoint)
      if (cells === 0) continue
      const mark = y >= CODE_Y && y + CODE_ROWS + 1 < height ? readMark(rgb, at, width, ink) : 0
      glyphs.push({ x: x - CODE_X, y: y - CODE_Y, codePoint, mark, width: cells, fg: ink, bg: paper })
      wipe(rgb, at, width, { above: paper, below: rgb[low + 4] ?? 0, withMark: mark !== 0 })
      x += 5
    }
  }
  return glyphs
}

/** The code point of the nine rows below the sync at `at`, or −1 when they are not a code. */
function readCode(rgb: Uint32Array, at: number, width: number, ink: number): number {
  let codePoint = 0
  for (let row = 1; row <= 7; row++) codePoint = (codePoint << 3) | readBars(rgb, at + row * width, ink)
  if (codePoint < 0x21 || codePoint > CODE_POINT_MAX) return -1
  const check = (readBars(rgb, at + 8 * width, ink) << 3) | readBars(rgb, at + 9 * width, ink)
  return check === checkOf(codePoint) ? codePoint : -1
}

function readMark(rgb: Uint32Array, at: number, width: number, ink: number): number {
  let bits = 0
  for (const row of MARK_ROWS_FROM_SYNC) bits = (bits << 3) | readBars(rgb, at + row * width, ink)
  return bits === 0 ? 0 : markOf(bits)
}

const MARK_ROWS_FROM_SYNC = MARK_ROWS.map((row) => row - CODE_Y)

function readBars(rgb: Uint32Array, at: number, ink: number): number {
  return (
    (isNear(rgb[at] ?? 0, ink) ? 4 : 0) |
    (isNear(rgb[at + 2] ?? 0, ink) ? 2 : 0) |
    (isNear(rgb[at + 4] ?? 0, ink) ? 1 : 0)
  )
}

interface Wiping {
  readonly above: number
  readonly below: number
  readonly withMark: boolean
}

function wipe(rgb: Uint32Array, at: number, width: number, { above, below, withMark }: Wiping): void {
  for (let row = withMark ? -3 : 0; row < CODE_ROWS + (withMark ? 2 : 0); row++) {
    const start = at + row * width
    const paper = row < CODE_ROWS / 2 ? above : below
    for (let pixel = start - 1; pixel < start + 7; pixel++) rgb[pixel] = paper // so few that fill() costs more
  }
}

function isNear(a: number, b: number): boolean {
  if (a === b) return true
  const red = (a >> 16) - (b >> 16)
  const green = ((a >> 8) & 255) - ((b >> 8) & 255)
  const blue = (a & 255) - (b & 255)
  return Math.abs(red) + Math.abs(green) + Math.abs(blue) <= SAME_INK_DISTANCE_MAX
}

const widths = new Map<number, 0 | 1 | 2>()

function cachedWidth(codePoint: number): 0 | 1 | 2 {
  let width = widths.get(codePoint)
  if (width === undefined) {
    width = /[\p{Cn}\p{Cs}\p{Co}]/u.test(String.fromCodePoint(codePoint)) ? 0 : cellWidth(codePoint)
    widths.set(codePoint, width) // bounded by Unicode
  }
  return width
}
