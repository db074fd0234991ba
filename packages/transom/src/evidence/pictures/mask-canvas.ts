/** How many steps of opacity a mask has above none: four bits, which a picture of text shows no seams with. */
export const ALPHA_MAX = 15

/** One or two cells that are painted by code: opacities 0 to ALPHA_MAX, a byte a pixel, row by row. */
export class MaskCanvas {
  readonly width: number
  readonly height: number
  readonly alpha: Uint8Array

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.alpha = new Uint8Array(width * height)
  }

  /** Fills [left, right) × [top, bottom). */
  rect(left: number, top: number, right: number, bottom: number, alpha = ALPHA_MAX): void {
    for (let y = Math.max(0, top); y < Math.min(this.height, bottom); y++) {
      this.alpha.fill(alpha, y * this.width + Math.max(0, left), y * this.width + Math.min(this.width, right))
    }
  }

  /**
   * Fills where `isInside` says so, smoothed by 16 samples a pixel. It is asked for points in eighths of a pixel, so
   * that everything is integers and every machine draws the same.
   */
  shape(isInside: (x8: number, y8: number) => boolean): void {
    for (let y = 0; y < this.height; y++) {
      for (let x = 0; x < this.width; x++) {
        let hits = 0
        for (let sample = 0; sample < 16; sample++) {
          if (isInside(x * 8 + 1 + (sample & 3) * 2, y * 8 + 1 + (sample >> 2) * 2)) hits++
        }
        const alpha = Math.min(ALPHA_MAX, hits)
        const at = y * this.width + x
        if (alpha > (this.alpha[at] ?? 0)) this.alpha[at] = alpha
      }
    }
  }
}

export function square(value: number): number {
  return value * value
}
