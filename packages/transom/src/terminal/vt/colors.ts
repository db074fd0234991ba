import { DARK_BACKGROUND, DARK_FOREGROUND, paletteColor } from '@transom/grid'

/** XTPUSHCOLORS: as many as xterm keeps. */
const STACK_DEPTH_MAX = 10
/** OSC 10 to 19: foreground, background, cursor, mouse and Tektronix colours, highlight. */
export const FIRST_DYNAMIC = 10
export const LAST_DYNAMIC = 19

export interface ColorSettings {
  palette: Map<number, number>
  dynamic: Map<number, number>
}

/** The colours that a program has set, as 0xRRGGBB; what it hasn't set are the theme's. */
export class Colors {
  palette = new Map<number, number>()
  dynamic = new Map<number, number>()
  readonly stack: ColorSettings[] = []

  paletteColor(index: number): number {
    return this.palette.get(index) ?? paletteColor(index)
  }

  /** Null for one that this terminal has no use for. */
  dynamicColor(number: number): number | null {
    const set = this.dynamic.get(number)
    if (set !== undefined) return set
    if (number === 10 || number === 12) return DARK_FOREGROUND
    return number === 11 ? DARK_BACKGROUND : null
  }

  push(): void {
    if (this.stack.length >= STACK_DEPTH_MAX) return
    this.stack.push({ palette: new Map(this.palette), dynamic: new Map(this.dynamic) })
  }

  pop(): void {
    const top = this.stack.pop()
    if (top === undefined) return
    this.palette = top.palette
    this.dynamic = top.dynamic
  }

  reset(): void {
    this.palette.clear()
    this.dynamic.clear()
    this.stack.length = 0
  }
}

/** What XParseColor takes of `rgb:r/g/b`, `rgbi:r/g/b`, `#rgb` and a few names; null for anything else. */
export function parseColor(text: string): number | null {
  const slashed = /^rgba?:([0-9a-f]{1,4})\/([0-9a-f]{1,4})\/([0-9a-f]{1,4})(?:\/[0-9a-f]{1,4})?$/i.exec(text)
  if (slashed !== null) return rgb(slashed.slice(1, 4).map(scaled))
  const hashed = /^#((?:[0-9a-f]{3}){1,4})$/i.exec(text)
  if (hashed !== null) {
    const digits = hashed[1] ?? ''
    const size = digits.length / 3
    return rgb([0, 1, 2].map((part) => leftJustified(digits.slice(part * size, (part + 1) * size))))
  }
  const intensities = /^rgbi:([\d.]{1,12})\/([\d.]{1,12})\/([\d.]{1,12})$/i.exec(text)
  if (intensities !== null) return rgb(intensities.slice(1, 4).map(fromIntensity))
  return NAMES[text.toLowerCase()] ?? null
}

export function colorText(color: number): string {
  const channel = (shift: number) => ((color >> shift) & 0xff).toString(16).padStart(2, '0').repeat(2)
  return `rgb:${channel(16)}/${channel(8)}/${channel(0)}`
}

const NAMES: Readonly<Record<string, number>> = {
  black: 0x000000,
  red: 0xff0000,
  green: 0x00ff00,
  yellow: 0xffff00,
  blue: 0x0000ff,
  magenta: 0xff00ff,
  cyan: 0x00ffff,
  white: 0xffffff,
  gray: 0xbebebe,
  grey: 0xbebebe,
}

function rgb(channels: number[]): number {
  return ((channels[0] ?? 0) << 16) | ((channels[1] ?? 0) << 8) | (channels[2] ?? 0)
}

/** `f`, `ff`, `fff` and `ffff` are all the full value. */
function scaled(digits: string): number {
  return Math.round((Number.parseInt(digits, 16) * 255) / (16 ** digits.length - 1))
}

/** Linear light as X11 has it for a screen of gamma 2.2. */
function fromIntensity(text: string): number {
  const value = Math.min(1, Number(text) || 0)
  return Math.round(value ** (1 / 2.2) * 255)
}

/** `#f00` is `#f00000`: the digits are the most significant ones. */
function leftJustified(digits: string): number {
  return Number.parseInt(digits.padEnd(2, '0').slice(0, 2), 16)
}
