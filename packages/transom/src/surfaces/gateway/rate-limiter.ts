import { OpError } from '@transom/protocol/errors'

interface Bucket {
  tokens: number
  atMs: number
}

const BUCKETS_MAX = 10_000 // past this the least recently used is dropped; it would be full again anyway

/** So many per second and caller on average, twice as many at once. */
export class RateLimiter {
  readonly #perSecond: number
  readonly #now: () => number
  readonly #buckets = new Map<string, Bucket>()

  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond
    this.#now = now
  }

  /** Counts one; throws `rate_limited` when the caller has had all that it may have. */
  take(caller: string, what: string): void {
    const now = this.#now()
    const burst = this.#perSecond * 2
    const before = this.#buckets.get(caller) ?? { tokens: burst, atMs: now }
    const tokens = Math.min(burst, before.tokens + ((now - before.atMs) * this.#perSecond) / 1000)
    const isOver = tokens < 1
    this.#buckets.delete(caller) // to the end of the map: the first is the one that was seen longest ago
    this.#buckets.set(caller, { tokens: isOver ? tokens : tokens - 1, atMs: now })
    this.#forgetOldest()
    if (!isOver) return
    const retryAfterMs = Math.ceil(((1 - tokens) * 1000) / this.#perSecond)
    const message = `more than ${this.#perSecond} ${what} a second; try again in ${retryAfterMs} ms`
    throw new OpError('rate_limited', message, { retry_after_ms: retryAfterMs })
  }

  #forgetOldest(): void {
    if (this.#buckets.size <= BUCKETS_MAX) return
    const [oldest] = this.#buckets.keys()
    if (oldest !== undefined) this.#buckets.delete(oldest)
  }
}
