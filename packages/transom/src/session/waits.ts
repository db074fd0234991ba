import type { BlockRef, ExitRecord, NeedsInput, ParsedParams, WaitResult } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { filledToCursor, type CanonicalText, type TextSpan } from '@transom/grid'
import { endedBlock, type BlockHistory } from '../blocks/block-waits.ts'
import { waitUntil, type Verdict } from '../lib/wait-until.ts'
import type { Frame } from '../terminal/emulator.ts'
import {
  compileConditions,
  judgeAll,
  type Condition,
  type ConditionVerdict,
  type Held,
  type SearchedText,
} from './conditions.ts'
import type { Lease } from './lease.ts'
import { InputSampler } from './needs-input.ts'
import type { Projection } from './projection.ts'
import { takeSnapshot } from './snapshot.ts'
import { isWrittenSince, joinedSpans, standingText } from './standing-text.ts'

/**
 * A wait that takes longer than this to judge (a hard pattern on a huge screen that keeps changing) rests for a
 * multiple of the time it took, so that it never has more than a tenth of the host.
 */
const COSTLY_MS = 4
const REST_FACTOR = 9

export type WaitRequest = Omit<ParsedParams<'session.wait'>, 'session'>

/** What waits see of a session. Times are of the session's clock, in milliseconds. */
export interface WaitSubject {
  readonly id: string
  readonly screen: Projection
  /** Whether more is sure to come without an input. */
  readonly busy: boolean
  /** Nothing will happen to it any more. */
  readonly ended: boolean
  /** How its program ended; null while it runs, and if its end was not seen. */
  readonly exit: ExitRecord | null
  /** Why it has failed; null if it has not. */
  readonly failure: string | null
  readonly recency: Recency
  /** Null for a session that has ended. */
  readonly lease: WatchedLease | null
  /** For how long no request of a web page has been open; null while one is, and for what has no network. */
  readonly networkIdleForMs: number | null
  now(): number
  /** Whether the program waits for input, as the kernel shows it now. */
  needsInput(): NeedsInput
  /** Its blocks; throws `wrong_kind` if it can have none. */
  capability(wanted: 'blocks'): BlockHistory
  /** Where the text typed at or after `seq` is echoed on the screen. */
  echoes(seq: number, frame: Frame, canonical: CanonicalText): readonly TextSpan[]
  subscribe(observer: () => void): () => void
}

/** The lease of a session, as far as waits look at it. */
export type WatchedLease = Pick<Lease, 'epoch' | 'isOpenTo' | 'holds' | 'changedError'>

/** When a session printed and was typed to last. */
export interface Recency {
  readonly lastOutputSeq: number
  readonly lastOutputMs: number
  readonly lastInputSeq: number
  readonly lastInputMs: number
}

/** Waits until all conditions of a request hold in the same state, or any of them if it requests that. */
export async function waitForConditions(
  subject: WaitSubject,
  request: WaitRequest,
  signal: AbortSignal,
): Promise<WaitResult> {
  const wait = new ConditionWait(subject, request)
  return waitUntil({
    subscribe: (onChange) => subject.subscribe(onChange),
    judge: () => wait.judge(),
    timeoutMs: request.timeout_ms,
    onTimeout: () => wait.timedOut(),
    signal,
  })
}

class ConditionWait {
  readonly #subject: WaitSubject
  readonly #request: WaitRequest
  readonly #conditions: readonly Condition[]
  readonly #baseline: number | null
  readonly #startMs: number
  readonly #epoch: number
  #stableText: string | null = null
  #stableSinceMs = 0
  #isFirst = true
  #restUntilMs = 0
  readonly #input: InputSampler

  constructor(subject: WaitSubject, request: WaitRequest) {
    this.#subject = subject
    this.#request = request
    this.#conditions = compileConditions(request)
    this.#baseline = request.after_seq ?? (request.after_input ? subject.recency.lastInputSeq : null)
    this.#startMs = subject.now()
    this.#epoch = subject.lease?.epoch ?? 0
    this.#input = new InputSampler(subject)
  }

  /** Throws if the session has ended and none of it can come true any more. */
  judge(): Verdict<WaitResult> {
    this.#assertSameHands()
    const restMs = this.#restUntilMs - this.#subject.now()
    if (restMs > 0 && !this.#subject.ended) return { dueMs: restMs }
    const startMs = performance.now()
    const held = this.#judgeConditions()
    const tookMs = performance.now() - startMs
    if (tookMs > COSTLY_MS) this.#restUntilMs = this.#subject.now() + tookMs * REST_FACTOR
    const outcome = this.#isFirst ? 'immediate' : 'changed'
    this.#isFirst = false
    if (held.holds) return { done: this.#matched(held, outcome) }
    if (this.#subject.ended) throw this.#ended()
    return { dueMs: held.dueMs }
  }

  timedOut(): never {
    const message = `${this.#words()} did not come true within ${this.#request.timeout_ms} ms${this.#stoodBefore()}`
    throw new OpError('wait_timeout', message, this.#seen())
  }

  /** A wait for the outcome of an input learns that the session has changed hands since. */
  #assertSameHands(): void {
    const { lease } = this.#subject
    const { writable = false, lease: handle = null } = this.#request
    if (this.#baseline === null || writable || lease === null) return
    if (lease.epoch !== this.#epoch && !lease.holds(handle)) throw lease.changedError(this.#seen())
  }

  #judgeConditions(): ConditionVerdict {
    const now = this.#subject.now()
    const unsettledMs = this.#unsettledMs(now)
    if (unsettledMs > 0) return { holds: false, dueMs: finite(unsettledMs) }
    const standingMs = this.#standingMs(now)
    const held = this.#judgeScreen(now, standingMs === 0)
    if (held.holds || standingMs === 0) return held
    return { holds: false, dueMs: finite(Math.min(held.dueMs ?? Infinity, standingMs)) }
  }

  /** `standing`: text that stood on the screen before the baseline counts, too. */
  #judgeScreen(now: number, standing: boolean): ConditionVerdict {
    const { screen, ended, recency, busy, networkIdleForMs } = this.#subject
    // What is costly is read only by the conditions that look at it: a wait for the exit of a flooding program
    // must not cost it anything.
    const searched = () => this.#searched(standing)
    const needsInput = () => this.#input.sample()
    const blockEnded = (wanted: BlockRef) => endedBlock(this.#subject.capability('blocks'), wanted)
    return judgeAll(this.#conditions, this.#request.any ?? false, {
      get canonical() {
        return screen.canonical()
      },
      get cursor() {
        return screen.frame().cursor
      },
      get title() {
        return screen.frame().title
      },
      get url() {
        return screen.views.page?.().url ?? null
      },
      get searched() {
        return searched()
      },
      get needsInput() {
        return needsInput()
      },
      blockEnded,
      ended,
      busy,
      networkIdleForMs,
      writable: this.#subject.lease?.isOpenTo(this.#request.lease ?? null) ?? false,
      quietForMs: now - recency.lastOutputMs,
      stableForMs: this.#stableForMs(now),
    })
  }

  /** The screen's text as it stands, and if they differ with the blanks of a prompt in front of the cursor. */
  #searched(standing: boolean): SearchedText[] {
    const { screen } = this.#subject
    const frame = screen.frame()
    const filled = filledToCursor(screen.canonical(), frame.grid, frame.cursor)
    return [screen.canonical(), ...(filled === null ? [] : [filled])].map((canonical) => ({
      grid: frame.text,
      canonical,
      ignored: this.#ignored(frame, canonical, standing),
    }))
  }

  #ignored(frame: Frame, canonical: CanonicalText, standing: boolean): TextSpan[] {
    if (this.#baseline === null) return []
    const echoes = this.#subject.echoes(this.#baseline, frame, canonical)
    return joinedSpans(standing ? echoes : [...echoes, ...standingText(this.#baseline, frame, canonical)])
  }

  /**
   * In how many milliseconds without output text counts that was on the screen before the baseline (ADR 052). It does
   * if nothing has been drawn since, and if the program draws the whole screen: it leaves alone what is as it should
   * be. In lines of output such a text is an older answer.
   */
  #standingMs(now: number): number {
    const { screen, ended, busy, recency } = this.#subject
    const { text, regex } = this.#request
    if (this.#baseline === null || (text === undefined && regex === undefined)) return 0
    const isWhole = screen.views.page !== undefined || screen.views.modes?.().alt_screen === true
    if (!isWhole && isWrittenSince(this.#baseline, screen.frame())) return Infinity
    if (ended) return 0
    if (busy) return Infinity
    return Math.max(0, this.#request.settle_ms - (now - Math.max(recency.lastOutputMs, recency.lastInputMs)))
  }

  #stoodBefore(): string {
    const now = this.#subject.now()
    const isOld = this.#standingMs(now) > 0 && this.#judgeScreen(now, true).holds
    return isOld ? '; it is on the screen, but was there before the baseline' : ''
  }

  #stableForMs(now: number): number {
    if (this.#request.screen_stable_ms === undefined) return 0
    const { text } = this.#subject.screen.canonical()
    if (text !== this.#stableText) {
      // The text was not compared before the first look. It cannot have changed after the last output.
      this.#stableSinceMs = this.#stableText === null ? this.#subject.recency.lastOutputMs : now
      this.#stableText = text
    }
    return now - this.#stableSinceMs
  }

  /** With a baseline: how long to wait until the present state, without output past it, counts all the same. */
  #unsettledMs(now: number): number {
    const { ended, busy, recency } = this.#subject
    if (this.#baseline === null || recency.lastOutputSeq > this.#baseline || ended) return 0
    if (busy) return Infinity
    return this.#request.settle_ms - (now - Math.max(recency.lastOutputMs, recency.lastInputMs))
  }

  #matched({ match, block }: Held, outcome: WaitResult['outcome']): WaitResult {
    return {
      session: this.#subject.id,
      matched: true,
      outcome,
      elapsed_ms: this.#subject.now() - this.#startMs,
      condition: this.#words(),
      match,
      exit: this.#subject.exit,
      ...(block === undefined ? {} : { block }),
      ...this.#inputSeen(),
      snapshot: takeSnapshot(this.#subject.id, this.#subject.screen),
    }
  }

  #ended(): OpError {
    const { screen_stable_ms, idle_ms, network_idle_ms } = this.#request
    const unprovable = [screen_stable_ms, idle_ms, network_idle_ms].some((ms) => ms !== undefined)
    const hint = unprovable
      ? '; how long a screen has lasted cannot be proven once its session has ended'
      : ''
    const { exit, failure } = this.#subject
    const how = failure === null ? `ended ${exitWords(exit)}` : `failed (${failure})`
    const message = `the session ${how} before this came true: ${this.#words()}${hint}${this.#stoodBefore()}`
    return new OpError('session_ended', message, { exit, failure, ...this.#seen() })
  }

  #seen(): Record<string, unknown> {
    return {
      condition: this.#words(),
      elapsed_ms: this.#subject.now() - this.#startMs,
      ...this.#inputSeen(),
      snapshot: takeSnapshot(this.#subject.id, this.#subject.screen),
    }
  }

  #inputSeen(): Pick<WaitResult, 'needs_input'> {
    return this.#input.last === null ? {} : { needs_input: this.#input.last }
  }

  #words(): string {
    return this.#conditions.map((condition) => condition.words).join(this.#request.any ? ' or ' : ' and ')
  }
}

function finite(ms: number): number | null {
  return ms === Infinity ? null : ms
}

function exitWords(exit: ExitRecord | null): string {
  if (exit === null) return 'without anyone seeing its exit'
  return exit.signal === null ? `with exit code ${exit.code}` : `by ${exit.signal}`
}
