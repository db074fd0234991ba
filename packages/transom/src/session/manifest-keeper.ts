import type { Home } from '../home/home.ts'
import type { Manifest } from '../home/manifest.ts'
import { manifestFields, nextLifecycle, type Lifecycle, type LifecycleEvent } from './lifecycle.ts'

/** The manifest of a live session, derived from the session's lifecycle. */
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

  /** Writes it, unless the content on disk is the same. */
  save(): void {
    if (this.#saved === this.#content) return
    this.#home.writeManifest(this.#content)
    this.#saved = this.#content
  }
}
