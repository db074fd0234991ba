import type { NeedsInput } from '@transom/protocol'

/**
 * A program that has just been given something has not read it yet, and one that prints may not be done: only after
 * so long without either is it worth asking what it waits for.
 */
export const QUIET_MS = 50
/** A second look follows after this time: what was printed just before the first may not have been read then. */
const CONFIRM_MS = 10
/** What the kernel does not announce is asked again at growing intervals, while nothing else happens. */
const SAMPLE_MS_MIN = 50
const SAMPLE_MS_MAX = 1000

/** A session, as far as it is asked whether its program waits for input. */
export interface SampledSession {
  readonly recency: { readonly lastOutputMs: number; readonly lastInputMs: number }
  now(): number
  needsInput(): NeedsInput
}

/** Asks whether a program waits for input, for as long as a wait lasts: only while the program is quiet, and rarely. */
export class InputSampler {
  readonly #session: SampledSession
  #last: NeedsInput | null = null
  #nextMs = 0
  #everyMs = SAMPLE_MS_MIN

  constructor(session: SampledSession) {
    this.#session = session
  }

  /** The last answer since the program became quiet. */
  get last(): NeedsInput | null {
    return this.#last
  }

  /** The answer, or in how many milliseconds it is worth asking. A program needs input if two looks agree. */
  sample(): NeedsInput | number {
    const now = this.#session.now()
    const { lastOutputMs, lastInputMs } = this.#session.recency
    const unquietMs = QUIET_MS - (now - Math.max(lastOutputMs, lastInputMs))
    if (unquietMs > 0) {
      this.#everyMs = SAMPLE_MS_MIN
      this.#nextMs = 0
      this.#last = null
      return unquietMs
    }
    if (now < this.#nextMs) return this.#nextMs - now
    const before = this.#last
    this.#last = this.#session.needsInput()
    if (this.#last.verdict === 'needs_input') {
      if (before?.verdict === 'needs_input') return this.#last
      this.#nextMs = now + CONFIRM_MS
      return CONFIRM_MS
    }
    this.#nextMs = now + this.#everyMs
    this.#everyMs = Math.min(this.#everyMs * 2, SAMPLE_MS_MAX)
    return this.#nextMs - now
  }
}

/** For what has no terminal, or none any more. */
export function unknownInput(note: string): NeedsInput {
  const nothing = { program: null, pid: null, waits_in: null, fd: null, echo: null, canonical: null }
  return { verdict: 'unknown', reason: null, prompt: '', evidence: { ...nothing, quiet_ms: 0, note } }
}
