import { OpError } from '@transom/protocol/errors'
import { errnoOf } from '../../lib/system-error.ts'

/** Input that a program has not read yet. The kernel takes about 64 KiB; past this much more, input is refused. */
export const INPUT_QUEUE_BYTES_MAX = 1 << 20

/** How long to leave a full pty alone. It announces nothing when the program reads again, so it is asked, ever more rarely. */
const RETRY_MS_MIN = 1
const RETRY_MS_MAX = 64

/**
 * Bytes on their way to a program. Written at once when the pty takes them, else kept in order and offered again
 * by and by: never spun on, never blocking the other sessions.
 */
export class WriteQueue {
  readonly #write: (bytes: Uint8Array) => number
  readonly #chunks: Uint8Array[] = []
  #bytes = 0
  #retryMs = RETRY_MS_MIN
  #timer: NodeJS.Timeout | undefined
  #closed = false

  /** `write` returns how many bytes were taken and throws EAGAIN when none can be. */
  constructor(write: (bytes: Uint8Array) => number) {
    this.#write = write
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Whether everything has reached the terminal. */
  get empty(): boolean {
    return this.#bytes === 0
  }

  /** Throws, having taken nothing, when `bytes` more would not fit. */
  assertRoom(bytes: number): void {
    if (this.#bytes === 0 || this.#bytes + bytes <= INPUT_QUEUE_BYTES_MAX) return
    const message = `the program has not read ${this.#bytes} bytes of its input; wait until it does, or interrupt it`
    throw new OpError('input_queue_full', message, {
      queued_bytes: this.#bytes,
      limit_bytes: INPUT_QUEUE_BYTES_MAX,
    })
  }

  push(bytes: Uint8Array): void {
    if (this.#closed || bytes.length === 0) return
    this.#chunks.push(bytes)
    this.#bytes += bytes.length
    if (this.#timer === undefined) this.flush()
  }

  /** Drops what has not been written. */
  forget(): void {
    this.#chunks.length = 0
    this.#bytes = 0
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  /** Offers what is queued again; worth calling when the program shows a sign of life. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (;;) {
      const chunk = this.#chunks[0]
      if (chunk === undefined) return
      const taken = this.#offer(chunk)
      if (taken === null) return
      this.#bytes -= taken
      if (taken === chunk.length) this.#chunks.shift()
      else this.#chunks[0] = chunk.subarray(taken)
      this.#retryMs = RETRY_MS_MIN
    }
  }

  close(): void {
    this.#closed = true
    this.forget()
  }

  /** Bytes taken, or null if there is nothing more to try now. */
  #offer(chunk: Uint8Array): number | null {
    try {
      return this.#write(chunk)
    } catch (error) {
      if (errnoOf(error) === 'EAGAIN') {
        this.#timer = setTimeout(() => this.flush(), this.#retryMs)
        this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS_MAX)
      } else {
        this.close() // EIO: the terminal is closed, so no program can read the input
      }
      return null
    }
  }
}
