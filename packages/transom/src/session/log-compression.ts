import type { Home } from '../home/home.ts'
import { compressLog } from '../log/compress-log.ts'

/**
 * Compresses the logs of sessions that have ended, one after the other, in the background. What cannot be compressed
 * stays as it is: it can be read all the same.
 */
export class LogCompression {
  readonly #home: Home
  readonly #onDone: (savedBytes: number) => void
  readonly #waiting: string[] = []
  #running: Promise<void> = Promise.resolve()
  #stop = new AbortController()
  #pauses = 0

  /** `onDone` is called after each log. */
  constructor(home: Home, onDone: (savedBytes: number) => void) {
    this.#home = home
    this.#onDone = onDone
  }

  get busy(): boolean {
    return this.#waiting.length > 0
  }

  /** A session has ended, and nothing holds its log. */
  add(session: string): void {
    this.#waiting.push(session)
    if (this.#pauses === 0) this.#continue()
  }

  /** For callers that need the lock of a log: compression stops, and resumes afterwards. */
  async pausedWhile<T>(work: () => Promise<T>): Promise<T> {
    this.#pauses++
    this.#stop.abort()
    try {
      await this.#running
      return await work()
    } finally {
      if (--this.#pauses === 0) this.#continue()
    }
  }

  /** Abandons unfinished work. */
  async close(): Promise<void> {
    this.#pauses++
    this.#stop.abort()
    await this.#running
  }

  #continue(): void {
    if (this.#stop.signal.aborted) this.#stop = new AbortController()
    const { signal } = this.#stop
    this.#running = this.#running.then(async () => this.#run(signal))
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (let session = this.#waiting[0]; session !== undefined; session = this.#waiting[0]) {
      const saved = await compressLog(this.#home.events(session), { signal }).catch(() => 0)
      if (signal.aborted) return // the session waits for the next run
      this.#waiting.shift()
      this.#onDone(saved)
    }
  }
}
