import { deflateSync } from 'node:zlib'
import { PaletteBuilder, paletteBytes } from './palette.ts'
import { PNG_SIGNATURE, concatBytes, pngChunk } from '../../lib/png-chunks.ts'
import { pixelsOf, type Raster } from './raster.ts'

const PALETTE_MAX = 256
export const INDEXED = 3
export const TRUE_COLOR = 2

/** A PNG file: with a palette when the picture has no more than 256 colours, else in true colour. */
export function encodePng(raster: Raster): Uint8Array {
  const { type, palette, rows } = pngRows(raster)
  return concatBytes([
    PNG_SIGNATURE,
    pngChunk('IHDR', pngHeader(raster.width, raster.height, type)),
    ...(palette === null ? [] : [pngChunk('PLTE', palette)]),
    pngChunk('IDAT', compress(rows, 4)),
    pngChunk('IEND', new Uint8Array(0)),
  ])
}

export function pngHeader(width: number, height: number, colorType: number): Uint8Array {
  const header = new Uint8Array(13)
  const view = new DataView(header.buffer)
  view.setUint32(0, width)
  view.setUint32(4, height)
  header[8] = 8 // bits
  header[9] = colorType
  return header
}

/** The rows of a picture in PNG's form: each after the number of its filter, 0 for none. */
export function trueColorRows(
  pixels: Uint32Array,
  width: number,
  [top, bottom]: readonly [number, number],
): Uint8Array {
  const rows = new Uint8Array((bottom - top) * (width * 3 + 1))
  let at = 0
  for (let y = top; y < bottom; y++) {
    at++
    for (let position = y * width; position < (y + 1) * width; position++) {
      const pixel = pixels[position] ?? 0
      rows[at] = pixel
      rows[at + 1] = pixel >> 8
      rows[at + 2] = pixel >> 16
      at += 3
    }
  }
  return rows
}

/**
 * Level 1 for the many pictures of an animation. A single one is worth two more milliseconds: level 4 makes a picture of
 * text a third smaller, and past that little is gained.
 */
export function compress(rows: Uint8Array, level = 1): Uint8Array {
  return deflateSync(rows, { level, memLevel: 9 })
}

function pngRows(raster: Raster): { type: number; palette: Uint8Array | null; rows: Uint8Array } {
  const { width, height } = raster
  const pixels = pixelsOf(raster)
  const builder = new PaletteBuilder(PALETTE_MAX)
  const rows = new Uint8Array(height * (width + 1))
  for (let y = 0; y < height; y++) {
    if (!builder.index(pixels, [y * width, (y + 1) * width], rows, y * (width + 1) + 1))
      return { type: TRUE_COLOR, palette: null, rows: trueColorRows(pixels, width, [0, height]) }
  }
  return { type: INDEXED, palette: paletteBytes(builder.colors), rows }
}
