import { OpError, next } from '@transom/protocol/errors'

/** A picture in memory. */
export interface Raster {
  readonly width: number
  readonly height: number
  /** Red, green, blue and opacity of each pixel, row by row. */
  readonly rgba: Uint8Array
}

/** A raster with its pixels as whole numbers too (0xAABBGGRR; every platform of ours is little-endian). */
export interface PixelRaster extends Raster {
  readonly pixels: Uint32Array
}

/** 268 MB. A screen of 640 × 160 cells, as small as a person can read on a 4K monitor, fits at scale 2. */
const PIXELS_MAX = 1 << 26

/** Throws `usage` for a picture that is too large to draw. */
export function createRaster(width: number, height: number): PixelRaster {
  if (width * height > PIXELS_MAX) throw tooLarge(width, height)
  const pixels = new Uint32Array(width * height)
  return { width, height, pixels, rgba: new Uint8Array(pixels.buffer) }
}

/** The pixels of any raster; a copy only where its bytes do not lie at a multiple of four. */
export function pixelsOf({ rgba }: Raster): Uint32Array {
  const { buffer, byteOffset, byteLength } = rgba
  if (byteOffset % 4 === 0) return new Uint32Array(buffer, byteOffset, byteLength >> 2)
  return new Uint32Array(rgba.slice().buffer)
}

/** Fills [left, right) × [top, bottom) as far as it lies inside. */
export function fillRect(
  { pixels, width, height }: PixelRaster,
  [left, top, right, bottom]: readonly [number, number, number, number],
  pixel: number,
): void {
  const from = Math.max(0, left)
  const to = Math.min(width, right)
  if (from >= to) return
  for (let y = Math.max(0, top); y < Math.min(height, bottom); y++)
    pixels.fill(pixel, y * width + from, y * width + to)
}

function tooLarge(width: number, height: number): OpError {
  const message = `a picture of ${width} × ${height} pixels is too large to draw`
  const steps = next(
    { set: { scale: 1 }, does: 'draw it smaller' },
    { set: { crop_rows: null, crop_cols: null }, does: 'draw a part of it' },
    { set: { format: 'svg' }, does: 'draw it without pixels' },
  )
  return new OpError('usage', message, { width, height, pixels_max: PIXELS_MAX, ...steps })
}
