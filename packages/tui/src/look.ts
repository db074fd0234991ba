import { DEFAULT_COLOR, RGB_COLOR, UNDERLINES, type Style } from '@transom/grid'
import { colorIn, type ColorDepth } from './color-depth.ts'

/** A Style as a terminal of some depth can show it. A link is not shown: it is text that a terminal would obey. */
export interface Look {
  readonly fg: number
  readonly bg: number
  /** Index in UNDERLINES. */
  readonly underline: number
  readonly underlineColor: number
  /** A bit for each of ATTRIBUTES. */
  readonly attributes: number
}

/** What SGR switches on with one number and off with another. */
const ATTRIBUTES = [
  ['bold', 1, 22],
  ['dim', 2, 22],
  ['italic', 3, 23],
  ['blink', 5, 25],
  ['inverse', 7, 27],
  ['invisible', 8, 28],
  ['strikethrough', 9, 29],
  ['overline', 53, 55],
] as const
const BOLD_AND_DIM = 0b11

export const PLAIN_LOOK: Look = {
  fg: DEFAULT_COLOR,
  bg: DEFAULT_COLOR,
  underline: 0,
  underlineColor: DEFAULT_COLOR,
  attributes: 0,
}

export function lookOf(style: Style, depth: ColorDepth): Look {
  let attributes = 0
  for (const [index, [name]] of ATTRIBUTES.entries()) if (style[name]) attributes |= 1 << index
  // Terminals of few colours know one kind of underline, and misread the parameters of the others.
  const isOld = depth === 'none' || depth === '16'
  const underline = UNDERLINES.indexOf(style.underline)
  return {
    fg: colorIn(depth, style.fg),
    bg: colorIn(depth, style.bg),
    underline: isOld ? Math.min(1, underline) : underline,
    underlineColor: isOld ? DEFAULT_COLOR : colorIn(depth, style.underlineColor),
    attributes,
  }
}

export function lookKey({ fg, bg, underline, underlineColor, attributes }: Look): string {
  return `${fg},${bg},${underline},${underlineColor},${attributes}`
}

/** The shortest SGR that goes from one look to another. */
export function lookChange(from: Look, to: Look): string {
  const fresh = parametersOf(PLAIN_LOOK, to)
  const change = parametersOf(from, to)
  const anew = fresh.length === 0 ? '\u001b[m' : `\u001b[0;${fresh.join(';')}m`
  const next = change.length === 0 ? '' : `\u001b[${change.join(';')}m`
  return next.length < anew.length ? next : anew
}

function parametersOf(from: Look, to: Look): (number | string)[] {
  const parameters: (number | string)[] = []
  let off = from.attributes & ~to.attributes
  // One number switches both off: the other one is switched on again.
  if ((off & BOLD_AND_DIM) !== 0) off |= from.attributes & BOLD_AND_DIM
  const on = to.attributes & ~(from.attributes & ~off)
  for (const [index, [, , reset]] of ATTRIBUTES.entries())
    if ((off & (1 << index)) !== 0 && parameters.at(-1) !== reset) parameters.push(reset)
  for (const [index, [, set]] of ATTRIBUTES.entries()) if ((on & (1 << index)) !== 0) parameters.push(set)
  if (from.underline !== to.underline) parameters.push(underlineParameter(to.underline))
  if (from.fg !== to.fg) parameters.push(...colorParameters(to.fg, 30))
  if (from.bg !== to.bg) parameters.push(...colorParameters(to.bg, 40))
  if (from.underlineColor !== to.underlineColor) parameters.push(underlineColorParameter(to.underlineColor))
  return parameters
}

function underlineParameter(underline: number): number | string {
  if (underline === 0) return 24
  return underline === 1 ? 4 : `4:${underline}`
}

function colorParameters(color: number, base: 30 | 40): number[] {
  if (color === DEFAULT_COLOR) return [base + 9]
  if ((color & RGB_COLOR) !== 0) return [base + 8, 2, (color >> 16) & 0xff, (color >> 8) & 0xff, color & 0xff]
  if (color < 8) return [base + color]
  return color < 16 ? [base + 60 + color - 8] : [base + 8, 5, color]
}

/** With colons, which terminals that do not know it skip as a whole. */
function underlineColorParameter(color: number): string {
  if (color === DEFAULT_COLOR) return '59'
  if ((color & RGB_COLOR) === 0) return `58:5:${color}`
  return `58:2::${(color >> 16) & 0xff}:${(color >> 8) & 0xff}:${color & 0xff}`
}
