import { OpError } from '@transom/protocol/errors'

/** How long to leave a disk alone that refused a write. It announces nothing when there is room again. */
const RETRY_MS = 250

interface Step {
  readonly write: (() => void) | null
  readonly next: (() => void) | null
}

/**
 * Disk writes, in order. When the disk refuses one, it is retried, and those after it wait. The source is paused
 * meanwhile: nothing is lost, and nothing piles up.
 */
export class DiskWrites {
  readonly #onStall: (stalled: boolean) => void
  readonly #onFailure: (error: unknown) => void
  readonly #waiting: Step[] = []
  /** While a step that waited is carried out: where the writes go that it makes. They come before those after it. */
  #insertAt: number | null = null
  #timer: NodeJS.Timeout | undefined
  #closed = false

  /** `onFailure` gets what a retry throws, `onStall` included. Other errors are thrown to the caller. */
  constructor(onStall: (stalled: boolean) => void, onFailure: (error: unknown) => void) {
    this.#onStall = onStall
    this.#onFailure = onFailure
  }

  /**
   * Writes now, or after the writes that wait, and then calls `next`. `write` does nothing but write, and changes
   * nothing if it throws: an OpError of it is the disk's refusal. What `next` throws is a bug.
   */
  write(write: () => void, next: (() => void) | null = null): void {
    if (this.#closed) return
    if (this.#waiting.length > 0 || !this.#attempt(write)) this.#add({ write, next })
    else next?.()
  }

  /** Calls `run` once every write before it has been made. */
  after(run: () => void): void {
    if (this.#closed) return
    if (this.#waiting.length > 0) this.#add({ write: null, next: run })
    else run()
  }

  get stalled(): boolean {
    return this.#timer !== undefined
  }

  /** Gives up what waits, and ignores what comes. */
  close(): void {
    this.#closed = true
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#waiting.length = 0
  }

  #add(step: Step): void {
    if (this.#insertAt === null) this.#waiting.push(step)
    else this.#waiting.splice(this.#insertAt++, 0, step)
    if (this.#timer !== undefined) return
    this.#timer = setInterval(() => this.#retry(), RETRY_MS)
    this.#onStall(true)
  }

  #retry(): void {
    try {
      for (;;) {
        const step = this.#waiting[0]
        if (step === undefined) break
        if (step.write !== null && !this.#attempt(step.write)) return
        this.#waiting.shift()
        this.#insertAt = 0
        step.next?.()
        this.#insertAt = null
      }
      clearInterval(this.#timer)
      this.#timer = undefined
      if (!this.#closed) this.#onStall(false)
    } catch (error) {
      this.#insertAt = null
      this.#onFailure(error)
    }
  }

  #attempt(write: () => void): boolean {
    try {
      write()
      return true
    } catch (error) {
      if (error instanceof OpError) return false // the disk is full, failing or read-only; anything else is a bug
      throw error
    }
  }
}
