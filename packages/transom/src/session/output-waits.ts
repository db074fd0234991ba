import { OutputReader, type FactInOutput, type OutputPiece } from '../log/output-reader.ts'
import type { OutputMatch, OutputMatcher } from './output-match.ts'
import { outputBudget, budgetedText } from './output-budget.ts'
import { assertCursor, readOutput, type OutputStream } from './output-stream.ts'

/** A match that more output might change is taken as it stands when none has come for this long. */
const SETTLE_MS = 50
/** What a failed wait shows of the end of what it saw. */
const TAIL_BYTES_MAX = 2000
/** After so much the other sessions get their turn: about a quarter of a millisecond of searching. */
const TURN_BYTES = 1 << 20

/** What is waited for: something that was printed, or a fact beside it. */
export type Awaited =
  | { readonly kind: 'output'; readonly matcher: OutputMatcher }
  | { readonly kind: 'fact'; readonly judge: FactJudge }

/** Judges facts as they come, in order. */
export interface FactJudge {
  readonly words: string
  readonly types: readonly number[]
  /** Takes the next one; the one that was waited for, when that is clear now. */
  take(fact: FactInOutput): FactInOutput | null
  /** All facts that there are have been taken: the one it was, if that is decided by nothing else having come. */
  atEnd(): FactInOutput | null
  /** Whether the end of the session is what was waited for, too. */
  readonly byEnd: boolean
}

export interface OutputWaitOptions {
  readonly fromCursor: number
  readonly timeoutMs: number
  readonly maxBytes?: number | undefined
  /** Facts after which nothing more can match. */
  readonly endedBy?: { readonly types: readonly number[]; ends(fact: FactInOutput): boolean } | undefined
  readonly signal: AbortSignal
}

export type OutputWaitResult =
  | { readonly matched: true; readonly match: OutputMatch | null; readonly cursor: number }
  | {
      readonly matched: false
      readonly reason: 'timeout' | 'ended' | 'max_bytes'
      /** To go on from without missing anything. */
      readonly cursor: number
      /** The end of what was seen, as plain text. */
      readonly tail: string
    }

/**
 * Waits until something is in the output stream behind a cursor. What there is already is searched first, from the
 * log; then, without a gap, what comes: so that it does not matter when the wait is made, nor whether it is made
 * again with the same cursor.
 */
export async function waitForOutput(
  stream: OutputStream,
  awaited: Awaited,
  options: OutputWaitOptions,
): Promise<OutputWaitResult> {
  assertCursor(stream, options.fromCursor)
  const search = new Search(stream, awaited, options)
  const changes = new Changes(stream, options) // before the first look: what comes after it is announced
  try {
    for (;;) {
      // Without time to wait, all that is there is looked at all the same.
      const found = await search.advance(() => options.timeoutMs > 0 && changes.timedOut)
      options.signal.throwIfAborted()
      if (found !== null) return found
      if (changes.timedOut) return await search.timedOut()
      await changes.next(search.provisional ? SETTLE_MS : null)
      options.signal.throwIfAborted()
      if (changes.settled) search.settle()
    }
  } finally {
    changes.close()
    search.close()
  }
}

class Search {
  readonly #stream: OutputStream
  readonly #awaited: Awaited
  readonly #options: OutputWaitOptions
  readonly #reader: OutputReader
  readonly #endCursor: number
  #cursor: number
  #settled = false
  #ended = false

  constructor(stream: OutputStream, awaited: Awaited, options: OutputWaitOptions) {
    this.#stream = stream
    this.#awaited = awaited
    this.#options = options
    this.#cursor = options.fromCursor
    this.#endCursor = options.fromCursor + (options.maxBytes ?? Infinity)
    const facts = [...(awaited.kind === 'fact' ? awaited.judge.types : []), ...(options.endedBy?.types ?? [])]
    this.#reader = OutputReader.open(stream.path, { from: stream.index.before(options.fromCursor), facts })
  }

  /** Whether there is a match that holds unless something more comes. */
  get provisional(): boolean {
    return this.#awaited.kind === 'output' && this.#awaited.matcher.provisional() !== null
  }

  settle(): void {
    this.#settled = true
  }

  /** Looks at everything that has come; null when it must wait for more, or has run out of time. */
  async advance(timedOut: () => boolean): Promise<OutputWaitResult | null> {
    const ended = this.#stream.ended() // asked first: what is recorded before the end is looked at, then
    for (let turnBytes = 0; ;) {
      const piece = this.#reader.next(this.#stream.endOffset())
      if (piece === null) break
      this.#settled = false
      const found = await this.#take(piece)
      if (found !== null) return found
      turnBytes += piece.bytes.length
      if (turnBytes < TURN_BYTES) continue
      turnBytes = 0
      await othersTurn()
      if (timedOut() || this.#options.signal.aborted) return null
    }
    return this.#atEnd(ended || this.#ended)
  }

  /** What a match that more output might have changed comes to when there is no time for more. */
  async timedOut(): Promise<OutputWaitResult> {
    const match = this.#awaited.kind === 'output' ? this.#awaited.matcher.provisional() : null
    return match === null ? this.failed('timeout') : { matched: true, match, cursor: match.end }
  }

  async failed(reason: 'timeout' | 'ended' | 'max_bytes'): Promise<OutputWaitResult> {
    const { fromCursor } = this.#options
    const end = Math.min(this.#cursor, this.#endCursor)
    const from = Math.max(fromCursor, end - TAIL_BYTES_MAX)
    const seen = await readOutput(this.#stream, Math.min(from, end), end)
    const tail = budgetedText(outputBudget(seen))
    return { matched: false, reason, cursor: this.#resumeCursor(), tail }
  }

  close(): void {
    this.#reader.close()
  }

  async #take(piece: OutputPiece): Promise<OutputWaitResult | null> {
    if (this.#awaited.kind === 'output') {
      const found = await this.#search(this.#awaited.matcher, this.#unseen(piece))
      if (found !== null) return found
    }
    this.#cursor = Math.max(this.#cursor, piece.cursor + piece.bytes.length)
    for (const fact of piece.facts) {
      const judge = this.#awaited.kind === 'fact' ? this.#awaited.judge : null
      const found = judge?.types.includes(fact.typeNumber) ? judge.take(fact) : null
      if (found !== null) return factMatched(found)
      this.#ended ||= this.#isEnd(fact)
    }
    if (this.#cursor >= this.#endCursor) return this.failed('max_bytes')
    return null
  }

  #isEnd(fact: FactInOutput): boolean {
    const { endedBy } = this.#options
    return endedBy !== undefined && endedBy.types.includes(fact.typeNumber) && endedBy.ends(fact)
  }

  /** What of a piece lies behind the cursor and within the limit. */
  #unseen({ cursor, bytes }: OutputPiece): Buffer {
    return bytes.subarray(Math.max(0, this.#cursor - cursor), Math.max(0, this.#endCursor - cursor))
  }

  async #search(matcher: OutputMatcher, bytes: Buffer): Promise<OutputWaitResult | null> {
    for (let at = 0; at < bytes.length;) {
      const end = Math.min(bytes.length, at + matcher.turnBytes)
      const match = matcher.take(bytes.subarray(at, end))
      if (match !== null) return { matched: true, match, cursor: match.end }
      at = end
      if (at < bytes.length) await othersTurn()
    }
    return null
  }

  async #atEnd(ended: boolean): Promise<OutputWaitResult | null> {
    if (this.#awaited.kind === 'output') {
      const match = this.#settled || ended ? this.#awaited.matcher.provisional() : null
      if (match !== null) return { matched: true, match, cursor: match.end }
    } else {
      const fact = this.#awaited.judge.atEnd()
      if (fact !== null) return factMatched(fact)
      if (ended && this.#awaited.judge.byEnd) return { matched: true, match: null, cursor: this.#cursor }
    }
    return ended ? this.failed('ended') : null
  }

  #resumeCursor(): number {
    if (this.#awaited.kind === 'fact') return this.#cursor
    return Math.max(this.#options.fromCursor, this.#awaited.matcher.resumeCursor())
  }
}

function factMatched(fact: FactInOutput): OutputWaitResult {
  return { matched: true, match: null, cursor: fact.cursor }
}

async function othersTurn(): Promise<void> {
  await new Promise(setImmediate)
}

/** Announcements of change, folded, and the two clocks of a wait. */
class Changes {
  readonly #signal: AbortSignal
  readonly #unobserve: () => void
  readonly #timer: NodeJS.Timeout | undefined
  #settleTimer: NodeJS.Timeout | undefined
  #changed = false
  #wake = () => {}
  timedOut: boolean
  settled = false

  constructor(stream: OutputStream, { timeoutMs, signal }: OutputWaitOptions) {
    this.#signal = signal
    this.timedOut = timeoutMs === 0
    this.#unobserve = stream.observe(() => {
      this.#changed = true
      this.#wake()
    })
    if (timeoutMs > 0) {
      this.#timer = setTimeout(() => {
        this.timedOut = true
        this.#wake()
      }, timeoutMs)
    }
    signal.addEventListener('abort', this.#onAbort)
  }

  readonly #onAbort = () => this.#wake()

  /** Resolves when something was recorded, when nothing was for `settleMs`, when time is up, or at an abort. */
  async next(settleMs: number | null): Promise<void> {
    this.settled = false
    if (!this.#changed && !this.timedOut && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        if (settleMs === null) return
        this.#settleTimer = setTimeout(() => {
          this.settled = true
          resolve()
        }, settleMs)
      })
      clearTimeout(this.#settleTimer)
    }
    this.settled &&= !this.#changed
    this.#changed = false
  }

  close(): void {
    clearTimeout(this.#timer)
    clearTimeout(this.#settleTimer)
    this.#signal.removeEventListener('abort', this.#onAbort)
    this.#unobserve()
  }
}

/** The end of the session, and nothing before it. */
export const END_OF_SESSION: FactJudge = {
  words: 'the end of the session',
  types: [],
  take: () => null,
  atEnd: () => null,
  byEnd: true,
}
