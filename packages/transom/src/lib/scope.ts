/**
 * What has been opened so far, to be closed in reverse. Closing attempts every step and then throws one
 * AggregateError; closing again does nothing.
 */
export class Scope {
  readonly #closers: (() => void | Promise<void>)[] = []

  add(close: () => void | Promise<void>): void {
    this.#closers.push(close)
  }

  /** Forgets everything: whoever built the thing has handed it over. */
  release(): void {
    this.#closers.length = 0
  }

  async close(): Promise<void> {
    const failures: unknown[] = []
    for (;;) {
      const close = this.#closers.pop()
      if (close === undefined) break
      try {
        await close()
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'closing failed')
  }
}
