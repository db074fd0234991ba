/** The separators and signs of powerline prompts: U+E0A0–E0A2 and U+E0B0–E0BF, which no ordinary font has. */
import { square, type MaskCanvas } from './mask-canvas.ts'

export function isPowerline(codePoint: number): boolean {
  return (codePoint >= 0xe0b0 && codePoint <= 0xe0bf) || (codePoint >= 0xe0a0 && codePoint <= 0xe0a2)
}

/** `light` is the thickness of a light line in pixels. */
export function drawPowerline(canvas: MaskCanvas, codePoint: number, light: number): void {
  if (codePoint < 0xe0b0) drawSign(canvas, codePoint, light)
  else if (codePoint < 0xe0b4) drawTriangle(canvas, codePoint - 0xe0b0, light)
  else if (codePoint < 0xe0b8) drawHalfCircle(canvas, codePoint - 0xe0b4, light)
  else drawSlant(canvas, codePoint - 0xe0b8, light)
}

/** Solid, then as a line; pointing right, then left: the order of all four. */
function drawTriangle(canvas: MaskCanvas, kind: number, light: number): void {
  const width = canvas.width * 8
  const height = canvas.height * 8
  const isLine = (kind & 1) === 1
  canvas.shape((x8, y8) => {
    const x = kind >= 2 ? width - x8 : x8
    const fromMiddle = Math.abs(2 * y8 - height)
    // The edge runs from the corner to the middle of the other side: x / w + |2y − h| / h = 1.
    const edge = width * (height - fromMiddle)
    const point = x * height
    if (!isLine) return point <= edge
    const slack = light * 4 * Math.floor(Math.sqrt(height * height + 4 * width * width))
    return Math.abs(point - edge) <= slack
  })
}

function drawHalfCircle(canvas: MaskCanvas, kind: number, light: number): void {
  const width = canvas.width * 8
  const half = canvas.height * 4
  const isLine = (kind & 1) === 1
  const isInside = (x: number, y: number, a: number, b: number) =>
    x * x * b * b + y * y * a * a <= a * a * b * b
  canvas.shape((x8, y8) => {
    const x = kind >= 2 ? width - x8 : x8
    const y = y8 - half
    if (!isInside(x, y, width, half)) return false
    return !isLine || !isInside(x, y, width - light * 8, half - light * 8)
  })
}

/** Lower left, a falling line, lower right, a rising line, upper left, rising, upper right, falling. */
function drawSlant(canvas: MaskCanvas, kind: number, light: number): void {
  const width = canvas.width * 8
  const height = canvas.height * 8
  const limit = square(light * 4) * (width * width + height * height)
  const fromFalling = (x: number, y: number) => x * height - y * width
  const fromRising = (x: number, y: number) => (width - x) * height - y * width
  canvas.shape((x8, y8) => {
    const falling = fromFalling(x8, y8)
    const rising = fromRising(x8, y8)
    switch (kind) {
      case 0:
        return falling <= 0
      case 2:
        return rising <= 0
      case 4:
        return rising >= 0
      case 6:
        return falling >= 0
      default:
        return square(kind === 1 || kind === 7 ? falling : rising) <= limit
    }
  })
}

/** A branch, the letters LN of a line number, and a lock, out of rectangles. */
function drawSign(canvas: MaskCanvas, codePoint: number, light: number): void {
  const shapes = SIGNS[codePoint - 0xe0a0] ?? []
  for (const [left = 0, top = 0, right = 0, bottom = 0] of shapes)
    canvas.rect(left * light, top * light, right * light, bottom * light)
}

/** In the cell of scale 1: left, top, right, bottom. */
const SIGNS = [
  [
    [1, 3, 4, 6],
    [2, 6, 3, 15],
    [5, 5, 8, 8],
    [6, 8, 7, 10],
    [3, 10, 7, 11],
    [1, 13, 4, 16],
  ],
  [
    [1, 2, 2, 9],
    [1, 8, 5, 9],
    [4, 10, 5, 17],
    [7, 10, 8, 17],
    [5, 11, 6, 13],
    [6, 13, 7, 16],
  ],
  [
    [1, 8, 8, 15],
    [2, 4, 3, 8],
    [6, 4, 7, 8],
    [3, 3, 6, 4],
  ],
]
