/** What a look at the present state came to. */
export type Verdict<T> =
  | { readonly done: T }
  /** Judged again at the next change, and if nothing changes after `dueMs`. */
  | { readonly dueMs: number | null }

export interface Look {
  /** Whether nothing has changed since the last look, which asked for this one by its `dueMs`. */
  readonly due: boolean
  /** Whether time is up: a look that takes long may stop then. Never with a limit of 0. */
  readonly timedOut: () => boolean
}

export interface Wait<T> {
  subscribe(onChange: () => void): () => void
  judge(look: Look): Verdict<T> | Promise<Verdict<T>>
  /** No limit if left out; 0 looks once. */
  readonly timeoutMs?: number | undefined
  /** The outcome if time is up; it may throw. Left out by a caller without a limit, whose signal has one. */
  onTimeout?(): T | Promise<T>
  readonly signal: AbortSignal
}

/**
 * The one way to wait for a state: it is judged now, at every change, and at the time at which a verdict expects it to
 * hold without a change. Nothing is polled. A judge that answers at once sees every change; a slower one sees the state
 * after those that came meanwhile.
 */
export async function waitUntil<T>(wait: Wait<T>): Promise<T> {
  wait.signal.throwIfAborted()
  const loop = new WaitLoop(wait)
  try {
    return await loop.run()
  } finally {
    loop.stop()
  }
}

class WaitLoop<T> {
  readonly #wait: Wait<T>
  readonly #outcome: Promise<T>
  #resolve: (outcome: T | Promise<T>) => void = () => {}
  #reject: (reason: unknown) => void = () => {}
  #unsubscribe = () => {}
  #timeoutTimer: NodeJS.Timeout | undefined
  #dueTimer: NodeJS.Timeout | undefined
  #state: 'first' | 'idle' | 'looking' | 'over' = 'first'
  #changedMeanwhile = false
  #timeIsUp = false

  constructor(wait: Wait<T>) {
    this.#wait = wait
    this.#outcome = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  async run(): Promise<T> {
    const { signal, timeoutMs } = this.#wait
    // Before the first look: what changes after it is announced.
    this.#unsubscribe = this.#wait.subscribe(() => this.#changed())
    signal.addEventListener('abort', this.#onAbort)
    if (timeoutMs !== undefined && timeoutMs > 0)
      this.#timeoutTimer = setTimeout(() => this.#onTimeUp(), timeoutMs)
    this.#look(false)
    return this.#outcome
  }

  stop(): void {
    this.#state = 'over'
    clearTimeout(this.#timeoutTimer)
    clearTimeout(this.#dueTimer)
    this.#wait.signal.removeEventListener('abort', this.#onAbort)
    this.#unsubscribe()
  }

  readonly #onAbort = () => {
    this.stop()
    this.#reject(this.#wait.signal.reason)
  }

  #changed(): void {
    if (this.#state === 'idle') this.#look(false)
    else this.#changedMeanwhile = true
  }

  #onTimeUp(): void {
    this.#timeIsUp = true
    if (this.#state === 'idle') this.#timeOut()
  }

  #look(due: boolean): void {
    clearTimeout(this.#dueTimer)
    this.#changedMeanwhile = false
    this.#state = 'looking'
    try {
      const verdict = this.#wait.judge({ due, timedOut: () => this.#timeIsUp })
      if (verdict instanceof Promise) verdict.then(this.#take, this.#fail)
      else this.#take(verdict)
    } catch (error) {
      this.#fail(error)
    }
  }

  readonly #take = (verdict: Verdict<T>) => {
    if (this.#state === 'over') return
    if ('done' in verdict) {
      this.stop()
      this.#resolve(verdict.done)
    } else if (this.#timeIsUp || this.#wait.timeoutMs === 0) {
      this.#timeOut()
    } else if (this.#changedMeanwhile) {
      this.#look(false)
    } else {
      this.#state = 'idle'
      if (verdict.dueMs !== null)
        this.#dueTimer = setTimeout(() => this.#look(true), Math.max(0, Math.ceil(verdict.dueMs)))
    }
  }

  readonly #fail = (error: unknown) => {
    this.stop()
    this.#reject(error)
  }

  #timeOut(): void {
    this.stop()
    try {
      if (this.#wait.onTimeout === undefined) throw new Error('a wait with a limit says what comes of it')
      this.#resolve(this.#wait.onTimeout())
    } catch (error) {
      this.#reject(error)
    }
  }
}
