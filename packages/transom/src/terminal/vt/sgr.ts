import { DEFAULT_COLOR, RGB_COLOR } from '@transom/grid'
import * as flag from './style-table.ts'
import { UNDERLINE_MASK, UNDERLINE_SHIFT, type Pen } from './style-table.ts'
import type { TerminalState } from './terminal-state.ts'

const SINGLE_UNDERLINE = 1
const DOUBLE_UNDERLINE = 2

/** SGR: changes the pen. */
export function selectGraphics(state: TerminalState): void {
  const { parser, pen } = state
  const first = parser.params[0] ?? 0
  if (parser.paramCount === 1 && first < 38) applyOne(pen, first)
  else applyGraphics(pen, parser, 0)
  state.penChanged()
}

/** The parameters of a sequence, as a Parser has them. */
export interface GraphicsParams {
  readonly params: Int32Array
  readonly paramCount: number
  /** Bit n is set where parameter n is part of the one before. */
  readonly colons: number
}

/** Applies the parameters of an SGR, from one on, to a pen. */
export function applyGraphics(pen: Pen, list: GraphicsParams, from: number): void {
  const { params, colons } = list
  const count = Math.min(list.paramCount, params.length)
  for (let at = from; at < count; at++) {
    const value = params[at] ?? 0
    if (colons !== 0 && at + 1 < count && (colons & (1 << (at + 1))) !== 0) {
      at =
        value === 38 || value === 48 || value === 58
          ? colorParts(pen, list, at)
          : underlineParts(pen, list, at)
    } else if (value === 38 || value === 48 || value === 58) {
      const kind = at + 1 < count ? (params[at + 1] ?? 0) : 0
      // One that is cut off takes the rest with it.
      if (kind === 5) {
        if (at + 2 < count) setColor(pen, value, paletteColor(params[at + 2] ?? 0))
        at += 2
      } else if (kind === 2) {
        if (at + 4 < count)
          setColor(pen, value, rgbColor(params[at + 2] ?? 0, params[at + 3] ?? 0, params[at + 4] ?? 0))
        at += 4
      } else {
        at++
      }
    } else {
      applyOne(pen, value)
    }
  }
}

function applyOne(pen: Pen, value: number): void {
  if (value >= 30 && value <= 37) pen.fg = value - 30
  else if (value >= 40 && value <= 47) pen.bg = value - 40
  else if (value >= 90 && value <= 97) pen.fg = value - 90 + 8
  else if (value >= 100 && value <= 107) pen.bg = value - 100 + 8
  else if (value === 0) resetPen(pen)
  else if (value === 39) pen.fg = DEFAULT_COLOR
  else if (value === 49) pen.bg = DEFAULT_COLOR
  else if (value === 59) pen.underlineColor = DEFAULT_COLOR
  else applyFlag(pen, value)
}

/** 0: a link stays, and so does protection. */
function resetPen(pen: Pen): void {
  pen.fg = pen.bg = pen.underlineColor = DEFAULT_COLOR
  pen.flags &= flag.PROTECTED | flag.GUARDED
}

function applyFlag(pen: Pen, value: number): void {
  switch (value) {
    case 1:
      pen.flags |= flag.BOLD
      break
    case 2:
      pen.flags |= flag.DIM
      break
    case 3:
      pen.flags |= flag.ITALIC
      break
    case 4:
      setUnderline(pen, SINGLE_UNDERLINE)
      break
    case 5:
    case 6:
      pen.flags |= flag.BLINK
      break
    case 7:
      pen.flags |= flag.INVERSE
      break
    case 8:
      pen.flags |= flag.INVISIBLE
      break
    case 9:
      pen.flags |= flag.STRIKETHROUGH
      break
    case 21:
      setUnderline(pen, DOUBLE_UNDERLINE)
      break
    case 53:
      pen.flags |= flag.OVERLINE
      break
    default:
      clearFlag(pen, value)
  }
}

function clearFlag(pen: Pen, value: number): void {
  if (value === 22) pen.flags &= ~(flag.BOLD | flag.DIM)
  else if (value === 23) pen.flags &= ~flag.ITALIC
  else if (value === 24) setUnderline(pen, 0)
  else if (value === 25) pen.flags &= ~flag.BLINK
  else if (value === 27) pen.flags &= ~flag.INVERSE
  else if (value === 28) pen.flags &= ~flag.INVISIBLE
  else if (value === 29) pen.flags &= ~flag.STRIKETHROUGH
  else if (value === 55) pen.flags &= ~flag.OVERLINE
}

function setUnderline(pen: Pen, underline: number): void {
  pen.flags = (pen.flags & ~UNDERLINE_MASK) | (underline << UNDERLINE_SHIFT)
}

/** `4:3` and its like. Returns the index of the last parameter that belongs to it. */
function underlineParts(pen: Pen, list: GraphicsParams, at: number): number {
  if (list.params[at] === 4) {
    const underline = list.params[at + 1] ?? 0
    if (underline <= 5) setUnderline(pen, underline)
  }
  return lastPart(list, at)
}

/** `38:5:n`, `38:2:r:g:b` and `38:2:space:r:g:b`. */
function colorParts(pen: Pen, list: GraphicsParams, at: number): number {
  const { params } = list
  const last = lastPart(list, at)
  const parts = last - at
  const kind = params[at + 1] ?? 0
  if (kind === 5 && parts >= 2) setColor(pen, params[at] ?? 0, paletteColor(params[at + 2] ?? 0))
  else if (kind === 2 && parts >= 4) {
    const first = parts === 4 ? at + 2 : at + 3
    setColor(
      pen,
      params[at] ?? 0,
      rgbColor(params[first] ?? 0, params[first + 1] ?? 0, params[first + 2] ?? 0),
    )
  }
  return last
}

function lastPart({ colons, paramCount }: GraphicsParams, at: number): number {
  let last = at
  while (last + 1 < paramCount && (colons & (1 << (last + 1))) !== 0) last++
  return last
}

function setColor(pen: Pen, target: number, value: number): void {
  if (value < 0) return
  if (target === 38) pen.fg = value
  else if (target === 48) pen.bg = value
  else pen.underlineColor = value
}

function paletteColor(index: number): number {
  return index <= 255 ? index : -1
}

function rgbColor(red: number, green: number, blue: number): number {
  if (red > 255 || green > 255 || blue > 255) return -1
  return RGB_COLOR | (red << 16) | (green << 8) | blue
}

/** The pen as parameters of SGR, for DECRQSS. */
export function graphicsText(pen: Pen): string {
  const parts: string[] = []
  const { flags } = pen
  if (flags & flag.BOLD) parts.push('1')
  if (flags & flag.DIM) parts.push('2')
  if (flags & flag.ITALIC) parts.push('3')
  const underline = (flags & UNDERLINE_MASK) >> UNDERLINE_SHIFT
  if (underline > 0) parts.push(underline === SINGLE_UNDERLINE ? '4' : `4:${underline}`)
  if (flags & flag.BLINK) parts.push('5')
  if (flags & flag.INVERSE) parts.push('7')
  if (flags & flag.INVISIBLE) parts.push('8')
  if (flags & flag.STRIKETHROUGH) parts.push('9')
  if (flags & flag.OVERLINE) parts.push('53')
  if (pen.fg !== DEFAULT_COLOR) parts.push(colorText(pen.fg, 30, 90, 38))
  if (pen.bg !== DEFAULT_COLOR) parts.push(colorText(pen.bg, 40, 100, 48))
  if (pen.underlineColor !== DEFAULT_COLOR) parts.push(colorText(pen.underlineColor, 0, 0, 58))
  return `${['0', ...parts].join(';')}m`
}

function colorText(value: number, first: number, bright: number, extended: number): string {
  if (value & RGB_COLOR) return `${extended}:2::${(value >> 16) & 255}:${(value >> 8) & 255}:${value & 255}`
  if (first > 0 && value < 8) return `${first + value}`
  return first > 0 && value < 16 ? `${bright + value - 8}` : `${extended}:5:${value}`
}
