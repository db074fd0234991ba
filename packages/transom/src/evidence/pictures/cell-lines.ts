import type { CellLook } from './cell-look.ts'
import type { CellSize } from './glyph.ts'
import { fillRect, type PixelRaster } from './raster.ts'

/** The lines of a cell: under, through and over its glyph, and the mark of blinking. */
export function drawCellLines(
  raster: PixelRaster,
  look: CellLook,
  place: { left: number; top: number; width: number; cell: CellSize },
): void {
  const { left, top, width, cell } = place
  const { line } = cell
  const right = left + width
  const across = (y: number, pixel: number) => fillRect(raster, [left, y, right, y + line], pixel)
  if (look.underline !== 'none') drawUnderline(raster, look, place)
  if (look.strikethrough) across(top + cell.baseline - line * 5, look.foreground)
  if (look.overline) across(top, look.foreground)
  // A picture stands still: what blinks has a row of dots above it.
  if (look.blink) {
    const dot = look.blend[10] ?? look.foreground
    for (let x = left + line; x + line <= right; x += line * 3)
      fillRect(raster, [x, top, x + line, top + line], dot)
  }
}

function drawUnderline(
  raster: PixelRaster,
  look: CellLook,
  { left, top, width, cell }: { left: number; top: number; width: number; cell: CellSize },
): void {
  const { line } = cell
  const pixel = look.underlineColor
  const y = top + cell.baseline + line * 2
  const piece = (x: number, row: number, length: number) =>
    fillRect(raster, [x, row, Math.min(x + length, left + width), row + line], pixel)
  switch (look.underline) {
    case 'double':
      piece(left, y - line, width)
      piece(left, y + line, width)
      break
    case 'curly':
      // A wave as long as a cell, so that neighbours meet: 0 1 1 2 2 2 1 1 0 rows down, in parts of a ninth.
      for (let part = 0; part * line < width; part++)
        piece(left + part * line, y - line + line * (WAVE[part % WAVE.length] ?? 0), line)
      break
    case 'dotted':
      for (let x = left; x < left + width; x += line * 2) piece(x, y, line)
      break
    case 'dashed':
      for (let x = left; x < left + width; x += cell.width) {
        piece(x, y, line * 3)
        piece(x + line * 5, y, line * 3)
      }
      break
    case 'single':
    case 'none':
      piece(left, y, width)
      break
    default:
      look.underline satisfies never
  }
}

const WAVE = [1, 0, 0, 0, 1, 2, 2, 2, 1]
