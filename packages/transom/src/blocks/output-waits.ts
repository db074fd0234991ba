import { waitUntil } from '../lib/wait-until.ts'
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
  /** Takes the next one; the cursor of the one that was waited for, when that is clear now. */
  take(fact: FactInOutput): number | null
  /** All facts that there are have been taken: the cursor, if it is decided by nothing else having come. */
  atEnd(): number | null
  /** Whether the end of the session is what was waited for, too. */
  readonly byEnd: boolean
}

export interface OutputWaitOptions {
  readonly fromCursor: number
  readonly timeoutMs: number
  readonly maxBytes?: number | undefined
  /** What ends the stretch that is looked at, and where it has ended if it has. */
  readonly until?: OutputEnd | undefined
  readonly signal: AbortSignal
}

/** The end of a part of the output stream: a fact that has been recorded, or is going to be. */
export interface OutputEnd {
  readonly types: readonly number[]
  ends(fact: FactInOutput): boolean
  readonly cursor: number | null
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
 * Waits until something is in the output stream after a cursor. Existing output is searched first, from the
 * log; then, without a gap, what comes: so that it does not matter when the wait is made, nor whether it is made
 * again with the same cursor.
 */
export async function waitForOutput(
  stream: OutputStream,
  awaited: Awaited,
  options: OutputWaitOptions,
): Promise<OutputWaitResult> {
  assertCursor(stream, options.fromCursor)
  const { timeoutMs, signal } = options
  const search = new Search(stream, awaited, options)
  try {
    return await waitUntil<OutputWaitResult>({
      subscribe: (observer) => stream.subscribe(observer),
      judge: async ({ due, timedOut }) => {
        if (due) search.settle()
        const found = await search.advance(() => signal.aborted || timedOut())
        return found === null ? { dueMs: search.provisional ? SETTLE_MS : null } : { done: found }
      },
      timeoutMs,
      onTimeout: async () => search.timedOut(),
      signal,
    })
  } finally {
    search.close()
  }
}

class Search {
  readonly #stream: OutputStream
  readonly #awaited: Awaited
  readonly #options: OutputWaitOptions
  readonly #reader: OutputReader
  readonly #limitCursor: number
  /** The end of the searched range, as soon as it is known. */
  #endCursor: number
  #cursor: number
  #settled = false

  constructor(stream: OutputStream, awaited: Awaited, options: OutputWaitOptions) {
    this.#stream = stream
    this.#awaited = awaited
    this.#options = options
    this.#cursor = options.fromCursor
    this.#limitCursor = options.fromCursor + (options.maxBytes ?? Infinity)
    this.#endCursor = options.until?.cursor ?? Infinity
    const facts = [...(awaited.kind === 'fact' ? awaited.judge.types : []), ...(options.until?.types ?? [])]
    this.#reader = new OutputReader(stream.chain, {
      from: stream.chain.before(options.fromCursor),
      facts,
      tail: stream.tail,
    })
  }

  /** Whether there is a match that holds unless something more comes. */
  get provisional(): boolean {
    return this.#awaited.kind === 'output' && this.#awaited.matcher.provisional() !== null
  }

  settle(): void {
    this.#settled = true
  }

  /** Looks at everything that has come; null if it must wait for more, or has run out of time. */
  async advance(stop: () => boolean): Promise<OutputWaitResult | null> {
    const ended = this.#stream.ended() // asked first: what is recorded before the end is looked at, then
    for (let turnBytes = 0; this.#cursor < this.#endCursor;) {
      const piece = this.#reader.next(this.#stream.endOffset())
      if (piece === null) break
      this.#settled = false
      const found = await this.#take(piece, stop)
      if (found !== null || stop()) return found
      turnBytes += piece.bytes.length
      if (turnBytes < TURN_BYTES) continue
      turnBytes = 0
      await othersTurn()
      if (stop()) return null
    }
    return this.#atEnd(ended || this.#cursor >= this.#endCursor)
  }

  /** What a match that more output might have changed comes to when there is no time for more. */
  async timedOut(): Promise<OutputWaitResult> {
    const match = this.#awaited.kind === 'output' ? this.#awaited.matcher.provisional() : null
    return match === null ? this.failed('timeout') : { matched: true, match, cursor: match.end }
  }

  async failed(reason: 'timeout' | 'ended' | 'max_bytes'): Promise<OutputWaitResult> {
    const { fromCursor } = this.#options
    const end = Math.max(fromCursor, Math.min(this.#cursor, this.#limitCursor, this.#endCursor))
    const seen = await readOutput(this.#stream, Math.max(fromCursor, end - TAIL_BYTES_MAX), end)
    const tail = budgetedText(outputBudget(seen))
    return { matched: false, reason, cursor: this.#resumeCursor(), tail }
  }

  close(): void {
    this.#reader.close()
  }

  async #take(piece: OutputPiece, stop: () => boolean): Promise<OutputWaitResult | null> {
    this.#endCursor = Math.min(this.#endCursor, this.#endIn(piece) ?? Infinity)
    if (this.#awaited.kind === 'output') {
      const found = await this.#search(this.#awaited.matcher, this.#unseen(piece), stop)
      if (found !== null || stop()) return found
    } else {
      const { judge } = this.#awaited
      for (const fact of piece.facts) {
        const found = judge.types.includes(fact.typeNumber) ? judge.take(fact) : null
        if (found !== null) return this.#factAt(found)
      }
    }
    this.#cursor = Math.max(this.#cursor, piece.cursor + piece.bytes.length)
    if (this.#cursor < this.#limitCursor) return null
    const match = this.#awaited.kind === 'output' ? this.#awaited.matcher.provisional() : null
    return match === null ? this.failed('max_bytes') : { matched: true, match, cursor: match.end }
  }

  #endIn({ facts }: OutputPiece): number | undefined {
    const { until } = this.#options
    if (until === undefined) return undefined
    return facts.find((fact) => until.types.includes(fact.typeNumber) && until.ends(fact))?.cursor
  }

  /** The part of a piece that is after the cursor and within the limits. */
  #unseen({ cursor, bytes }: OutputPiece): Buffer {
    const end = Math.min(this.#limitCursor, this.#endCursor)
    return bytes.subarray(Math.max(0, this.#cursor - cursor), Math.max(0, end - cursor))
  }

  async #search(
    matcher: OutputMatcher,
    bytes: Buffer,
    stop: () => boolean,
  ): Promise<OutputWaitResult | null> {
    for (let at = 0; at < bytes.length;) {
      const end = Math.min(bytes.length, at + matcher.turnBytes)
      const match = matcher.take(bytes.subarray(at, end))
      if (match !== null) return { matched: true, match, cursor: match.end }
      this.#cursor += end - at
      at = end
      if (at < bytes.length) await othersTurn()
      if (stop()) return null
    }
    return null
  }

  async #atEnd(ended: boolean): Promise<OutputWaitResult | null> {
    if (this.#awaited.kind === 'output') {
      const match = this.#settled || ended ? this.#awaited.matcher.provisional() : null
      if (match !== null) return { matched: true, match, cursor: match.end }
    } else {
      const { judge } = this.#awaited
      const found = judge.atEnd() ?? (ended && judge.byEnd ? this.#cursor : null)
      if (found !== null) return this.#factAt(found)
    }
    return ended ? this.failed('ended') : null
  }

  #factAt(cursor: number): OutputWaitResult {
    return { matched: true, match: null, cursor: Math.max(cursor, this.#options.fromCursor) }
  }

  #resumeCursor(): number {
    if (this.#awaited.kind === 'fact') return this.#cursor
    return Math.max(this.#options.fromCursor, this.#awaited.matcher.resumeCursor())
  }
}

async function othersTurn(): Promise<void> {
  await new Promise(setImmediate)
}

/** The end of the session, and nothing before it. */
export const END_OF_SESSION: FactJudge = {
  words: 'the end of the session',
  types: [],
  take: () => null,
  atEnd: () => null,
  byEnd: true,
}
