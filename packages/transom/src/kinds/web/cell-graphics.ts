import type { RgbPixels } from '../../lib/png-reader.ts'
import { CELL_HEIGHT_PX, CELL_WIDTH_PX } from './web-frame.ts'

/** The quadrant that each bit lights: upper left, upper right, lower left. The lower right is the background's. */
export const QUADRANT_CHARACTERS = [' ', '▘', '▝', '▀', '▖', '▌', '▞', '▛'] as const

/** What one colour must gain over two before a cell is split: differences below are noise, and worse to look at. */
const SPLIT_GAIN_MIN = 60

/** What is painted behind the text, as the best of two colours in each cell. */
export interface CellGraphics {
  /** Index into QUADRANT_CHARACTERS; 0 for one colour. */
  readonly shapes: Uint8Array
  readonly fg: Uint32Array
  readonly bg: Uint32Array
}

export function drawGraphics({ width, rgb }: RgbPixels, cols: number, rows: number): CellGraphics {
  const count = cols * rows
  const graphics = { shapes: new Uint8Array(count), fg: new Uint32Array(count), bg: new Uint32Array(count) }
  const means = new Float64Array(12)
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < cols; col++) {
      const index = row * cols + col
      const at = row * CELL_HEIGHT_PX * width + col * CELL_WIDTH_PX
      const first = rgb[at] ?? 0
      if (isFlat(rgb, at, width, first)) {
        graphics.fg[index] = graphics.bg[index] = first
      } else {
        quadrantMeans(rgb, at, width, means)
        splitCell(means, graphics, index)
      }
    }
  }
  return graphics
}

function isFlat(rgb: Uint32Array, at: number, width: number, color: number): boolean {
  for (let y = 0; y < CELL_HEIGHT_PX; y++) {
    const start = at + y * width
    for (let x = 0; x < CELL_WIDTH_PX; x++) if (rgb[start + x] !== color) return false
  }
  return true
}

/** Red, green and blue of the four quadrants, one after the other. */
function quadrantMeans(rgb: Uint32Array, at: number, width: number, means: Float64Array): void {
  const halfWidth = CELL_WIDTH_PX / 2
  const halfHeight = CELL_HEIGHT_PX / 2
  const area = halfWidth * halfHeight
  for (let quadrant = 0; quadrant < 4; quadrant++) {
    const start = at + (quadrant >> 1) * halfHeight * width + (quadrant & 1) * halfWidth
    let red = 0
    let green = 0
    let blue = 0
    for (let y = 0; y < halfHeight; y++) {
      for (let x = 0; x < halfWidth; x++) {
        const pixel = rgb[start + y * width + x] ?? 0
        red += pixel >> 16
        green += (pixel >> 8) & 255
        blue += pixel & 255
      }
    }
    means[quadrant * 3] = red / area
    means[quadrant * 3 + 1] = green / area
    means[quadrant * 3 + 2] = blue / area
  }
}

/** Tries each way of lighting quadrants, and takes the one whose two colours are nearest to what is there. */
function splitCell(means: Float64Array, graphics: CellGraphics, index: number): void {
  let best = Number.POSITIVE_INFINITY
  let bestShape = 0
  for (let shape = 0; shape < QUADRANT_CHARACTERS.length; shape++) {
    let error = shape === 0 ? -SPLIT_GAIN_MIN : 0
    for (let channel = 0; channel < 3; channel++) {
      const fg = meanOf(means, shape, channel)
      const bg = meanOf(means, ~shape & 15, channel)
      for (let quadrant = 0; quadrant < 4; quadrant++) {
        error += ((means[quadrant * 3 + channel] ?? 0) - ((shape >> quadrant) & 1 ? fg : bg)) ** 2
      }
    }
    if (error >= best) continue
    best = error
    bestShape = shape
  }
  graphics.shapes[index] = bestShape
  graphics.bg[index] = colorOf(means, ~bestShape & 15)
  graphics.fg[index] = colorOf(means, bestShape === 0 ? 15 : bestShape)
}

/** Of the quadrants whose bits are set, one channel; numbers alone, because this runs for every cell of a picture. */
function meanOf(means: Float64Array, quadrants: number, channel: number): number {
  let sum = 0
  let count = 0
  for (let quadrant = 0; quadrant < 4; quadrant++) {
    if (((quadrants >> quadrant) & 1) === 0) continue
    count++
    sum += means[quadrant * 3 + channel] ?? 0
  }
  return count === 0 ? 0 : sum / count
}

function colorOf(means: Float64Array, quadrants: number): number {
  const channel = (at: number) => Math.round(meanOf(means, quadrants, at))
  return (channel(0) << 16) | (channel(1) << 8) | channel(2)
}
