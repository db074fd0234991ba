import * as fs from 'node:fs'
import { EVENT_TYPE_NUMBERS, type EventType, type Fact, type FactType } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { tryLockWatchedFile } from '../lib/native.ts'
import { fileError } from '../lib/system-error.ts'
import { scanLog, type LogExtent } from './log-reader.ts'
import { LogTail } from './log-tail.ts'
import { OutputIndex } from './output-index.ts'
import { FILE_HEADER_BYTES, encodeFileHeader, encodeRecordHeader } from './record.ts'

/** A record survives a power cut at most this long after it was appended (and any crash of ours at once). */
const SYNC_DELAY_MS = 100

/**
 * The one writer of a session's Event Log, and the only one to assign a seq. An append has reached the kernel
 * when it returns: a crash of this process loses nothing that was appended. Whoever has the log open for
 * writing holds the lock on it, which is also what makes a session alive.
 */
export class EventLog {
  readonly path: string
  /** Where the output stream lies in it. */
  readonly output: OutputIndex
  readonly tail: LogTail
  readonly #fd: number
  readonly #now: () => number
  #seq: number
  #sizeBytes: number
  #time = 0
  #syncTimer: NodeJS.Timeout | undefined
  #syncing: Promise<void> | undefined
  #syncFailure: Error | null = null
  #closed = false

  private constructor(path: string, fd: number, now: () => number, extent: LogExtent) {
    this.path = path
    this.#fd = fd
    this.#now = now
    this.output = extent.output
    this.#seq = extent.lastSeq
    this.#sizeBytes = extent.validBytes
    this.tail = new LogTail(extent.validBytes)
  }

  static create(path: string, now: () => number): EventLog {
    let fd: number | null = null
    try {
      fd = fs.openSync(path, 'wx', 0o600)
      if (!tryLockWatchedFile(fd)) throw new OpError('io_error', `another process holds ${path}`)
      fs.writeSync(fd, encodeFileHeader())
    } catch (error) {
      if (fd !== null) fs.closeSync(fd)
      throw fileError(error, `create the Event Log ${path}`, { path })
    }
    return new EventLog(path, fd, now, {
      lastSeq: 0,
      validBytes: FILE_HEADER_BYTES,
      output: new OutputIndex(),
      tail: 'none',
    })
  }

  /**
   * Opens a log whose writer is gone and cuts its torn tail. Null while another process holds the lock. A log
   * that is damaged before its end is refused, unchanged.
   */
  static async reopen(path: string, now: () => number): Promise<EventLog | null> {
    const fd = fs.openSync(path, 'r+')
    try {
      if (!tryLockWatchedFile(fd)) {
        fs.closeSync(fd)
        return null
      }
      const extent = await scanLog(path)
      if (extent.tail === 'damaged') {
        const message = `${path} is damaged after record ${extent.lastSeq}; what lies before it can be read`
        throw new OpError('log_corrupt', message, {
          path,
          last_seq: extent.lastSeq,
          offset: extent.validBytes,
        })
      }
      if (extent.tail === 'torn') fs.ftruncateSync(fd, extent.validBytes)
      return new EventLog(path, fd, now, extent)
    } catch (error) {
      fs.closeSync(fd)
      throw error
    }
  }

  /** The last record's seq; 0 while there is none. */
  get seq(): number {
    return this.#seq
  }

  /** When the last record was appended; 0 before the first of this writer. */
  get time(): number {
    return this.#time
  }

  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /** Appends one record and returns its seq. When the disk refuses, the log is as it was and an error is thrown. */
  append(type: EventType, payload: Uint8Array): number {
    const seq = this.#seq + 1
    const time = this.#now()
    const typeNumber = EVENT_TYPE_NUMBERS[type]
    const header = encodeRecordHeader({ seq, time, typeNumber, payload })
    const bytes = header.length + payload.length
    try {
      this.#write(header, payload, bytes)
    } catch (error) {
      // Part of the record may have been written; it must not stand before the next one.
      fs.ftruncateSync(this.#fd, this.#sizeBytes)
      throw fileError(error, `append to the Event Log ${this.path}`, { path: this.path })
    }
    this.#seq = seq
    this.#time = time
    this.#sizeBytes += bytes
    this.tail.add(header)
    this.tail.add(payload)
    this.output.note(seq, typeNumber, payload.length)
    this.#syncTimer ??= setTimeout(() => this.#startSync(), SYNC_DELAY_MS).unref()
    return seq
  }

  appendFact<T extends FactType>(type: T, fact: Fact<T>): number {
    return this.append(type, Buffer.from(JSON.stringify(fact)))
  }

  /** Resolves when everything appended so far would survive a power cut. */
  async sync(): Promise<void> {
    await this.#syncing
    this.#startSync()
    await this.#syncing
    if (this.#syncFailure !== null) throw fileError(this.#syncFailure, `sync the Event Log ${this.path}`)
  }

  /** Gives the lock back. Idempotent. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    try {
      await this.sync()
    } finally {
      fs.closeSync(this.#fd)
    }
  }

  #write(header: Buffer, payload: Uint8Array, bytes: number): void {
    let written = fs.writevSync(this.#fd, [header, payload], this.#sizeBytes)
    while (written < bytes) {
      // A signal or a nearly full disk cut the write short; the next one goes on or says why it cannot.
      const rest = Buffer.concat([header, payload]).subarray(written)
      written += fs.writeSync(this.#fd, rest, 0, rest.length, this.#sizeBytes + written)
    }
  }

  #startSync(): void {
    clearTimeout(this.#syncTimer)
    this.#syncTimer = undefined
    this.#syncing ??= new Promise((resolve) => {
      fs.fdatasync(this.#fd, (error) => {
        this.#syncFailure ??= error // told to whoever asks for durability: sync() and close()
        this.#syncing = undefined
        resolve()
      })
    })
  }
}
