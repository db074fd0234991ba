import * as fs from 'node:fs'
import * as path from 'node:path'
import type { QuotaPolicy } from '@transom/protocol'
import type { Home } from '../home/home.ts'

/** How much the logs of a Home may take, and what happens when they do. */
export interface Quota {
  readonly sessionBytes: number
  readonly homeBytes: number
  readonly policy: QuotaPolicy
}

/** What the sessions of a Home take on disk: counted once, then kept up to date by those that write. */
export class HomeUsage {
  readonly #home: Home
  #bytes = 0

  constructor(home: Home) {
    this.#home = home
    this.recount()
  }

  get bytes(): number {
    return this.#bytes
  }

  add(bytes: number): void {
    this.#bytes += bytes
  }

  /** To be called when folders have been removed. */
  recount(): void {
    this.#bytes = folderBytes(path.join(this.#home.path, 'sessions'))
  }
}

/** The bytes of all files below a folder. What vanishes during the count counts as nothing. */
export function folderBytes(folder: string): number {
  const entries = fs.readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, entry) =>
        sum + (fs.statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    )
}
