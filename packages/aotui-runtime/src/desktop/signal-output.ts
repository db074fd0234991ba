import type { UpdateSignal } from '../contract/command.ts'

export interface SignalOutputStream {
  subscribe(listener: (signal: UpdateSignal) => void): void
  unsubscribe(listener: (signal: UpdateSignal) => void): void
}

const LISTENERS_MAX = 1000 // far more observers than a desktop has; past this someone forgets to unsubscribe
const MUTATION_INTERVAL_MS = 50 // between two signals of changed documents: twenty a second

/**
 * Reports that something changed, never what: observers pull a snapshot when they want one (spec section 5.5). The first
 * change is reported at once; those that follow within the interval share one signal at its end.
 */
export class SignalOutput implements SignalOutputStream {
  readonly #listeners = new Set<(signal: UpdateSignal) => void>()
  #timer: NodeJS.Timeout | undefined
  #waiting: UpdateSignal | undefined

  subscribe(listener: (signal: UpdateSignal) => void): void {
    if (this.#listeners.size >= LISTENERS_MAX)
      throw new Error(`more than ${LISTENERS_MAX} listeners; is unsubscribe called?`)
    this.#listeners.add(listener)
  }

  unsubscribe(listener: (signal: UpdateSignal) => void): void {
    this.#listeners.delete(listener)
  }

  emit(signal: UpdateSignal): void {
    if (signal.reason !== 'dom_mutation') {
      // In order: what changed before is reported before.
      this.#flush()
      return this.#deliver(signal)
    }
    if (this.#timer !== undefined) {
      this.#waiting = signal
      return
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      const waiting = this.#waiting
      this.#waiting = undefined
      if (waiting !== undefined) this.emit(waiting)
    }, MUTATION_INTERVAL_MS)
    this.#deliver(signal)
  }

  clear(): void {
    this.#listeners.clear()
    this.#waiting = undefined
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #flush(): void {
    const signal = this.#waiting
    this.#waiting = undefined
    if (signal !== undefined) this.#deliver(signal)
  }

  /** One observer's failure is its own: it is thrown where nobody else is in the way. */
  #deliver(signal: UpdateSignal): void {
    for (const listener of this.#listeners) {
      try {
        listener({ ...signal })
      } catch (error) {
        queueMicrotask(() => {
          throw error
        })
      }
    }
  }
}
