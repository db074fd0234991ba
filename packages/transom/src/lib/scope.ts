/**
 * Owns the background work of one thing. A failure in a task, a timer or a guarded callback goes to the owner and
 * nowhere else; closing stops what has not begun and waits for what has.
 */
export class Scope {
  readonly #onFailure: (error: unknown) => void
  readonly #ending = new AbortController()
  readonly #tasks = new Set<Promise<void>>()
  readonly #timers = new Set<NodeJS.Timeout>()

  constructor(onFailure: (error: unknown) => void) {
    this.#onFailure = onFailure
  }

  /** For a process that works for one owner: what fails ends the process. */
  static ofProcess(): Scope {
    return new Scope((error) => {
      throw error
    })
  }

  /** Aborts when the scope closes. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** Starts a task that the scope owns. After the close it is not started. */
  run(task: () => Promise<unknown>): void {
    if (this.signal.aborted) return
    const running = this.#settle(task).finally(() => this.#tasks.delete(running))
    this.#tasks.add(running)
  }

  /** Calls back after a time, unless the returned function or the close comes first. */
  timeout(ms: number, callback: () => void): () => void {
    if (this.signal.aborted) return () => {}
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      this.guard(callback)()
    }, ms)
    this.#timers.add(timer)
    return () => {
      clearTimeout(timer)
      this.#timers.delete(timer)
    }
  }

  /** A callback for code outside the scope: what it throws goes to the owner. After the close it does nothing. */
  guard<A extends unknown[]>(callback: (...args: A) => void): (...args: A) => void {
    return (...args) => {
      if (this.signal.aborted) return
      try {
        callback(...args)
      } catch (error) {
        this.#onFailure(error)
      }
    }
  }

  /** Resolves when no task is left. Idempotent. */
  async close(): Promise<void> {
    this.#ending.abort()
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    await Promise.all(this.#tasks)
  }

  async #settle(task: () => Promise<unknown>): Promise<void> {
    try {
      await task()
    } catch (error) {
      // A task that ends because the scope does has not failed.
      if (!this.signal.aborted) this.#onFailure(error)
    }
  }
}
