/** Announces that something has changed to those that subscribe. */
export class Changes {
  readonly #observers = new Set<() => void>()

  get observerCount(): number {
    return this.#observers.size
  }

  /** Calls `observer` after every change, until the returned function is called. */
  subscribe(observer: () => void): () => void {
    this.#observers.add(observer)
    return () => void this.#observers.delete(observer)
  }

  announce(): void {
    for (const observer of this.#observers) observer()
  }
}

/** Changes as something to await: many within one turn of the event loop count as one. */
export class FoldedChanges {
  #changed = false
  #wake = () => {}
  readonly #signal: AbortSignal

  constructor(signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener('abort', () => this.#wake(), { once: true })
  }

  readonly announce = (): void => {
    if (this.#changed) return
    this.#changed = true
    setImmediate(() => this.#wake())
  }

  /** Resolves after a change that no earlier call has returned for, or at an abort. */
  async next(): Promise<void> {
    if (!this.#changed && !this.#signal.aborted) await new Promise<void>((resolve) => (this.#wake = resolve))
    this.#changed = false
  }
}
