import { setImmediate as nextTurn } from 'node:timers/promises'

/** Long enough that giving turns costs nothing, and short enough that no keystroke beside it seems late. */
const TURN_MS = 10

/** Cuts long work into turns of the event loop, so that other sessions are served in between. */
export class Turns {
  readonly #now: () => number
  #sinceMs: number

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#sinceMs = now()
  }

  /** Whether the work has gone on for long enough. */
  get isDue(): boolean {
    return this.#now() - this.#sinceMs >= TURN_MS
  }

  /** Lets everything else run that is ready to. */
  async give(): Promise<void> {
    await nextTurn()
    this.#sinceMs = this.#now()
  }
}
