import { mixRgb, pixelOf, type CellLook } from './cell-look.ts'
import type { Glyph } from './glyph.ts'
import type { PixelRaster } from './raster.ts'

/** Puts a glyph into a picture whose background is painted already. */
export function paintGlyph(
  { pixels, width }: PixelRaster,
  glyph: Glyph,
  {
    look,
    left,
    top,
    widthMax,
  }: { look: Pick<CellLook, 'blend'>; left: number; top: number; widthMax: number },
): void {
  const shown = Math.min(glyph.width, widthMax, width - left)
  const height =
    glyph.kind === 'mask' ? glyph.alpha.length / glyph.width : glyph.rgba.length / 4 / glyph.width
  for (let y = 0; y < height; y++) {
    const to = (top + y) * width + left
    const from = y * glyph.width
    if (glyph.kind === 'mask') {
      const { alpha } = glyph
      const { blend } = look
      for (let x = 0; x < shown; x++) {
        const value = alpha[from + x] ?? 0
        if (value !== 0) pixels[to + x] = blend[value] ?? 0
      }
    } else {
      for (let x = 0; x < shown; x++) pixels[to + x] = over(glyph.rgba, (from + x) * 4, pixels[to + x] ?? 0)
    }
  }
}

/** A pixel with opacity over one without. */
function over(rgba: Uint8Array, at: number, below: number): number {
  const share = Math.floor(((rgba[at + 3] ?? 0) * 15 + 127) / 255)
  if (share === 0) return below
  const color = ((rgba[at] ?? 0) << 16) | ((rgba[at + 1] ?? 0) << 8) | (rgba[at + 2] ?? 0)
  const belowRgb = ((below & 0xff) << 16) | (below & 0xff00) | ((below >> 16) & 0xff)
  return pixelOf(mixRgb(belowRgb, color, share))
}
