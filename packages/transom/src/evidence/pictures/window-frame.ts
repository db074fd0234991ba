import { cellLook, mixRgb, pixelOf } from './cell-look.ts'
import { DEFAULT_STYLE, RGB_COLOR } from '@transom/grid'
import { FACE_BOLD, type CellSize } from './glyph.ts'
import type { GlyphSet } from './glyph-set.ts'
import { MaskCanvas, square } from './mask-canvas.ts'
import { fillRect, type PixelRaster } from './raster.ts'
import { paintGlyph } from './paint-glyph.ts'
import type { Theme } from './theme.ts'

/** The space around the cells, in pixels. */
export interface Insets {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
  /** How high the title's bar is; 0 without a window. */
  readonly bar: number
}

export function windowInsets(padding: number, hasWindow: boolean, cell: CellSize): Insets {
  const line = hasWindow ? cell.line : 0
  const bar = hasWindow ? cell.height + cell.line * 10 : 0
  return {
    left: padding + line,
    right: padding + line,
    top: padding + line + bar,
    bottom: padding + line,
    bar,
  }
}

/** The three buttons that people know a window by. */
const BUTTONS = [0xec6a5e, 0xf4bf4f, 0x61c554]

/** Draws a border, a bar with three buttons and the title in its middle, all in the theme's own colours. */
export function drawWindow(
  raster: PixelRaster,
  title: string,
  { glyphs, theme, insets }: { glyphs: GlyphSet; theme: Theme; insets: Insets },
): void {
  const { width, height } = raster
  const { line } = glyphs.cell
  const barColor = mixRgb(theme.background, theme.foreground, 2)
  const border = pixelOf(mixRgb(theme.background, theme.foreground, 4))
  fillRect(raster, [0, 0, width, insets.bar], pixelOf(barColor))
  for (const [index, color] of BUTTONS.entries()) {
    const at = { left: line * (10 + index * 18), top: (insets.bar - line * 12) >> 1, size: line * 12 }
    drawButton(raster, at, { color, barColor })
  }
  drawTitle(raster, title, { glyphs, theme, barColor, bar: insets.bar })
  fillRect(raster, [0, insets.bar, width, insets.bar + line], border)
  fillRect(raster, [0, 0, width, line], border)
  fillRect(raster, [0, height - line, width, height], border)
  fillRect(raster, [0, 0, line, height], border)
  fillRect(raster, [width - line, 0, width, height], border)
}

function drawButton(
  raster: PixelRaster,
  { left, top, size }: { left: number; top: number; size: number },
  { color, barColor }: { color: number; barColor: number },
): void {
  const circle = new MaskCanvas(size, size)
  const radius = size * 4
  circle.shape((x8, y8) => square(x8 - radius) + square(y8 - radius) <= square(radius))
  const blend = cellLook(
    { ...DEFAULT_STYLE, fg: RGB_COLOR | color, bg: RGB_COLOR | barColor },
    NO_THEME,
  ).blend
  paintGlyph(
    raster,
    { kind: 'mask', width: size, alpha: circle.alpha },
    { look: { blend }, left, top, widthMax: size },
  )
}

/** Both colours are given where it is used. */
const NO_THEME: Theme = {
  name: '',
  foreground: 0,
  background: 0,
  cursor: 0,
  cursorText: 0,
  palette: [],
  keepsContrast: false,
}

function drawTitle(
  raster: PixelRaster,
  title: string,
  { glyphs, theme, barColor, bar }: { glyphs: GlyphSet; theme: Theme; barColor: number; bar: number },
): void {
  const { cell } = glyphs
  const space = Math.floor((raster.width - cell.line * 140) / cell.width) // clear of the buttons on either side
  const all = Array.from(title.replaceAll(/\p{Cc}/gu, ''))
  const shown = all.length > space ? [...all.slice(0, Math.max(0, space - 1)), '…'] : all
  if (space < 3) return
  const style = {
    ...DEFAULT_STYLE,
    fg: RGB_COLOR | mixRgb(barColor, theme.foreground, 12),
    bg: RGB_COLOR | barColor,
  }
  const look = cellLook(style, theme)
  let left = (raster.width - shown.length * cell.width) >> 1
  for (const character of shown) {
    const glyph = glyphs.find(character, FACE_BOLD, 1)
    const place = { look, left, top: (bar - cell.height) >> 1, widthMax: cell.width }
    if (glyph !== null) paintGlyph(raster, glyph, place)
    left += cell.width
  }
}
