import type { ExitRecord, NeedsInput, ParsedParams, WaitResult } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { filledToCursor } from '../grid/canonical-text.ts'
import type { Screen } from '../screen/screen.ts'
import { compileConditions, judgeAll, type Condition, type SearchedText, type Verdict } from './conditions.ts'
import type { EchoTracker } from './echo.ts'
import { CONFIRM_MS, QUIET_MS } from './input-verdict.ts'
import { takeSnapshot } from './snapshot.ts'

/**
 * A wait that takes longer than this to judge (a hard pattern on a huge screen that keeps changing) rests for a
 * multiple of the time it took, so that it never has more than a tenth of the host.
 */
const COSTLY_MS = 4
const REST_FACTOR = 9

/** What the kernel does not announce is asked again at growing intervals, while nothing else happens. */
const SAMPLE_MS_MIN = 50
const SAMPLE_MS_MAX = 1000

export type WaitRequest = Omit<ParsedParams<'session.wait'>, 'session'>

/** What waits see of a live session. Times are of the session's clock, in milliseconds. */
export interface WaitSubject {
  readonly id: string
  readonly screen: Screen
  readonly echo: EchoTracker
  /** Whether more is sure to come without anybody's doing. */
  readonly busy: boolean
  /** Nothing will happen to it any more. */
  readonly ended: boolean
  /** How its program ended; null while it runs, and when nobody saw its end. */
  readonly exit: ExitRecord | null
  /** Why it has failed; null when it has not. */
  readonly failure: string | null
  readonly lastOutputSeq: number
  readonly lastOutputMs: number
  readonly lastInputSeq: number
  readonly lastInputMs: number
  now(): number
  /** Whether the program waits for input, as the kernel shows it now. */
  needsInput(): NeedsInput
}

/**
 * The waits on one session. They are judged when something happens to it, or when the time has come at which one
 * would hold if nothing did; nothing is polled.
 */
export class Waits {
  readonly #subject: WaitSubject
  readonly #pending = new Set<PendingWait>()

  constructor(subject: WaitSubject) {
    this.#subject = subject
  }

  get count(): number {
    return this.#pending.size
  }

  async wait(request: WaitRequest, signal: AbortSignal): Promise<WaitResult> {
    signal.throwIfAborted()
    const conditions = compileConditions(request)
    const wait = new PendingWait(this.#subject, request, conditions, signal)
    this.#pending.add(wait)
    try {
      wait.start()
      return await wait.result
    } finally {
      wait.stop()
      this.#pending.delete(wait)
    }
  }

  /** To be called after every event of the session. */
  check(): void {
    for (const wait of this.#pending) wait.check()
  }
}

class PendingWait {
  readonly result: Promise<WaitResult>
  readonly #subject: WaitSubject
  readonly #request: WaitRequest
  readonly #conditions: readonly Condition[]
  readonly #signal: AbortSignal
  readonly #baseline: number | null
  readonly #startMs: number
  readonly #resolve: (result: WaitResult) => void
  readonly #reject: (reason: unknown) => void
  #stableText: string | null = null
  #stableSinceMs = 0
  #dueTimer: NodeJS.Timeout | undefined
  #timeoutTimer: NodeJS.Timeout | undefined
  #first = true
  #restUntilMs = 0
  #needsInput: NeedsInput | null = null
  #nextSampleMs = 0
  #sampleEveryMs = SAMPLE_MS_MIN

  constructor(
    subject: WaitSubject,
    request: WaitRequest,
    conditions: readonly Condition[],
    signal: AbortSignal,
  ) {
    this.#subject = subject
    this.#request = request
    this.#conditions = conditions
    this.#signal = signal
    this.#baseline = request.after_seq ?? (request.after_input ? subject.lastInputSeq : null)
    this.#startMs = subject.now()
    let resolve: (result: WaitResult) => void = () => {}
    let reject: (reason: unknown) => void = () => {}
    this.result = new Promise((onResult, onFailure) => {
      resolve = onResult
      reject = onFailure
    })
    this.#resolve = resolve
    this.#reject = reject
  }

  start(): void {
    this.#signal.addEventListener('abort', this.#onAbort)
    this.check()
    this.#first = false
    if (this.#request.timeout_ms === 0) this.#reject(this.#timeout())
    else this.#timeoutTimer = setTimeout(() => this.#reject(this.#timeout()), this.#request.timeout_ms)
  }

  stop(): void {
    clearTimeout(this.#dueTimer)
    clearTimeout(this.#timeoutTimer)
    this.#signal.removeEventListener('abort', this.#onAbort)
  }

  check(): void {
    const restMs = this.#restUntilMs - this.#subject.now()
    if (restMs > 0 && !this.#subject.ended) return this.#checkIn(restMs)
    const startMs = performance.now()
    const verdict = this.#judge()
    const tookMs = performance.now() - startMs
    if (tookMs > COSTLY_MS) this.#restUntilMs = this.#subject.now() + tookMs * REST_FACTOR
    if (verdict.holds) {
      this.#resolve(this.#matched(verdict))
    } else if (this.#subject.ended) {
      this.#reject(this.#ended())
    } else {
      clearTimeout(this.#dueTimer)
      if (verdict.dueMs !== null) this.#checkIn(verdict.dueMs)
    }
  }

  #checkIn(ms: number): void {
    clearTimeout(this.#dueTimer)
    this.#dueTimer = setTimeout(() => this.check(), Math.ceil(ms))
  }

  readonly #onAbort = () => this.#reject(this.#signal.reason)

  #judge(): Verdict {
    const { screen, ended, lastOutputMs } = this.#subject
    const now = this.#subject.now()
    const unsettledMs = this.#unsettledMs(now)
    if (unsettledMs === Infinity) return { holds: false, dueMs: null }
    if (unsettledMs > 0) return { holds: false, dueMs: unsettledMs }
    // What is costly is read only by the conditions that look at it: a wait for the exit of a flooding program
    // must not cost it anything.
    const searched = () => this.#searched()
    const needsInput = () => this.#sampleInput(now)
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
        return screen.page()?.url ?? null
      },
      get searched() {
        return searched()
      },
      get needsInput() {
        return needsInput()
      },
      ended,
      quietForMs: now - lastOutputMs,
      stableForMs: this.#stableForMs(now),
    })
  }

  /** The screen's text as it stands, and where they differ with the blanks of a prompt in front of the cursor. */
  #searched(): SearchedText[] {
    const { echo, screen } = this.#subject
    const frame = screen.frame()
    const filled = filledToCursor(screen.canonical(), frame.grid, frame.cursor)
    return [screen.canonical(), ...(filled === null ? [] : [filled])].map((canonical) => ({
      canonical,
      echoes: this.#baseline === null ? [] : echo.echoes(this.#baseline, frame, canonical),
    }))
  }

  #stableForMs(now: number): number {
    if (this.#request.screen_stable_ms === undefined) return 0
    const { text } = this.#subject.screen.canonical()
    if (text !== this.#stableText) {
      // Nobody compared the text before the first look; it can have changed no later than the last output.
      this.#stableSinceMs = this.#stableText === null ? this.#subject.lastOutputMs : now
      this.#stableText = text
    }
    return now - this.#stableSinceMs
  }

  #sampleInput(now: number): NeedsInput | number {
    const { lastOutputMs, lastInputMs } = this.#subject
    const unquietMs = QUIET_MS - (now - Math.max(lastOutputMs, lastInputMs))
    if (unquietMs > 0) {
      this.#sampleEveryMs = SAMPLE_MS_MIN
      this.#nextSampleMs = 0
      this.#needsInput = null
      return unquietMs
    }
    if (now < this.#nextSampleMs) return this.#nextSampleMs - now
    const before = this.#needsInput
    this.#needsInput = this.#subject.needsInput()
    if (this.#needsInput.verdict === 'needs_input') {
      if (before?.verdict === 'needs_input') return this.#needsInput
      this.#nextSampleMs = now + CONFIRM_MS
      return CONFIRM_MS
    }
    this.#nextSampleMs = now + this.#sampleEveryMs
    this.#sampleEveryMs = Math.min(this.#sampleEveryMs * 2, SAMPLE_MS_MAX)
    return this.#nextSampleMs - now
  }

  /** With a baseline: how long to wait until the present state, without output past it, counts all the same. */
  #unsettledMs(now: number): number {
    const { lastOutputSeq, lastOutputMs, lastInputMs, ended } = this.#subject
    if (this.#baseline === null || lastOutputSeq > this.#baseline || ended) return 0
    if (this.#subject.busy) return Infinity
    return this.#request.settle_ms - (now - Math.max(lastOutputMs, lastInputMs))
  }

  #matched(verdict: Verdict & { holds: true }): WaitResult {
    return {
      session: this.#subject.id,
      matched: true,
      outcome: this.#first ? 'immediate' : 'changed',
      elapsed_ms: this.#subject.now() - this.#startMs,
      condition: this.#words(),
      match: verdict.match,
      exit: this.#subject.exit,
      ...(this.#needsInput === null ? {} : { needs_input: this.#needsInput }),
      snapshot: takeSnapshot(this.#subject.id, this.#subject.screen),
    }
  }

  #timeout(): OpError {
    const message = `${this.#words()} did not come true within ${this.#request.timeout_ms} ms; the screen is in the details`
    return new OpError('wait_timeout', message, this.#seen())
  }

  #ended(): OpError {
    const { screen_stable_ms, idle_ms } = this.#request
    const unprovable = screen_stable_ms !== undefined || idle_ms !== undefined
    const hint = unprovable
      ? '; how long a screen has lasted cannot be proven once its session has ended'
      : ''
    const { exit, failure } = this.#subject
    const how = failure === null ? `ended ${exitWords(exit)}` : `failed (${failure})`
    const message = `the session ${how} before this came true: ${this.#words()}${hint}`
    return new OpError('session_ended', message, { exit, failure, ...this.#seen() })
  }

  #seen(): Record<string, unknown> {
    return {
      condition: this.#words(),
      elapsed_ms: this.#subject.now() - this.#startMs,
      ...(this.#needsInput === null ? {} : { needs_input: this.#needsInput }),
      snapshot: takeSnapshot(this.#subject.id, this.#subject.screen),
    }
  }

  #words(): string {
    return this.#conditions.map((condition) => condition.words).join(this.#request.any ? ' or ' : ' and ')
  }
}

function exitWords(exit: ExitRecord | null): string {
  if (exit === null) return 'without anyone seeing its exit'
  return exit.signal === null ? `with exit code ${exit.code}` : `by ${exit.signal}`
}
