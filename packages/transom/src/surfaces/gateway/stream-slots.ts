import { OpError } from '@transom/protocol/errors'
import type { Grant } from './token-store.ts'

export interface StreamLimits {
  readonly streamsMax: number
  readonly streamsPerTokenMax: number
}

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
  readonly #limits: StreamLimits

  constructor(limits: StreamLimits) {
    this.#limits = limits
  }

  get count(): number {
    return this.#open.size
  }

  take(stream: OpenStream): StreamSlot {
    const { streamsMax, streamsPerTokenMax } = this.#limits
    const own = [...this.#open].filter(({ grant }) => grant.id === stream.grant.id).length
    if (own >= streamsPerTokenMax)
      throw tooMany(streamsPerTokenMax, `${streamsPerTokenMax} streams with this token are open; close one`)
    if (this.#open.size >= streamsMax)
      throw tooMany(streamsMax, `${streamsMax} streams are open; close one, or ask again later`)
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

function tooMany(streams: number, message: string): OpError {
  return new OpError('too_many_requests', message, { streams })
}
