import * as fs from 'node:fs'
import type { OpError } from '@transom/protocol/errors'
import { fileError } from '../lib/system-error.ts'

/** A record survives a power cut at most this long after it was appended (and any crash of ours at once). */
const SYNC_DELAY_MS = 100

export interface LogSyncOptions {
  /** Names the log in errors. */
  readonly path: string
  readonly folder: string
  /** The segment that is being written. */
  readonly fd: () => number
  readonly onFailure: (error: OpError) => void
}

/** Makes what was appended to a log survive a power cut, in the background. */
export class LogSync {
  readonly #options: LogSyncOptions
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #failure: OpError | null = null
  /** Something was appended after the running sync had begun. */
  #again = false
  #folderChanged = false

  constructor(options: LogSyncOptions) {
    this.#options = options
  }

  /** To be called after every append. */
  appended(): void {
    this.#timer ??= setTimeout(() => this.#start(), SYNC_DELAY_MS).unref()
  }

  /** A file was added: the next sync is of the folder, too. */
  folderChanged(): void {
    this.#folderChanged = true
  }

  /** Syncs a segment before it returns. */
  now(fd: number): void {
    try {
      fs.fdatasyncSync(fd)
    } catch (error) {
      this.#failed(error)
    }
  }

  /** Closes a segment that a running sync may still need. */
  closeAfter(fd: number): void {
    if (this.#running === undefined) fs.closeSync(fd)
    else void this.#running.then(() => fs.closeSync(fd)) // resolves always, and before all() does
  }

  /** Resolves when everything appended so far would survive a power cut. */
  async all(): Promise<void> {
    await this.#running
    if (this.#running === undefined) this.#start()
    await this.#running
    if (this.#failure !== null) throw this.#failure
  }

  /** To be called when nothing is appended any more; resolves when no sync is running. */
  async stop(): Promise<void> {
    await this.#running
    clearTimeout(this.#timer)
  }

  #start(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#running !== undefined) {
      this.#again = true
      return
    }
    this.#running = this.#sync().then(() => {
      this.#running = undefined
      if (this.#again) this.#start()
    })
  }

  /** Never rejects: a failure is kept for all(), and reported to the owner. */
  async #sync(): Promise<void> {
    this.#again = false
    const folderChanged = this.#folderChanged
    this.#folderChanged = false
    try {
      await new Promise<void>((resolve, reject) => {
        fs.fdatasync(this.#options.fd(), (error) => (error === null ? resolve() : reject(error)))
      })
      if (folderChanged) await syncFolder(this.#options.folder)
    } catch (error) {
      this.#failed(error)
    }
  }

  #failed(cause: unknown): void {
    if (this.#failure !== null) return
    this.#failure = fileError(cause, `sync the Event Log ${this.#options.path}`)
    this.#options.onFailure(this.#failure)
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await fs.promises.open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
