import { deflateSync } from 'node:zlib'
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { PNG_SIGNATURE, concatBytes, pngChunk } from './png-chunks.ts'
import { readRgb } from './png-reader.ts'

interface Picture {
  readonly width: number
  readonly height: number
  readonly channels: 3 | 4
  /** Row by row. */
  readonly bytes: Uint8Array
}

/** A PNG whose every row is filtered as `filterOf` says: 0 as it is, 1 to the left, 2 to the row above. */
function writePng(
  { width, height, channels, bytes }: Picture,
  filterOf: (row: number) => 0 | 1 | 2,
): Uint8Array {
  const stride = width * channels
  const rows = Array.from({ length: height }, (_, row) => {
    const filter = filterOf(row)
    const before = (at: number) =>
      filter === 1
        ? at % stride < channels
          ? 0
          : (bytes[at - channels] ?? 0)
        : filter === 2 && row > 0
          ? (bytes[at - stride] ?? 0)
          : 0
    const filtered = bytes
      .subarray(row * stride, (row + 1) * stride)
      .map((byte, at) => byte - before(row * stride + at))
    return Buffer.from([filter, ...filtered])
  })
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, channels === 3 ? 2 : 6, 0, 0, 0], 8)
  const data = deflateSync(Buffer.concat(rows))
  return concatBytes([PNG_SIGNATURE, pngChunk('IHDR', header), pngChunk('IDAT', data)])
}

const pictures = fc
  .record({
    width: fc.integer({ min: 1, max: 9 }),
    height: fc.integer({ min: 1, max: 9 }),
    channels: fc.constantFrom<3 | 4>(3, 4),
  })
  .chain((size) => {
    const length = size.width * size.height * size.channels
    return fc.record({
      picture: fc
        .uint8Array({ minLength: length, maxLength: length })
        .map((bytes): Picture => ({ ...size, bytes })),
      filters: fc.array(fc.constantFrom<0 | 1 | 2>(0, 1, 2), {
        minLength: size.height,
        maxLength: size.height,
      }),
    })
  })

test('a picture is read as it was, however its rows are filtered', () => {
  fc.assert(
    fc.property(pictures, ({ picture, filters }) => {
      const { width, height, channels, bytes } = picture
      const rgb = Array.from({ length: width * height }, (_, pixel) =>
        Buffer.from(bytes).readUIntBE(pixel * channels, 3),
      )
      const asChromiumWrites = readRgb(
        writePng(picture, () => 2),
        'x',
      )
      const mixed = readRgb(
        writePng(picture, (row) => filters[row] ?? 0),
        'x',
      )
      for (const read of [asChromiumWrites, mixed])
        expect({ ...read, rgb: [...read.rgb] }).toEqual({ width, height, rgb })
    }),
  )
})
