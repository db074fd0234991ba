import { OpError } from '@transom/protocol/errors'

/** How long to leave a disk alone that refused a write. It announces nothing when there is room again. */
const RETRY_MS = 250

/**
 * Steps that must each reach the disk, in order. When the disk refuses one, it and those after it wait and are
 * tried again, and whoever produces them is told to stop: nothing is lost, and nothing piles up.
 */
export class DiskSteps {
  readonly #onStall: (stalled: boolean) => void
  readonly #waiting: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined

  constructor(onStall: (stalled: boolean) => void) {
    this.#onStall = onStall
  }

  /** Runs `step` now, or after those that wait. It must change nothing when it throws. */
  run(step: () => void): void {
    if (this.#waiting.length === 0 && this.#attempt(step)) return
    this.#waiting.push(step)
    if (this.#timer !== undefined) return
    this.#onStall(true)
    this.#timer = setInterval(() => this.#retry(), RETRY_MS)
  }

  get stalled(): boolean {
    return this.#timer !== undefined
  }

  /** Gives up what waits. */
  close(): void {
    clearInterval(this.#timer)
    this.#waiting.length = 0
  }

  #retry(): void {
    for (;;) {
      const step = this.#waiting[0]
      if (step === undefined) break
      if (!this.#attempt(step)) return
      this.#waiting.shift()
    }
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#onStall(false)
  }

  #attempt(step: () => void): boolean {
    try {
      step()
      return true
    } catch (error) {
      if (error instanceof OpError) return false // the disk is full, failing or read-only; anything else is a bug
      throw error
    }
  }
}
