/** What output costs to emulate, estimated from its bytes before they are written. */

/** In nanoseconds, about. Two milliseconds: other sessions and their clients notice no delay. */
const TURN_WORK_MAX = 2_000_000

/** What the estimate needs to know of a screen. */
export interface ScreenShape {
  readonly cols: number
  readonly rows: number
  /** Whether there are left and right margins (DECLRMM): then every line feed and every wrap may copy the screen. */
  readonly sideMargins: boolean
}

const ESC = 0x1b
/** U+0080 to U+009F in UTF-8, the controls of one character, begin with it. */
const C1_LEAD = 0xc2
const PLAIN_WORK = 10
/** REP writes up to ten rows of the widest screen. */
const REPEAT_WORK = 250_000
/** A line feed at the end of the screen keeps a row. */
const LINE_FEED_WORK_PER_COL = 1

/**
 * How many of these bytes are one turn's work: all of them, but where a few fill or copy a large screen again and again.
 * At least one sequence is. A sequence that began before `bytes` is not counted.
 */
export function turnLength(bytes: Uint8Array, { cols, rows, sideMargins }: ScreenShape): number {
  const isPlain = !sideMargins && !bytes.includes(ESC) && !bytes.includes(C1_LEAD)
  if (isPlain && bytes.length * Math.max(PLAIN_WORK, cols * LINE_FEED_WORK_PER_COL) <= TURN_WORK_MAX)
    return bytes.length
  const cells = cols * rows
  let work = 0
  let margins = sideMargins
  for (let at = 0; at < bytes.length;) {
    const sequence = sequenceAt(bytes, at)
    work += margins ? cells / 4 : PLAIN_WORK
    if (sequence === null) {
      if (bytes[at] === 0x0a) work += cols * LINE_FEED_WORK_PER_COL
      at++
    } else {
      work += sequence.repeats ? REPEAT_WORK : sequence.cellWork * cells
      margins ||= sequence.setsMargins
      at = sequence.end
    }
    if (work > TURN_WORK_MAX) return Math.min(at, bytes.length)
  }
  return bytes.length
}

interface Sequence {
  /** Where the next one begins. */
  readonly end: number
  /** Nanoseconds for each cell of the screen. */
  readonly cellWork: number
  readonly repeats: boolean
  readonly setsMargins: boolean
}

const FREE = { cellWork: 0, repeats: false, setsMargins: false }
const FILLS = 1
const LOOKS_AT_CELLS = 8
const COPIES_CELLS = 12
const COPIES_ATTRIBUTES = 66

function sequenceAt(bytes: Uint8Array, at: number): Sequence | null {
  const byte = bytes[at]
  const next = bytes[at + 1] ?? 0
  if (byte === C1_LEAD && next >= 0x80 && next <= 0x9f)
    return next === 0x9b ? controlSequence(bytes, at + 2) : escape(next - 0x40, at + 2)
  if (byte !== ESC) return null
  if (next === 0x5b) return controlSequence(bytes, at + 2)
  if (next === 0x23) return { ...FREE, end: at + 3, cellWork: FILLS } // DECALN, and sizes of lines
  return escape(next, at + 2)
}

/** RIS and the indexes that move columns; the others cost no more than text. */
function escape(final: number, end: number): Sequence {
  return { ...FREE, end, cellWork: '69c'.includes(String.fromCharCode(final)) ? FILLS : 0 }
}

function controlSequence(bytes: Uint8Array, from: number): Sequence {
  let end = from
  let intermediate = 0
  for (; end < bytes.length; end++) {
    const byte = bytes[end] ?? 0
    if (byte === ESC || (byte >= 0x40 && byte < 0x80)) break
    if (byte >= 0x20 && byte < 0x30) intermediate = byte
  }
  const final = bytes[end] ?? 0
  if (final === ESC || final === 0) return { ...FREE, end }
  const isPrivate = (bytes[from] ?? 0) >= 0x3c && (bytes[from] ?? 0) <= 0x3f
  const letter = String.fromCharCode(final)
  const more = { ...FREE, end: end + 1 }
  if (intermediate !== 0) return { ...more, cellWork: rectangleWork(letter) }
  if (isPrivate) return { ...more, ...privateWork(bytes.subarray(from + 1, end), letter) }
  if (letter === 'b') return { ...more, repeats: true }
  return { ...more, cellWork: 'JLMST^'.includes(letter) ? FILLS : 0 }
}

/** Sequences with an intermediate character, by the final one. */
function rectangleWork(letter: string): number {
  if ('rt'.includes(letter)) return COPIES_ATTRIBUTES
  if ('vx'.includes(letter)) return COPIES_CELLS
  if ('y{'.includes(letter)) return LOOKS_AT_CELLS
  return 'pqw'.includes(letter) ? 0 : FILLS
}

/** Modes that programs switch all the time, and that change no cell: keys, wrap, cursor, mouse, focus, paste. */
const FREE_MODES = /^(1|7|12|25|100\d|1015|1016|1048|2004)$/

function privateWork(params: Uint8Array, letter: string): Partial<Sequence> {
  if ('JK'.includes(letter)) return { cellWork: LOOKS_AT_CELLS }
  if (!'hlr'.includes(letter)) return {}
  const text = String.fromCharCode(...params.subarray(0, 8))
  if (params.length <= 8 && FREE_MODES.test(text)) return {}
  return {
    cellWork: LOOKS_AT_CELLS,
    setsMargins: letter !== 'l' && (params.length > 8 || text.includes('69')),
  }
}
