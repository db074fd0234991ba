import * as path from 'node:path'
import type { QuotaPolicy } from '@transom/protocol'
import type { Home } from '../home/home.ts'
import { folderSize } from '../lib/folder-size.ts'

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
    this.#bytes = folderSize(path.join(this.#home.path, 'sessions'))
  }
}
