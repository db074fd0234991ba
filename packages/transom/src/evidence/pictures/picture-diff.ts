import { createRaster, fillRect, pixelsOf, type Raster } from './raster.ts'

export interface PictureDiff {
  /** The second picture, faded, with what differs in red; as large as the larger one. */
  readonly raster: Raster
  /** Of all pixels of that size; where only one picture reaches, every pixel counts. */
  readonly changedPixels: number
  /** The smallest rectangle around what differs; null if nothing does. */
  readonly bounds: { left: number; top: number; right: number; bottom: number } | null
}

const CHANGED = 0xff2020e8 // as 0xAABBGGRR: a strong red
const CHANGED_BEFORE = 0xff9a9aff // where the second picture has its background: a pale red
const FADE = 5 // of 8 parts towards white

/** Compares two pictures pixel by pixel. */
export function diffPictures(before: Raster, after: Raster): PictureDiff {
  const width = Math.max(before.width, after.width)
  const height = Math.max(before.height, after.height)
  const raster = createRaster(width, height)
  const [old, now] = [pixelsOf(before), pixelsOf(after)]
  const background = now[0] ?? 0
  let changedPixels = 0
  const bounds = { left: width, top: height, right: 0, bottom: 0 }
  fillRect(raster, [0, 0, width, height], 0xffffffff)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const a = x < before.width && y < before.height ? old[y * before.width + x] : undefined
      const b = x < after.width && y < after.height ? now[y * after.width + x] : undefined
      const at = y * width + x
      if (a === b) {
        raster.pixels[at] = faded(b ?? 0)
        continue
      }
      changedPixels++
      raster.pixels[at] = b === background || b === undefined ? CHANGED_BEFORE : CHANGED
      bounds.left = Math.min(bounds.left, x)
      bounds.right = Math.max(bounds.right, x + 1)
      bounds.top = Math.min(bounds.top, y)
      bounds.bottom = Math.max(bounds.bottom, y + 1)
    }
  }
  return { raster, changedPixels, bounds: changedPixels === 0 ? null : bounds }
}

function faded(pixel: number): number {
  const channel = (shift: number) => {
    const value = (pixel >> shift) & 0xff
    return (value + (((255 - value) * FADE) >> 3)) << shift
  }
  return (0xff000000 | channel(16) | channel(8) | channel(0)) >>> 0
}
