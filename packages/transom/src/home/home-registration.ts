import { type HomeRegistry, withHome } from './home-registry.ts'

/**
 * Keeps a Home in the Home Registry. It is never in the way: what fails or takes time fails no session and delays
 * none, and the next session tries again.
 */
export class HomeRegistration {
  readonly #home: string
  /** Null for a Home that is not to be found. */
  readonly #registry: HomeRegistry | null
  readonly #closing = new AbortController()
  #pending: Promise<void> | null = null

  constructor(home: string, registry: HomeRegistry | null) {
    this.#home = home
    this.#registry = registry
  }

  /** The Home hosts a session: it enters now, or in the background while another process has the registry. */
  ensure(): void {
    if (this.#registry === null || this.#pending !== null) return
    // Always under the lock: without it, this could see an entry that another process is about to prune.
    const enter = (homes: Parameters<typeof withHome>[0]) =>
      withHome(homes, this.#home, new Date().toISOString())
    try {
      if (this.#registry.tryUpdate(enter)) return
    } catch {
      return // the registry is advisory: sessions work without it
    }
    this.#pending = this.#registry
      .update(enter, this.#closing.signal)
      .then(
        () => {},
        () => {}, // as above, or the host leaves
      )
      .finally(() => (this.#pending = null))
  }

  /** Resolves when no registration is under way. */
  async settled(): Promise<void> {
    await this.#pending
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#pending
  }
}
