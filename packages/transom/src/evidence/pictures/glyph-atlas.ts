import { inflateRawSync } from 'node:zlib'
import { OpError } from '@transom/protocol/errors'
import { FACE_ITALIC, type CellSize, type MaskGlyph } from './glyph.ts'

const HEADER_BYTES = 16
const ENTRY_BYTES = 12
const FORMAT = 1
/** Of scale 1: how many pixels a cell is wide. */
const BASE_WIDTH = 9

/**
 * The glyphs that are shipped: masks of one size, made by scripts/glyphs.mjs.
 *
 * A file is `TRGL`, then as big-endian 16-bit numbers the format, the cell's width, height and baseline, the code points
 * to a page and the count of pages; an entry for each page (32-bit key, offset, length; a key is face × 65536 + page
 * number); and the pages, each compressed by itself (raw deflate), so that a picture of ASCII text unpacks one. A page
 * is a byte for each of its code points (0: no glyph, else how many cells it covers) and then the masks, four bits a
 * pixel.
 */
export class GlyphAtlas {
  readonly cell: CellSize
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #pageSize: number
  /** Where each page's entry lies, by key. */
  readonly #entries = new Map<number, number>()
  readonly #pages = new Map<number, readonly (MaskGlyph | null)[]>()

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const isAtlas = bytes.length > HEADER_BYTES && this.#view.getUint32(0) === 0x5452474c
    if (!isAtlas || this.#view.getUint16(4) !== FORMAT) {
      throw new OpError('internal', 'the glyphs that belong to transom cannot be read; install it again')
    }
    const width = this.#view.getUint16(6)
    this.cell = {
      width,
      height: this.#view.getUint16(8),
      baseline: this.#view.getUint16(10),
      line: Math.max(1, Math.round(width / BASE_WIDTH)),
    }
    this.#pageSize = this.#view.getUint16(12)
    for (let index = 0; index < this.#view.getUint16(14); index++) {
      const at = HEADER_BYTES + index * ENTRY_BYTES
      this.#entries.set(this.#view.getUint32(at), at)
    }
  }

  /** The glyph of a code point in a face; an upright one stands in where there is no slanted one. */
  find(codePoint: number, face: number): MaskGlyph | null {
    const glyph = this.#findIn(codePoint, face)
    if (glyph !== null || (face & FACE_ITALIC) === 0) return glyph
    return this.#findIn(codePoint, face & ~FACE_ITALIC)
  }

  #findIn(codePoint: number, face: number): MaskGlyph | null {
    const key = face * 0x10000 + Math.floor(codePoint / this.#pageSize)
    let page = this.#pages.get(key)
    if (page === undefined) this.#pages.set(key, (page = this.#unpack(key)))
    return page[codePoint % this.#pageSize] ?? null
  }

  #unpack(key: number): readonly (MaskGlyph | null)[] {
    const at = this.#entries.get(key)
    if (at === undefined) return []
    const offset = this.#view.getUint32(at + 4)
    const page = inflateRawSync(this.#bytes.subarray(offset, offset + this.#view.getUint32(at + 8)))
    let position = this.#pageSize
    return Array.from({ length: this.#pageSize }, (_, index) => {
      const cells = page[index] ?? 0
      if (cells === 0) return null
      const width = this.cell.width * cells
      const pixels = width * this.cell.height
      const alpha = new Uint8Array(pixels)
      for (let pixel = 0; pixel < pixels; pixel++) {
        const pair = page[position + (pixel >> 1)] ?? 0
        alpha[pixel] = pixel & 1 ? pair & 15 : pair >> 4
      }
      position += (pixels + 1) >> 1
      return { kind: 'mask' as const, width, alpha }
    })
  }
}
