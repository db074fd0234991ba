import fc from 'fast-check'
import { GifReader } from 'omggif'
import { expect, test } from 'vitest'
import { frameOf, sha256, shippedGlyphs } from '../../../../../test/support/pictures.ts'
import { ApngEncoder } from './apng-encoder.ts'
import { GifEncoder } from './gif-encoder.ts'
import { PNG_SIGNATURE, concatBytes, pngChunk } from './png-chunks.ts'
import { decodePng } from './png-reader.ts'
import { pngHeader } from './png-writer.ts'
import { rasterize } from './rasterizer.ts'
import type { Raster } from './raster.ts'

const SIZE = { width: 13, height: 9 }
/** Pictures that differ in some rows, or in none. */
const pictures = fc.array(
  fc.tuple(fc.nat(SIZE.height - 1), fc.nat(SIZE.height - 1), fc.integer({ min: 0, max: 0xffffff })),
  { minLength: 1, maxLength: 12 },
)

function drawn(changes: readonly (readonly [number, number, number])[]): Raster[] {
  const pixels = new Uint32Array(SIZE.width * SIZE.height).fill(0xff000000)
  return changes.map(([a, b, color]) => {
    pixels.fill((0xff000000 | color) >>> 0, Math.min(a, b) * SIZE.width, (Math.max(a, b) + 1) * SIZE.width)
    return { ...SIZE, rgba: new Uint8Array(pixels.slice().buffer) }
  })
}

test.each([false, true])(
  'an animated PNG shows every picture for its time (in true colour: %s)',
  (trueColor) => {
    fc.assert(
      fc.property(pictures, (changes) => {
        const rasters = drawn(changes)
        const encoder = new ApngEncoder({ ...SIZE, trueColor })
        const parts = rasters.map((raster, index) => encoder.add(raster, 40 + index))
        const { bytes, patch } = encoder.end()
        const file = concatBytes([...parts, bytes])
        file.set(patch.bytes, patch.offset)
        const shown = apngFrames(file)
        expect(encoder.isExact).toBe(true)
        expect(shown.map(({ delayMs }) => delayMs)).toEqual(rasters.map((_, index) => 40 + index))
        expect(shown.map(({ rgba }) => sha256(rgba))).toEqual(rasters.map(({ rgba }) => sha256(rgba)))
      }),
      { numRuns: 40 },
    )
  },
)

test('an animated GIF shows every picture for its time', () => {
  fc.assert(
    fc.property(pictures, (changes) => {
      const rasters = drawn(changes)
      const encoder = new GifEncoder(SIZE)
      const file = concatBytes([...rasters.map((raster) => encoder.add(raster, 50)), encoder.end().bytes])
      const reader = new GifReader(Buffer.from(file))
      expect([reader.width, reader.height, reader.numFrames(), reader.loopCount()]).toEqual([
        13,
        9,
        rasters.length,
        0,
      ])
      const canvas = new Uint8Array(SIZE.width * SIZE.height * 4)
      for (const [index, raster] of rasters.entries()) {
        reader.decodeAndBlitFrameRGBA(index, canvas)
        expect(reader.frameInfo(index).delay).toBe(5)
        expect(sha256(canvas)).toBe(sha256(raster.rgba))
      }
    }),
    { numRuns: 40 },
  )
})

test('screens of text come out of a GIF as they went in, whatever the length of their codes', () => {
  const glyphs = shippedGlyphs(1)
  const noise = (seed: number) =>
    Array.from(
      { length: 60 * 12 },
      (_, at) => `\x1b[3${(at * seed) % 8}m${String.fromCharCode(33 + ((at * seed * 7) % 94))}`,
    ).join('')
  const rasters = [1, 3, 5].map((seed) => rasterize(frameOf(noise(seed), 60, 12), glyphs))
  const [first] = rasters
  if (first === undefined) throw new Error('nothing drawn')
  const encoder = new GifEncoder(first)
  const file = concatBytes([...rasters.map((raster) => encoder.add(raster, 100)), encoder.end().bytes])
  const reader = new GifReader(Buffer.from(file))
  const canvas = new Uint8Array(first.rgba.length)
  for (const [index, raster] of rasters.entries()) {
    reader.decodeAndBlitFrameRGBA(index, canvas)
    expect(sha256(canvas)).toBe(sha256(raster.rgba))
  }
})

test('a GIF of more than 256 colours rounds them, and stays near', () => {
  const rgba = Uint8Array.from({ length: 64 * 64 * 4 }, (_, at) =>
    at % 4 === 3 ? 255 : (at * (at % 4 === 0 ? 1 : 3)) % 256,
  )
  const encoder = new GifEncoder({ width: 64, height: 64 })
  const file = concatBytes([encoder.add({ width: 64, height: 64, rgba }, 10), encoder.end().bytes])
  const canvas = new Uint8Array(rgba.length)
  new GifReader(Buffer.from(file)).decodeAndBlitFrameRGBA(0, canvas)
  const off = canvas.reduce((worst, value, at) => Math.max(worst, Math.abs(value - (rgba[at] ?? 0))), 0)
  expect(off).toBeLessThan(64)
})

test('an animated PNG of more than 256 colours shows the nearest, and says so', () => {
  const rgba = Uint8Array.from({ length: 40 * 40 * 4 }, (_, at) =>
    at % 4 === 3 ? 255 : ((at >> 2) % 400) >> (at % 4),
  )
  const encoder = new ApngEncoder({ width: 40, height: 40 })
  encoder.add({ width: 40, height: 40, rgba }, 10)
  expect(encoder.isExact).toBe(false)
  const exact = new ApngEncoder({ width: 40, height: 40, trueColor: true })
  exact.add({ width: 40, height: 40, rgba }, 10)
  expect(exact.isExact).toBe(true)
})

test('a picture that is shown for longer than a format can say is said again', () => {
  const [raster] = drawn([[0, 3, 0x123456]])
  if (raster === undefined) throw new Error('nothing drawn')
  const png = new ApngEncoder(SIZE)
  const parts = [png.add(raster, 200_000)]
  const { bytes, patch } = png.end()
  const file = concatBytes([...parts, bytes])
  file.set(patch.bytes, patch.offset)
  expect(apngFrames(file).reduce((sum, { delayMs }) => sum + delayMs, 0)).toBe(200_000)
  const gif = new GifEncoder(SIZE)
  const reader = new GifReader(Buffer.from(concatBytes([gif.add(raster, 2_000_000), gif.end().bytes])))
  const delays = Array.from({ length: reader.numFrames() }, (_, index) => reader.frameInfo(index).delay)
  expect(delays.reduce((sum, delay) => sum + delay, 0)).toBe(200_000)
})

test('pictures of another size than the animation are refused', () => {
  const other = { width: 1, height: 1, rgba: new Uint8Array(4) }
  expect(() => new ApngEncoder(SIZE).add(other, 1)).toThrow('1 × 1 pixels in an animation of 13 × 9')
  expect(() => new GifEncoder(SIZE).add(other, 1)).toThrow('1 × 1 pixels in an animation of 13 × 9')
})

/** What a viewer shows: each frame's rows put over the picture before it. */
function apngFrames(file: Uint8Array): { delayMs: number; rgba: Uint8Array }[] {
  const view = new DataView(file.buffer, file.byteOffset)
  const { width, height } = SIZE
  const canvas = new Uint8Array(width * height * 4)
  const frames: { delayMs: number; rgba: Uint8Array }[] = []
  let control: { top: number; rows: number; delayMs: number } | null = null
  let promised = 0
  let palette = new Uint8Array(0)
  const colorType = file[25] ?? 0
  let sequence = 0
  for (let at = PNG_SIGNATURE.length; at < file.length;) {
    const length = view.getUint32(at)
    const kind = Buffer.from(file.subarray(at + 4, at + 8)).toString('latin1')
    const data = at + 8
    if (kind === 'acTL') promised = view.getUint32(data)
    if (kind === 'PLTE') palette = file.slice(data, data + length)
    if (kind === 'fcTL') {
      expect(view.getUint32(data)).toBe(sequence++)
      const delayMs = (view.getUint16(data + 20) * 1000) / view.getUint16(data + 22)
      control = { rows: view.getUint32(data + 8), top: view.getUint32(data + 16), delayMs }
    }
    if (kind === 'fdAT') expect(view.getUint32(data)).toBe(sequence++)
    if ((kind === 'IDAT' || kind === 'fdAT') && control !== null) {
      const pixels = file.slice(data + (kind === 'fdAT' ? 4 : 0), data + length)
      const png = concatBytes([
        PNG_SIGNATURE,
        pngChunk('IHDR', pngHeader(width, control.rows, colorType)),
        pngChunk('PLTE', palette),
        pngChunk('IDAT', pixels),
      ])
      canvas.set(decodePng(png, 'frame').rgba, control.top * width * 4)
      frames.push({ delayMs: control.delayMs, rgba: canvas.slice() })
    }
    at += 12 + length
  }
  expect(promised).toBe(frames.length)
  return frames
}
