import { DEFAULT_COLOR, RGB_COLOR, paletteColor, type Style, type Underline } from '@transom/grid'
import { FACE_BOLD, FACE_ITALIC } from './glyph.ts'
import { ALPHA_MAX } from './mask-canvas.ts'
import type { Theme } from './theme.ts'

/** A style in the colours of a theme, as pixels: 0xAABBGGRR, which lies in memory as red, green, blue, opacity. */
export interface CellLook {
  readonly face: number
  readonly foreground: number
  readonly background: number
  /** The colours between background and foreground, by opacity 0–15. */
  readonly blend: Uint32Array
  readonly underline: Underline
  readonly underlineColor: number
  readonly strikethrough: boolean
  readonly overline: boolean
  readonly blink: boolean
  /** Whether anything is drawn beside the glyph. */
  readonly hasLines: boolean
}

export function cellLook(style: Style, theme: Theme): CellLook {
  const { fg, bg } = cellColors(style, theme)
  // A link is underlined, as in a browser, unless the program has underlined it already.
  const underline = style.underline === 'none' && style.link !== '' ? 'single' : style.underline
  const { blink, strikethrough, overline, underlineColor } = style
  return {
    face: (style.bold ? FACE_BOLD : 0) | (style.italic ? FACE_ITALIC : 0),
    foreground: pixelOf(fg),
    background: pixelOf(bg),
    blend: blendOf(fg, bg),
    underline: style.invisible ? 'none' : underline,
    underlineColor: pixelOf(underlineColor === DEFAULT_COLOR ? fg : rgbOf(underlineColor, fg, theme)),
    strikethrough: strikethrough && !style.invisible,
    overline,
    blink,
    hasLines: underline !== 'none' || strikethrough || overline || blink,
  }
}

/** The colours of a cell as 0xRRGGBB, with reverse, dim and invisible worked in. */
export function cellColors(style: Style, theme: Theme): { fg: number; bg: number } {
  let fg = textColor(style, theme)
  let bg = rgbOf(style.bg, theme.background, theme)
  if (style.inverse) [fg, bg] = [bg, fg]
  if (style.dim) fg = mixRgb(bg, fg, 9)
  return { fg: style.invisible ? bg : fg, bg }
}

/** A colour on the theme's own background; one that the program gave a background to is the program's choice. */
function textColor({ fg, bg }: Style, theme: Theme): number {
  const color = rgbOf(fg, theme.foreground, theme)
  if (!theme.keepsContrast || bg !== DEFAULT_COLOR || color === theme.background) return color
  const shares = Array.from({ length: ALPHA_MAX + 1 }, (_, share) => mixRgb(color, theme.foreground, share))
  return shares.find((mixed) => isReadable(mixed, theme.background)) ?? theme.foreground
}

const CONTRAST_MIN = 4.5 // WCAG 2.2, success criterion 1.4.3
const WHITE_LIGHT = 10_000 * 255 * 255
const FLARE = WHITE_LIGHT / 20 // the 0.05 that WCAG adds to both

/** Whether two colours contrast enough, by their relative luminance with a gamma of 2, which needs no fractions. */
function isReadable(color: number, background: number): boolean {
  const [dark = 0, light = 0] = [lightOf(color), lightOf(background)].toSorted((a, b) => a - b)
  return light + FLARE >= CONTRAST_MIN * (dark + FLARE)
}

function lightOf(rgb: number): number {
  const square = (shift: number) => ((rgb >> shift) & 0xff) ** 2
  return 2126 * square(16) + 7152 * square(8) + 722 * square(0)
}

/** The look of the cell that a block cursor stands on. */
export function cursorLook(look: CellLook, theme: Theme): CellLook {
  return {
    ...look,
    foreground: pixelOf(theme.cursorText),
    background: pixelOf(theme.cursor),
    blend: blendOf(theme.cursorText, theme.cursor),
    underlineColor: pixelOf(theme.cursorText),
  }
}

export function rgbOf(color: number, fallback: number, theme: Theme): number {
  if (color === DEFAULT_COLOR) return fallback
  return (color & RGB_COLOR) === 0 ? paletteColor(color, theme.palette) : color & 0xffffff
}

export function pixelOf(rgb: number): number {
  return (0xff000000 | ((rgb & 0xff) << 16) | (rgb & 0xff00) | (rgb >> 16)) >>> 0
}

/** From `from` (share 0) to `to` (share ALPHA_MAX), rounded alike on every machine. */
export function mixRgb(from: number, to: number, share: number): number {
  const channel = (shift: number) => {
    const [a, b] = [(from >> shift) & 0xff, (to >> shift) & 0xff]
    return Math.floor((a * (ALPHA_MAX - share) + b * share + (ALPHA_MAX >> 1)) / ALPHA_MAX)
  }
  return (channel(16) << 16) | (channel(8) << 8) | channel(0)
}

function blendOf(fg: number, bg: number): Uint32Array {
  return Uint32Array.from({ length: ALPHA_MAX + 1 }, (_, alpha) => pixelOf(mixRgb(bg, fg, alpha)))
}
