import type { Home } from '../home/home.ts'
import type { Manifest } from '../home/manifest.ts'
import { manifestFields, nextLifecycle, type Lifecycle, type LifecycleEvent } from './lifecycle.ts'

/** The manifest of a live session: what it says follows from the session's life. */
export class ManifestKeeper {
  readonly #home: Home
  #lifecycle: Lifecycle = { status: 'starting' }
  #content: Manifest
  #saved: Manifest | null = null

  constructor(home: Home, starting: Manifest) {
    this.#home = home
    this.#content = starting
  }

  get content(): Manifest {
    return this.#content
  }

  get lifecycle(): Lifecycle {
    return this.#lifecycle
  }

  advance(event: LifecycleEvent): void {
    this.#lifecycle = nextLifecycle(this.#lifecycle, event)
    this.#content = { ...this.#content, ...manifestFields(this.#lifecycle) }
  }

  change(change: Partial<Pick<Manifest, 'cols' | 'rows' | 'url' | 'paused'>>): void {
    this.#content = { ...this.#content, ...change }
  }

  /** Writes it, unless it says on disk what it says here. */
  save(): void {
    if (this.#saved === this.#content) return
    this.#home.writeManifest(this.#content)
    this.#saved = this.#content
  }
}
