import type { UpdateSignal } from '../contract/command.ts'

export interface SignalOutputStream {
  subscribe(listener: (signal: UpdateSignal) => void): void
  unsubscribe(listener: (signal: UpdateSignal) => void): void
}

const LISTENERS_MAX = 1000 // far more observers than a desktop has; past this someone forgets to unsubscribe

/** Tells observers that something changed, never what: they pull a snapshot when they want one (spec section 5.5). */
export class SignalOutput implements SignalOutputStream {
  readonly #listeners = new Set<(signal: UpdateSignal) => void>()

  subscribe(listener: (signal: UpdateSignal) => void): void {
    if (this.#listeners.size >= LISTENERS_MAX)
      throw new Error(`more than ${LISTENERS_MAX} listeners; is unsubscribe called?`)
    this.#listeners.add(listener)
  }

  unsubscribe(listener: (signal: UpdateSignal) => void): void {
    this.#listeners.delete(listener)
  }

  /** One observer's failure is its own: it is thrown where nobody else is in the way. */
  emit(signal: UpdateSignal): void {
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

  clear(): void {
    this.#listeners.clear()
  }
}
