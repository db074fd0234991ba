/** Characters that divide the cell: block elements, quadrants, sextants, eighths, braille. */
import { ALPHA_MAX, type MaskCanvas } from './mask-canvas.ts'

/** ░ ▒ ▓ as even tints: a dither pattern would show seams between cells and shimmer when scaled. */
const SHADES = [4, 8, 11]
/** ▖▗▘▙▚▛▜▝▞▟ as bits: 1 upper left, 2 upper right, 4 lower left, 8 lower right. */
const QUADRANTS = [4, 8, 1, 13, 9, 7, 11, 2, 6, 14]

/** U+2580–259F. */
export function drawBlock(canvas: MaskCanvas, codePoint: number): void {
  const { width, height } = canvas
  const partX = (eighths: number) => part(width, eighths, 8)
  const partY = (eighths: number) => part(height, eighths, 8)
  if (codePoint === 0x2580) canvas.rect(0, 0, width, partY(4))
  else if (codePoint <= 0x2588) canvas.rect(0, partY(8 - (codePoint - 0x2580)), width, height)
  else if (codePoint <= 0x258f) canvas.rect(0, 0, partX(0x2590 - codePoint), height)
  else if (codePoint === 0x2590) canvas.rect(partX(4), 0, width, height)
  else if (codePoint <= 0x2593) canvas.rect(0, 0, width, height, SHADES[codePoint - 0x2591] ?? ALPHA_MAX)
  else if (codePoint === 0x2594) canvas.rect(0, 0, width, partY(1))
  else if (codePoint === 0x2595) canvas.rect(partX(7), 0, width, height)
  else drawMosaic(canvas, QUADRANTS[codePoint - 0x2596] ?? 0, 2)
}

/** U+2800–28FF: dots 1–3 and 7 in the left column, 4–6 and 8 in the right one. */
export function drawBraille(canvas: MaskCanvas, codePoint: number): void {
  const bits = codePoint - 0x2800
  const { width, height } = canvas
  const size = Math.max(1, Math.round((width * 2) / 9))
  const lefts = [(width >> 2) - (size >> 1), width - (width >> 2) - size + (size >> 1)]
  for (let dot = 0; dot < 8; dot++) {
    if ((bits & (1 << dot)) === 0) continue
    const row = dot < 6 ? dot % 3 : 3
    const left = lefts[dot < 3 || dot === 6 ? 0 : 1] ?? 0
    const half = row < 2 ? row : 3 - row // the lower half mirrors the upper one
    const near = Math.floor(((half * 2 + 1) * height) / 8 + 1 / 4) - (size >> 1)
    const top = row < 2 ? near : height - near - size
    canvas.rect(left, top, left + size, top + size)
  }
}

/** U+1FB00–1FB3B: 2 × 3 parts; the code points leave out the blank, the halves and the full block. */
export function drawSextant(canvas: MaskCanvas, codePoint: number): void {
  const index = codePoint - 0x1fb00 + 1
  drawMosaic(canvas, index + (index > 20 ? 1 : 0) + (index > 40 ? 1 : 0), 3)
}

/** U+1FB70–1FB8B: lines of an eighth, and blocks that stand at the upper or the right edge. */
export function drawEighths(canvas: MaskCanvas, codePoint: number): void {
  const { width, height } = canvas
  const x = (eighths: number) => part(width, eighths, 8)
  const y = (eighths: number) => part(height, eighths, 8)
  if (codePoint <= 0x1fb75) canvas.rect(x(codePoint - 0x1fb6f), 0, x(codePoint - 0x1fb6e), height)
  else if (codePoint <= 0x1fb7b) canvas.rect(0, y(codePoint - 0x1fb75), width, y(codePoint - 0x1fb74))
  else if (codePoint <= 0x1fb7f) {
    // Two edges: left or right, lower or upper.
    const isRight = codePoint >= 0x1fb7e
    const isUpper = codePoint === 0x1fb7d || codePoint === 0x1fb7e
    canvas.rect(isRight ? x(7) : 0, 0, isRight ? width : x(1), height)
    canvas.rect(0, isUpper ? 0 : y(7), width, isUpper ? y(1) : height)
  } else if (codePoint === 0x1fb80 || codePoint === 0x1fb81) {
    const rows = codePoint === 0x1fb80 ? [0, 7] : [0, 2, 4, 7]
    for (const row of rows) canvas.rect(0, y(row), width, y(row + 1))
  } else if (codePoint <= 0x1fb86) {
    canvas.rect(0, 0, width, y([2, 3, 5, 6, 7][codePoint - 0x1fb82] ?? 0))
  } else {
    canvas.rect(x(8 - ([2, 3, 5, 6, 7][codePoint - 0x1fb87] ?? 0)), 0, width, height)
  }
}

/** Parts of a cell, two to a row, from the upper left on; each starts where its neighbour ends. */
function drawMosaic(canvas: MaskCanvas, bits: number, rowCount: number): void {
  const { width, height } = canvas
  const middle = part(width, 1, 2)
  for (let index = 0; index < rowCount * 2; index++) {
    if ((bits & (1 << index)) === 0) continue
    const row = index >> 1
    const top = part(height, row, rowCount)
    const bottom = part(height, row + 1, rowCount)
    if (index & 1) canvas.rect(middle, top, width, bottom)
    else canvas.rect(0, top, middle, bottom)
  }
}

function part(size: number, count: number, of: number): number {
  return Math.floor((size * count * 2 + of) / (of * 2)) // rounded
}
