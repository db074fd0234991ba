import { isAscii } from 'node:buffer'
import { badPattern, compilePattern, type Pattern } from '../lib/pattern.ts'

/** A match in the output stream. */
export interface OutputMatch {
  readonly start: number
  readonly end: number
  readonly bytes: Buffer
}

/** Looks for something in a stretch of the output stream, piece by piece. */
export interface OutputMatcher {
  readonly words: string
  /** Bytes that it can take at a time without keeping others waiting; it may change from piece to piece. */
  readonly turnBytes: number
  /** Takes the next bytes; the match, when they complete one. */
  take(bytes: Buffer): OutputMatch | null
  /** There is nothing more to take for now. A match that more output might change, if there is one. */
  provisional(): OutputMatch | null
  /** The cursor from which another matcher would find whatever this one might still find. */
  resumeCursor(): number
}

/** Finds the first occurrence of these bytes, however they are cut into pieces. */
export class SubstringMatcher implements OutputMatcher {
  readonly words: string
  readonly turnBytes = Infinity
  readonly #wanted: Buffer
  /** The last bytes taken, one fewer than wanted: a match may begin in them. */
  #before: Buffer = Buffer.alloc(0)
  #cursor: number

  constructor(text: string, cursor: number) {
    this.words = `text ${JSON.stringify(text)}`
    this.#wanted = Buffer.from(text)
    this.#cursor = cursor
  }

  take(bytes: Buffer): OutputMatch | null {
    const overlap = this.#wanted.length - 1
    const seam = Buffer.concat([this.#before, bytes.subarray(0, overlap)])
    const inSeam = seam.indexOf(this.#wanted)
    if (inSeam >= 0) return this.#match(this.#cursor - this.#before.length + inSeam)
    const at = bytes.indexOf(this.#wanted)
    if (at >= 0) return this.#match(this.#cursor + at)
    const last = bytes.length >= overlap ? bytes : Buffer.concat([this.#before, bytes])
    this.#before = Buffer.from(last.subarray(Math.max(0, last.length - overlap)))
    this.#cursor += bytes.length
    return null
  }

  provisional(): null {
    return null
  }

  resumeCursor(): number {
    return this.#cursor - this.#before.length
  }

  #match(start: number): OutputMatch {
    return { start, end: start + this.#wanted.length, bytes: this.#wanted }
  }
}

/** A match that goes over several pieces is at most this long; so much is looked at again with each piece. */
const SPAN_BYTES_MAX = 4 << 10
/** A piece that takes longer than this is followed by smaller ones, a faster one by larger ones. */
const PIECE_MS_MAX = 4
const PIECE_BYTES_FIRST = 256
const PIECE_BYTES_MIN = 128
const PIECE_BYTES_MAX = 256 << 10
/** When the smallest pieces take this long, the pattern is refused: it would hold up every session of the host. */
const HOPELESS_MS = 10
const HOPELESS_PIECES_MAX = 2

/**
 * Finds the first match of an RE2 pattern (ADR 006): linear in the output, whatever the pattern. What it matches are
 * the bytes as they were printed, so that a line ends in `\r\n`.
 */
export class RegexMatcher implements OutputMatcher {
  readonly words: string
  readonly #pattern: string
  readonly #compiled: Pattern
  readonly #fixedEnd: boolean
  readonly #withinLine: boolean
  /** What a match may begin in, and the bytes taken last. */
  #window: Buffer = Buffer.alloc(0)
  #windowCursor: number
  #open: OutputMatch | null = null
  turnBytes = PIECE_BYTES_FIRST
  #hopelessPieces = 0

  constructor(pattern: string, cursor: number) {
    this.words = `regex ${JSON.stringify(pattern)}`
    this.#pattern = pattern
    this.#windowCursor = cursor
    this.#fixedEnd = hasFixedEnd(pattern)
    this.#withinLine = staysWithinLine(pattern)
    this.#compiled = compilePattern(pattern)
  }

  take(bytes: Buffer): OutputMatch | null {
    this.#window = Buffer.concat([this.#window, bytes])
    const start = process.cpuUsage()
    const match = this.#find()
    const { user, system } = process.cpuUsage(start) // not the clock: others may have the processor
    this.#pace((user + system) / 1000)
    this.#open = match
    // More output could make the match longer, or undo it: `\d+` at the end of what there is, or `$`.
    const end = this.#windowCursor + this.#window.length
    const decided =
      match !== null && (match.end < end || this.#fixedEnd || match.bytes.length >= SPAN_BYTES_MAX)
    if (decided) return match
    this.#forget(match)
    return null
  }

  provisional(): OutputMatch | null {
    return this.#open
  }

  resumeCursor(): number {
    return this.#windowCursor
  }

  #find(): OutputMatch | null {
    // As a string it is searched several times faster than as bytes; where that is the same, it is.
    const text = isAscii(this.#window) ? this.#window.toString('latin1') : this.#window
    const matcher = this.#compiled.matcher(text)
    if (!matcher.find()) return null
    const [start, end] = [matcher.start(), matcher.end()]
    const bytes = Buffer.from(this.#window.subarray(start, end))
    return { start: this.#windowCursor + start, end: this.#windowCursor + end, bytes }
  }

  #pace(tookMs: number): void {
    const hopeless = tookMs > HOPELESS_MS && this.turnBytes === PIECE_BYTES_MIN
    this.#hopelessPieces = hopeless ? this.#hopelessPieces + 1 : 0
    if (this.#hopelessPieces >= HOPELESS_PIECES_MAX) {
      const why = `it takes ${Math.round(tookMs)} ms for ${PIECE_BYTES_MIN} bytes; use a simpler one`
      throw badPattern(this.#pattern, why)
    }
    if (tookMs > PIECE_MS_MAX) this.turnBytes = Math.max(PIECE_BYTES_MIN, this.turnBytes / 2)
    else if (tookMs < PIECE_MS_MAX / 4) this.turnBytes = Math.min(PIECE_BYTES_MAX, this.turnBytes * 2)
  }

  /** Drops what no match can begin in any more, up to a line's start where there is one. */
  #forget(open: OutputMatch | null): void {
    const window = this.#window
    const spanStart = Math.max(0, window.length - SPAN_BYTES_MAX)
    const lineStart = window.lastIndexOf(0x0a) + 1
    let from = this.#withinLine ? Math.max(spanStart, lineStart) : spanStart
    if (!this.#withinLine && spanStart > 0) {
      const nextLine = window.indexOf(0x0a, spanStart) + 1
      if (nextLine > 0) from = nextLine
    }
    if (open !== null) from = Math.min(from, open.start - this.#windowCursor)
    this.#window = Buffer.from(window.subarray(from))
    this.#windowCursor += from
  }
}

/** Whether a match of the pattern ends where it must, so that nothing that follows could change it. */
function hasFixedEnd(pattern: string): boolean {
  return !pattern.includes('|') && /(?:^|[^\\])[\w :>#%=,;!"'<&~@/-]$/.test(pattern)
}

/** Whether a match cannot hold a line break: by sight, and no when in doubt. */
function staysWithinLine(pattern: string): boolean {
  const safe = /^(?:[^\\[\n]|\\[dwbBA.()[\]{}^$|?*+\\/-]|\[[\w .,:;@/%+-]+\])*$/
  return safe.test(pattern) && !/\(\?[a-zA-Z]*s/.test(pattern)
}
