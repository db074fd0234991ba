import { CODE_POINT_RUNS } from './unicode-data.ts'

/**
 * What is known of a code point, in one byte: its width (0 stands for one cell, so that most of the table is zero
 * pages that take no memory), its class for breaking text into clusters, and whether it is an emoji.
 */
export const WIDTH_MASK = 3
export const WIDTH_ZERO = 1
export const WIDTH_TWO = 2
const BREAK_SHIFT = 2
const BREAK_MASK = 0x1f
const EMOJI = 0x80

/** One cell or two, and nothing to say about clusters: it begins one, unless after a Prepend. */
export const SIMPLE_NARROW = 0
export const SIMPLE_WIDE = WIDTH_TWO

const CODE_POINTS = 0x11_0000
const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** The classes of UAX #29, with Extend split by Indic_Conjunct_Break; the order is that of scripts/unicode.mjs. */
const OTHER = 0
const CONTROL = 1
const EXTEND = 2
const EXTEND_OUTSIDE_CONJUNCTS = 3
const LINKER = 4
const ZWJ = 5
const REGIONAL_INDICATOR = 6
const PREPEND = 7
const SPACING_MARK = 8
const HANGUL_L = 9
const HANGUL_V = 10
const HANGUL_T = 11
const HANGUL_LV = 12
const HANGUL_LVT = 13
const PICTOGRAPH = 14
const CONSONANT = 15
const CR = 16
const LF = 17
/** A cluster's state is the class of its last code point, or one of these. */
const FLAG = 18
const PICTOGRAPH_EXTENDED = 19
const PICTOGRAPH_ZWJ = 20
const CONSONANT_EXTENDED = 21
const CONSONANT_LINKED = 22

export const BREAKS = -1

let table: Uint8Array | null = null

/** The byte of every code point. Expanded at the first use. */
export function codePointTable(): Uint8Array {
  return (table ??= expand(CODE_POINT_RUNS))
}

export function widthOf(value: number): 0 | 1 | 2 {
  const bits = value & WIDTH_MASK
  if (bits === 0) return 1
  return bits === WIDTH_ZERO ? 0 : 2
}

export function isEmoji(value: number): boolean {
  return (value & EMOJI) !== 0
}

/** The state of a cluster that consists of one code point. */
export function firstState(value: number): number {
  return (value >> BREAK_SHIFT) & BREAK_MASK
}

/** Whether a code point may belong to the cluster before it; all others begin one, unless after a Prepend. */
export function mayJoin(value: number): boolean {
  const kind = (value >> BREAK_SHIFT) & BREAK_MASK
  return kind !== OTHER && kind !== PREPEND
}

/**
 * The width of a code point that begins a cluster after a single code point of its own kind or of none, by its byte; 0
 * for all others. Such a code point joins what is before it only after a ZWJ, a linker, a leading consonant of Hangul or
 * a Prepend.
 */
export const WIDTHS_IN_TEXT: Uint8Array = Uint8Array.from({ length: 256 }, (_, value) => {
  const kind = firstState(value)
  const isOrdinary =
    kind === OTHER || kind === PICTOGRAPH || kind === CONSONANT || kind === HANGUL_LV || kind === HANGUL_LVT
  return isOrdinary ? widthOf(value) : 0
})

export function isPrepend(value: number): boolean {
  return ((value >> BREAK_SHIFT) & BREAK_MASK) === PREPEND
}

/** The state of a cluster with one more code point, or BREAKS where UAX #29 has a boundary. */
export function joinedState(state: number, value: number): number {
  const kind = (value >> BREAK_SHIFT) & BREAK_MASK
  if (state === CR && kind === LF) return LF
  if (isControl(state) || isControl(kind)) return BREAKS // GB4, GB5
  switch (kind) {
    case EXTEND:
    case EXTEND_OUTSIDE_CONJUNCTS:
    case LINKER:
    case ZWJ:
      return extendedState(state, kind)
    case SPACING_MARK:
      return SPACING_MARK
    default:
      break
  }
  if (state === PREPEND) return kind
  switch (kind) {
    case HANGUL_L:
    case HANGUL_LV:
    case HANGUL_LVT:
      return state === HANGUL_L ? kind : BREAKS
    case HANGUL_V:
      return state === HANGUL_L || state === HANGUL_V || state === HANGUL_LV ? kind : BREAKS
    case HANGUL_T:
      return state >= HANGUL_V && state <= HANGUL_LVT ? kind : BREAKS
    case REGIONAL_INDICATOR:
      return state === REGIONAL_INDICATOR ? FLAG : BREAKS
    case PICTOGRAPH:
      return state === PICTOGRAPH_ZWJ ? kind : BREAKS
    case CONSONANT:
      return state === CONSONANT_LINKED ? kind : BREAKS
    default:
      return BREAKS
  }
}

/** GB9, with what GB9c and GB11 have to remember of the code points before. */
function extendedState(state: number, kind: number): number {
  if (state === PICTOGRAPH || state === PICTOGRAPH_EXTENDED)
    return kind === ZWJ ? PICTOGRAPH_ZWJ : PICTOGRAPH_EXTENDED
  if (state === CONSONANT || state === CONSONANT_EXTENDED || state === CONSONANT_LINKED) {
    if (kind === LINKER) return CONSONANT_LINKED
    if (kind === EXTEND_OUTSIDE_CONJUNCTS) return kind
    return state === CONSONANT_LINKED ? CONSONANT_LINKED : CONSONANT_EXTENDED
  }
  return kind
}

function isControl(kind: number): boolean {
  return kind === CONTROL || kind === CR || kind === LF
}

function expand(runs: string): Uint8Array {
  const values = new Uint8Array(CODE_POINTS)
  let at = 0
  const number = () => {
    let value = 0
    for (let shift = 0; ; shift += 5) {
      const digit = BASE64.indexOf(runs.charAt(at++))
      value |= (digit & 31) << shift
      if (digit < 32) return value
    }
  }
  for (let codePoint = 0; codePoint < CODE_POINTS;) {
    const value = number()
    const length = number()
    if (value !== 0) values.fill(value, codePoint, codePoint + length)
    codePoint += length
  }
  return values
}
