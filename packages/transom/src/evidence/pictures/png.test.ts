import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { PNG_SIGNATURE, concatBytes, pngChunk } from '../../lib/png-chunks.ts'
import { readRgba } from '../../lib/png-reader.ts'
import { encodePng, pngHeader } from './png-writer.ts'

const raster = (width: number, height: number, rgba: Uint8Array) => ({ width, height, rgba })
const opaque = (colors: readonly number[]) =>
  Uint8Array.from(colors.flatMap((color) => [color & 255, (color >> 8) & 255, (color >> 16) & 255, 255]))

test('a picture is read again as it was written, with a palette or without', () => {
  const picture = fc
    .tuple(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 600 }))
    .chain(([width, height, colors]) =>
      fc
        .array(fc.integer({ min: 0, max: colors }), { minLength: width * height, maxLength: width * height })
        .map((pixels) => raster(width, height, opaque(pixels.map((pixel) => pixel * 7919)))),
    )
  fc.assert(
    fc.property(picture, (drawn) => {
      expect(readRgba(encodePng(drawn), 'x')).toEqual(drawn)
    }),
    { numRuns: 50 },
  )
})

describe('a PNG by another program', () => {
  test('is read with every filter', () => {
    // Each row repeats the one above it, and each pixel the one to its left: all filters predict the same.
    const [width, height] = [4, 5]
    const gray = 100
    const rows = [
      [0, gray, gray, gray, gray],
      [1, gray, 0, 0, 0],
      [2, 0, 0, 0, 0],
      [3, gray - (gray >> 1), 0, 0, 0],
      [4, 0, 0, 0, 0],
    ]
    const png = file(pngHeader(width, height, 0), deflateSync(Uint8Array.from(rows.flat())))
    expect([...readRgba(png, 'x').rgba]).toEqual(
      Array.from({ length: width * height }, () => [gray, gray, gray, 255]).flat(),
    )
  })

  test('may have an opacity', () => {
    const png = file(pngHeader(1, 1, 6), deflateSync(Uint8Array.of(0, 1, 2, 3, 4)))
    expect([...readRgba(png, 'x').rgba]).toEqual([1, 2, 3, 4])
  })

  test.each([
    ['no PNG', Buffer.from('GIF89a')],
    ['no header', concatBytes([PNG_SIGNATURE])],
    ['damaged', file(pngHeader(2, 2, 2), Uint8Array.of(1, 2, 3))],
    ['cut off', file(pngHeader(9, 9, 2), deflateSync(Uint8Array.of(0, 1, 2, 3)))],
    ['100000 × 100000 pixels', file(pngHeader(100_000, 100_000, 2), new Uint8Array(0))],
    ['unknown filter 9', file(pngHeader(1, 1, 0), deflateSync(Uint8Array.of(9, 1)))],
    ['only 8 bits', file(Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 1, 16, 2, 0, 0, 0), new Uint8Array(0))],
  ])('is refused with a reason: %s', (why, bytes) => {
    expect(() => readRgba(bytes, 'it.png')).toThrow(
      expect.objectContaining({
        code: 'picture_unreadable',
        message: expect.stringMatching(`it.png.*${why}`) as string,
      }),
    )
  })
})

function file(header: Uint8Array, data: Uint8Array): Uint8Array {
  return concatBytes([
    PNG_SIGNATURE,
    pngChunk('IHDR', header),
    pngChunk('IDAT', data),
    pngChunk('IEND', new Uint8Array(0)),
  ])
}
