import type { HomeUsage, Quota } from './quota.ts'

/** How long a session may last and how large it may grow. */
export interface SessionLimits {
  readonly quota: Quota
  /** Null for no limit. */
  readonly idleTimeoutMs: number | null
}

/** What the limits need to know of a session, and do to it. */
export interface LimitedSession {
  /** What its log takes on disk. */
  logBytes(): number
  /** Milliseconds since the last input or output. */
  idleMs(): number
  /** Stops the program from printing, or lets it go on. */
  setOverQuota(over: boolean): void
  end(because: 'idle_timeout' | 'quota'): void
  /** Calls back after a time, unless the returned function is called or the session ends first. */
  timeout(ms: number, callback: () => void): () => void
}

/** Keeps one session within its limits. */
export class LimitWatch {
  readonly #session: LimitedSession
  readonly #usage: Pick<HomeUsage, 'bytes' | 'add'>
  readonly #idleTimeoutMs: number | null
  #quota: Quota
  /** How much of its log the usage of the Home includes. */
  #countedBytes = 0
  #cancelIdle = () => {}

  constructor(session: LimitedSession, limits: SessionLimits, usage: Pick<HomeUsage, 'bytes' | 'add'>) {
    this.#session = session
    this.#usage = usage
    this.#quota = limits.quota
    this.#idleTimeoutMs = limits.idleTimeoutMs
  }

  get quota(): Quota {
    return this.#quota
  }

  setQuota(change: Partial<Quota>): void {
    this.#quota = { ...this.#quota, ...change }
    this.check()
  }

  /** To be called for each output, after it was logged, and when less is stored than before. */
  check(): void {
    const bytes = this.#count()
    const { policy, sessionBytes, homeBytes } = this.#quota
    const over = bytes > sessionBytes || this.#usage.bytes > homeBytes
    if (over && policy === 'end') this.#session.end('quota')
    else this.#session.setOverQuota(over && policy === 'pause')
  }

  /** Looks again when the session could have been idle for long enough, and not before. */
  watchIdle(): void {
    if (this.#idleTimeoutMs === null) return
    const idleMs = this.#session.idleMs()
    if (idleMs >= this.#idleTimeoutMs) this.#session.end('idle_timeout')
    else {
      const restMs = Math.ceil(this.#idleTimeoutMs - idleMs)
      this.#cancelIdle = this.#session.timeout(restMs, () => this.watchIdle())
    }
  }

  close(): void {
    this.#cancelIdle()
    this.#count()
  }

  #count(): number {
    const bytes = this.#session.logBytes()
    this.#usage.add(bytes - this.#countedBytes)
    this.#countedBytes = bytes
    return bytes
  }
}
