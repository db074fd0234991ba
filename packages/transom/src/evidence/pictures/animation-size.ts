import type { Raster } from './raster.ts'

/** The pictures of an animation have one size; that one has another is a mistake of the code that draws them. */
export function assertRaster(raster: Raster, { width, height }: { width: number; height: number }): void {
  if (raster.width === width && raster.height === height) return
  throw new RangeError(
    `a picture of ${raster.width} × ${raster.height} pixels in an animation of ${width} × ${height}`,
  )
}
