import { BOTTOM_SYNC, CODE_ROWS, CODE_X, CODE_Y, MARK_ROWS, cellWidth, checkOf, markOf } from './cell-code.ts'
import type { RgbPixels } from '../../lib/png-reader.ts'
import { CELL_HEIGHT_PX, CELL_WIDTH_PX } from './web-frame.ts'

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
  /** Whether something covers its lowest rows. */
  readonly isCut: boolean
}

/** How far apart two colours may be and still be the same ink: blending rounds, and edges are smoothed. */
const SAME_INK_DISTANCE_MAX = 30
const CODE_POINT_MAX = 0x10_ffff
/** Three cells: how far the next character of a line may be, so that also words of one letter have a neighbour. */
const NEIGHBOUR_PX_MAX = 3 * CELL_WIDTH_PX

/** Reads every character of the cell font in a picture, and wipes its ink off so that the graphics behind it remain. */
export function scanGlyphs({ width, height, rgb }: RgbPixels): ScannedGlyph[] {
  const glyphs: ScannedGlyph[] = []
  const cut: CutGlyph[] = []
  const bottom = (CODE_ROWS - 1) * width
  // One row less than a code has: the last may lie below the picture.
  for (let y = 0; y + CODE_ROWS - 1 <= height; y++) {
    for (let x = CODE_X; x < width - 5; x++) {
      const at = y * width + x
      const ink = rgb[at] ?? 0
      const paper = rgb[at + 2] ?? 0
      // The syncs: 101 on top, 110 ten rows below. Nearly every pixel fails at the first comparison.
      if (paper === ink || !isNear(rgb[at + 4] ?? 0, ink) || isNear(paper, ink)) continue
      const low = at + bottom
      // Never reads past the end: V8 would give up its fast code for the whole picture.
      const sync = y + CODE_ROWS > height ? 0 : readBars(rgb, low, ink)
      const isCut = sync === 0 || sync === 7 // something of one colour, or the end of the picture
      if (sync !== BOTTOM_SYNC && !isCut) continue
      const codePoint = readCode(rgb, at, width, ink)
      const cells = codePoint < 0 ? 0 : cachedWidth(codePoint)
      if (cells === 0) continue
      const hasMarkRows = !isCut && y >= CODE_Y && y + CODE_ROWS + 1 < height
      const markAt = at + (cells - 1) * CELL_WIDTH_PX // over the last cell of a wide one
      const mark = hasMarkRows ? readMark(rgb, markAt, width, ink) : 0
      const glyph: ScannedGlyph = {
        x: x - CODE_X,
        y: y - CODE_Y,
        codePoint,
        mark,
        width: cells,
        fg: ink,
        bg: paper,
        isCut,
      }
      if (isCut) {
        cut.push({ glyph, at, isSure: readBars(rgb, low - width, ink) !== sync })
        continue
      }
      glyphs.push(glyph)
      const below = rgb[low + 4] ?? 0
      wipe(rgb, at, width, { above: paper, below, from: 0, to: CODE_ROWS })
      if (mark !== 0) wipe(rgb, markAt, width, { above: paper, below, from: -3, to: CODE_ROWS + 2 })
      x += 5
    }
  }
  const kept = cut.length === 0 ? [] : keepCutGlyphs(cut, glyphs)
  for (const { glyph, at } of kept)
    wipe(rgb, at, width, { above: glyph.bg, below: glyph.bg, from: 0, to: CODE_ROWS - 1 })
  return [...glyphs, ...kept.map(({ glyph }) => glyph)]
}

/** What reads like a character whose lowest rows are covered, by its sync at the top and its check. */
interface CutGlyph {
  readonly glyph: ScannedGlyph
  /** Of its upper left ink pixel. */
  readonly at: number
  /** Whether the last row of its check is surely its own: another one than what covers the row below. */
  readonly isSure: boolean
}

/**
 * Half of what separates a character from a picture is covered. The other half is that it stands in a line of text,
 * which has characters on the same pixel row, whole cells away. If more of a line is covered, a letter here and
 * there still passes its check by chance, but none surely.
 */
function keepCutGlyphs(cut: readonly CutGlyph[], whole: readonly ScannedGlyph[]): CutGlyph[] {
  const lines = new Map<number, { glyph: ScannedGlyph; isSure: boolean }[]>(
    cut.map(({ glyph }) => [glyph.y, []]),
  )
  for (const glyph of whole) lines.get(glyph.y)?.push({ glyph, isSure: false })
  for (const it of cut) lines.get(it.glyph.y)?.push(it)
  const kept: CutGlyph[] = []
  for (const it of cut) {
    const { glyph } = it
    if (kept.some((other) => isOver(other.glyph, glyph))) continue // a row of that one's code
    const neighbours = (lines.get(glyph.y) ?? []).filter((other) => areNeighbours(glyph, other.glyph))
    if (neighbours.length > 0 && [it, ...neighbours].some(({ isSure }) => isSure)) kept.push(it)
  }
  return kept
}

function areNeighbours(a: ScannedGlyph, b: ScannedGlyph): boolean {
  const distance = Math.abs(a.x - b.x)
  const over = distance % CELL_WIDTH_PX
  const isInRaster = over <= 1 || over === CELL_WIDTH_PX - 1
  return distance >= CELL_WIDTH_PX - 1 && distance <= NEIGHBOUR_PX_MAX && isInRaster && isNear(a.fg, b.fg)
}

function isOver(a: ScannedGlyph, b: ScannedGlyph): boolean {
  return Math.abs(a.x - b.x) < CELL_WIDTH_PX - 1 && b.y > a.y && b.y < a.y + CELL_HEIGHT_PX
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
  /** Rows, counted from that of the upper sync; `to` is not wiped. */
  readonly from: number
  readonly to: number
}

function wipe(rgb: Uint32Array, at: number, width: number, { above, below, from, to }: Wiping): void {
  for (let row = from; row < to; row++) {
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
