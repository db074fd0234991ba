import { DEFAULT_COLOR, RGB_COLOR, paletteColor } from '@transom/grid'

/** How many colours a terminal shows: none, the 16 of its theme, xterm's 256, or any. */
export type ColorDepth = 'none' | '16' | '256' | 'true'

/** The colours that a terminal can show, according to its environment (no-color.org, COLORTERM, TERM). */
export function colorDepth(env: Readonly<Record<string, string | undefined>>): ColorDepth {
  const term = env['TERM'] ?? ''
  if ((env['NO_COLOR'] ?? '') !== '' || term === 'dumb') return 'none'
  if (/truecolor|24bit/.test(env['COLORTERM'] ?? '') || /direct|kitty|ghostty/.test(term)) return 'true'
  return /^(?:linux|ansi|vt\d+|xterm-16color|cygwin)$/.test(term) ? '16' : '256'
}

/** The colour of a Style, as near as a terminal of this depth comes to it. */
export function colorIn(depth: ColorDepth, color: number): number {
  if (color === DEFAULT_COLOR || depth === 'true') return color
  if (depth === 'none') return DEFAULT_COLOR
  const isRgb = (color & RGB_COLOR) !== 0
  if (depth === '256') return isRgb ? nearest256(color & 0xff_ffff) : color
  if (!isRgb && color < 16) return color
  return nearest16(isRgb ? color & 0xff_ffff : paletteColor(color, XTERM_16))
}

/** The nearest of xterm's 6 × 6 × 6 cube and 24 greys. */
function nearest256(rgb: number): number {
  const [red, green, blue] = [rgb >> 16, (rgb >> 8) & 0xff, rgb & 0xff]
  const level = (value: number) => (value < 48 ? 0 : value < 115 ? 1 : Math.floor((value - 35) / 40))
  const cube = 16 + 36 * level(red) + 6 * level(green) + level(blue)
  const grey = 232 + Math.max(0, Math.min(23, Math.round(((red + green + blue) / 3 - 8) / 10)))
  return distance(rgb, paletteColor(cube)) <= distance(rgb, paletteColor(grey)) ? cube : grey
}

function nearest16(rgb: number): number {
  let best = 0
  for (let index = 1; index < 16; index++)
    if (distance(rgb, XTERM_16[index] ?? 0) < distance(rgb, XTERM_16[best] ?? 0)) best = index
  return best
}

function distance(a: number, b: number): number {
  const part = (shift: number) => (((a >> shift) & 0xff) - ((b >> shift) & 0xff)) ** 2
  return part(16) + part(8) + part(0)
}

/** xterm's own: a theme's colours are not known. */
const XTERM_16: readonly number[] = [
  0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5, 0x7f7f7f, 0xff0000,
  0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
]
