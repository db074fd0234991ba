import { OpError } from '@transom/protocol/errors'
import type { Grant } from './token-store.ts'

/** Each has a connection to the host, which takes a few hundred without noticing. */
const STREAMS_MAX = 256

interface OpenStream {
  readonly grant: Grant
  close(): void
}

export interface StreamSlot {
  /** Gives the place free; once is enough, and more does no harm. */
  release(): void
}

/** The streams that are open at the same time: WebSockets and Server-Sent Events. */
export class StreamSlots {
  readonly #open = new Set<OpenStream>()
  readonly #max: number

  constructor(max: number = STREAMS_MAX) {
    this.#max = max
  }

  get count(): number {
    return this.#open.size
  }

  take(stream: OpenStream): StreamSlot {
    if (this.#open.size >= this.#max) {
      const message = `${this.#max} streams are open; close one, or ask again later`
      throw new OpError('too_many_requests', message, { streams: this.#max })
    }
    this.#open.add(stream)
    return { release: () => this.#open.delete(stream) }
  }

  /** Ends those whose token is no longer valid. */
  closeInvalid(isValid: (grant: Grant) => boolean): void {
    for (const stream of this.#open) if (!isValid(stream.grant)) stream.close()
  }

  closeAll(): void {
    for (const stream of this.#open) stream.close()
  }
}
