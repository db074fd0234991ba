import * as fs from 'node:fs'
import * as path from 'node:path'
import type { Home } from '../../home/home.ts'

interface Watched {
  readonly watcher: fs.FSWatcher
  /** False for a newborn whose manifest is not written yet. */
  readonly active: boolean
}

/**
 * Reports when sessions of a Home start and end, on any host, by the files that hosts write. It asks no host,
 * and so starts none. Nothing is watched while there is no listener.
 */
export class SessionListWatch {
  readonly #home: Home
  readonly #listeners = new Set<(session: string) => void>()
  readonly #watched = new Map<string, Watched>()
  /** Nothing more happens to these than that their folders are removed. */
  readonly #ended = new Set<string>()
  #folder: fs.FSWatcher | null = null

  constructor(home: Home) {
    this.#home = home
  }

  /** Calls `listener` with the id of each session that has come or gone, until the returned function is called. */
  subscribe(listener: (session: string) => void): () => void {
    this.#listeners.add(listener)
    if (this.#folder === null) this.#open()
    return () => {
      if (this.#listeners.delete(listener) && this.#listeners.size === 0) this.#close()
    }
  }

  #open(): void {
    const listening = [...this.#listeners]
    this.#listeners.clear() // those that are there already have not come just now
    this.#folder = fs.watch(path.join(this.#home.path, 'sessions'), () => this.#look())
    this.#folder.on('error', () => {}) // the Home was removed, with every session
    this.#look()
    for (const listener of listening) this.#listeners.add(listener)
  }

  #close(): void {
    this.#folder?.close()
    this.#folder = null
    for (const { watcher } of this.#watched.values()) watcher.close()
    this.#watched.clear()
    this.#ended.clear()
  }

  #look(): void {
    const present = this.#present()
    for (const id of present) if (!this.#watched.has(id) && !this.#ended.has(id)) this.#follow(id, false)
    for (const id of this.#ended) if (!present.has(id)) this.#ended.delete(id)
    for (const [id, { watcher, active }] of this.#watched) {
      if (present.has(id)) continue
      watcher.close()
      this.#watched.delete(id)
      if (active) this.#tell(id)
    }
  }

  #present(): ReadonlySet<string> {
    try {
      return new Set(this.#home.readFolders().sessions)
    } catch {
      return new Set() // the Home has been removed, and every session with it
    }
  }

  /** Watches first and then reads: the watch reports what is written in between. */
  #follow(id: string, wasActive: boolean): void {
    const watcher =
      this.#watch(id, this.#home.manifestPath(id)) ?? this.#watch(id, this.#home.sessionFolder(id))
    const manifest = this.#home.readManifest(id)
    const active = manifest !== null && manifest.ended_at === null
    if (watcher !== null && (active || manifest === null)) this.#watched.set(id, { watcher, active })
    else watcher?.close()
    if (manifest !== null && !active) this.#ended.add(id)
    if (active !== wasActive) this.#tell(id)
  }

  /** Null if there is no such file, or the system has no watches left: then that session's end is not reported. */
  #watch(id: string, file: string): fs.FSWatcher | null {
    try {
      // A manifest is replaced, never changed: each watch reports one change.
      const watcher = fs.watch(file, () => {
        if (this.#watched.get(id)?.watcher !== watcher) return
        const { active } = this.#watched.get(id) ?? { active: false }
        watcher.close()
        this.#watched.delete(id)
        this.#follow(id, active)
      })
      watcher.on('error', () => {})
      return watcher
    } catch {
      return null
    }
  }

  #tell(session: string): void {
    for (const listener of this.#listeners) listener(session)
  }
}
