import * as fs from 'node:fs'
import * as path from 'node:path'
import { EVENT_TYPE_NUMBERS, type EventType, type Fact, type FactType } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { platform } from '../platform/current-platform.ts'
import { fileError } from '../lib/system-error.ts'
import { COMPRESSED_BYTES_MIN, compressSegment, isCompressed } from './compressed-segment.ts'
import { CHECKPOINT_EVERY_BYTES, bytesUntilCheckpoint } from './fold.ts'
import { writeIndexFile } from './index-file.ts'
import { INDEXED_BYTES_MIN } from './log-extent.ts'
import { LogSync } from './log-sync.ts'
import { LogTail } from './log-tail.ts'
import { FILE_HEADER_BYTES, encodeFileHeader, encodeRecordHeader } from './record.ts'
import {
  SEGMENT_BYTES_DEFAULT,
  SegmentChain,
  firstSegmentPath,
  laterSegmentPath,
  type SegmentFile,
} from './segment-chain.ts'
import { SparseIndex } from './sparse-index.ts'
import { StoredEvents } from './stored-events.ts'

const NEW_SEGMENT_FLAGS =
  fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_TRUNC | fs.constants.O_NOFOLLOW

export interface EventStoreOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A record that would make a segment longer begins the next one. */
  readonly segmentBytesMax?: number
  /** A sealed segment of this size or more is compressed. */
  readonly compressedBytesMin?: number
  /** Called when less is stored than before: a segment was compressed. */
  readonly onShrunk?: () => void
  /** Called once, when the disk could not be made to keep what was appended. sync() and close() throw it, too. */
  readonly onSyncFailure?: (error: OpError) => void
}

/**
 * The one writer of a session's Event Log, and the only one to assign a seq. An append has reached the kernel
 * when it returns: a crash of this process loses nothing that was appended. The process that has the log open for
 * writing holds the lock on its first segment, across all segments: that is what makes a session alive.
 */
export class EventStore {
  readonly folder: string
  /** The segments and where the output stream lies in them. */
  readonly chain: SegmentChain
  readonly tail: LogTail
  readonly #options: EventStoreOptions
  /** The first segment, which has the lock. */
  readonly #lockFd: number
  /** The segment that is being written: the first one, or a later one. */
  #fd: number
  #index: SparseIndex
  #seq: number
  #endOffset: number
  #segmentBytes: number
  /** Whether part of a record that could not be written may stand after the last one. */
  #isTorn = false
  /** How much more is stored than the records take: indexes and checkpoints. Less than 0 where they are compressed. */
  #sideBytes = 0
  #time = 0
  readonly #sync: LogSync
  readonly #compressing = new AbortController()
  #background: Promise<void> = Promise.resolve()
  /** The offset from which on a projection is asked for its next checkpoint, by its name. */
  readonly #checkpointsDue = new Map<string, number>()
  #closing: Promise<void> | null = null

  private constructor(
    folder: string,
    options: EventStoreOptions,
    open: { lockFd: number; fd: number; chain: SegmentChain; sideBytes: number },
  ) {
    const { chain } = open
    const last = chain.segments.at(-1)
    if (last === undefined) throw new Error('a store has at least one segment')
    this.folder = folder
    this.#options = options
    this.#lockFd = open.lockFd
    this.#fd = open.fd
    this.chain = chain
    this.#index = last.index
    this.#seq = chain.lastSeq
    this.#endOffset = chain.endOffset
    this.#segmentBytes = last.index.offset
    this.#sideBytes = open.sideBytes
    const onFailure = (error: OpError) => options.onSyncFailure?.(error)
    this.#sync = new LogSync({ path: this.path, folder, fd: () => this.#fd, onFailure })
    this.tail = new LogTail(this.#endOffset)
  }

  /** Makes the store of a new session, in its folder. */
  static create(folder: string, options: EventStoreOptions): EventStore {
    const file = firstSegmentPath(folder)
    let fd: number | null = null
    try {
      fd = fs.openSync(file, 'wx', 0o600)
      if (!platform().tryLockWatchedFile(fd)) throw new OpError('io_error', `another process holds ${file}`)
      fs.writeSync(fd, encodeFileHeader())
    } catch (error) {
      if (fd !== null) fs.closeSync(fd)
      throw fileError(error, `create the Event Log ${file}`, { path: file })
    }
    const chain = new SegmentChain()
    chain.add({ path: file, firstSeq: 1 }, new SparseIndex())
    return new EventStore(folder, options, { lockFd: fd, fd, chain, sideBytes: 0 })
  }

  /**
   * Opens a store whose writer has ended and cuts its torn tail. Null while another process holds the lock. A log
   * that is damaged before its end is refused, unchanged.
   */
  static async reopen(folder: string, options: EventStoreOptions): Promise<EventStore | null> {
    const lockFd = openToAppend(firstSegmentPath(folder))
    let fd = lockFd
    try {
      if (!platform().tryLockWatchedFile(lockFd)) {
        fs.closeSync(lockFd)
        return null
      }
      const events = StoredEvents.at(folder)
      const chain = await wholeChain(events)
      removeTemporaryFiles(folder)
      const last = chain.segments.at(-1)
      if (last !== undefined && chain.segments.length > 1) fd = fs.openSync(last.path, 'r+')
      if (isCompressed(fd)) fd = goOnAfter(fd, { lockFd, folder, chain })
      else cutTail(fd, chain)
      const sideBytes = (await events.sizeBytes()) - chain.endOffset
      return new EventStore(folder, options, { lockFd, fd, chain, sideBytes })
    } catch (error) {
      if (fd !== lockFd) fs.closeSync(fd)
      fs.closeSync(lockFd)
      throw error
    }
  }

  /** The file that the log is known by. */
  get path(): string {
    return firstSegmentPath(this.folder)
  }

  /** The log to read from, with what this writer knows of it. */
  get events(): StoredEvents {
    return StoredEvents.at(this.folder, this.chain, (bytes) => (this.#sideBytes += bytes))
  }

  /** The last record's seq; 0 while there is none. */
  get seq(): number {
    return this.#seq
  }

  /** When the last record was appended; 0 before the first of this writer. */
  get time(): number {
    return this.#time
  }

  /** The end of the log, as offsets of its chain count. */
  get endOffset(): number {
    return this.#endOffset
  }

  /** The size of everything that is stored: segments, their indexes, checkpoints. */
  get sizeBytes(): number {
    return this.#endOffset + this.#sideBytes
  }

  /** Appends one record and returns its seq. If the disk refuses, the log is unchanged and an error is thrown. */
  append(type: EventType, payload: Uint8Array): number {
    if (this.#closing !== null) throw closed(this.path)
    const seq = this.#seq + 1
    const time = this.#options.now()
    const typeNumber = EVENT_TYPE_NUMBERS[type]
    const header = encodeRecordHeader({ seq, time, typeNumber, payload })
    const bytes = header.length + payload.length
    try {
      if (this.#isTorn) this.#cutTornTail()
      if (this.#segmentBytes + bytes > (this.#options.segmentBytesMax ?? SEGMENT_BYTES_DEFAULT))
        this.#roll(seq)
      this.#isTorn = true
      this.#write(header, payload, bytes)
      this.#isTorn = false
    } catch (error) {
      throw this.#refused(error)
    }
    this.#seq = seq
    this.#time = time
    this.#endOffset += bytes
    this.#segmentBytes += bytes
    this.tail.add(header)
    this.tail.add(payload)
    this.#index.note(seq, typeNumber, payload.length, time)
    this.#sync.appended()
    return seq
  }

  appendFact<T extends FactType>(type: T, fact: Fact<T>): number {
    return this.append(type, Buffer.from(JSON.stringify(fact)))
  }

  /** Keeps the state of a projection after a record of this log, for replays that begin there. */
  async writeCheckpoint(name: string, seq: number, state: Uint8Array): Promise<void> {
    await this.events.writeCheckpoint(name, seq, state)
  }

  /**
   * Asks for the state of a projection after the last record, where enough was appended since the last one, and keeps
   * it in the background. To be called after every record: it costs next to nothing otherwise.
   */
  offerCheckpoint(name: string, take: () => Uint8Array | null): void {
    const due = this.#checkpointsDue.get(name) ?? CHECKPOINT_EVERY_BYTES
    if (this.#endOffset < due || this.#closing !== null) return
    const seq = this.#seq
    const state = take()
    this.#checkpointsDue.set(name, this.#endOffset + bytesUntilCheckpoint(state?.length ?? 0))
    if (state !== null) this.#inBackground(() => this.writeCheckpoint(name, seq, state))
  }

  /** Resolves when everything appended so far would survive a power cut. */
  async sync(): Promise<void> {
    await this.#sync.all()
  }

  /** Releases the lock. Idempotent: every call has the outcome of the first. */
  async close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#compressing.abort() // compressLog() does what is left
    try {
      await this.sync()
      await this.#sync.stop()
      const last = this.chain.segments.at(-1)
      if (last !== undefined && this.#segmentBytes >= INDEXED_BYTES_MIN) this.#saveIndex(last, this.#index)
      await this.#background
    } finally {
      if (this.#fd !== this.#lockFd) fs.closeSync(this.#fd)
      fs.closeSync(this.#lockFd)
    }
  }

  /** The error of an append that failed; what it has left is cut off now, or if that fails before the next one. */
  #refused(cause: unknown): OpError {
    try {
      if (this.#isTorn) this.#cutTornTail()
    } catch {
      // The disk refuses that, too.
    }
    return fileError(cause, `append to the Event Log ${this.path}`, { path: this.path })
  }

  #cutTornTail(): void {
    fs.ftruncateSync(this.#fd, this.#segmentBytes)
    this.#isTorn = false
  }

  #write(header: Buffer, payload: Uint8Array, bytes: number): void {
    let written = fs.writevSync(this.#fd, [header, payload], this.#segmentBytes)
    while (written < bytes) {
      // A signal or a nearly full disk cut the write short; the next one continues or throws the reason.
      const rest = Buffer.concat([header, payload]).subarray(written)
      written += fs.writeSync(this.#fd, rest, 0, rest.length, this.#segmentBytes + written)
    }
  }

  /**
   * Seals the segment and begins the next one with this record. The old one is on disk before anything is appended to
   * the new one: also after a power cut only the end of a log can be missing.
   */
  #roll(firstSeq: number): void {
    if (this.#segmentBytes === FILE_HEADER_BYTES) return // one record may be longer than a segment
    if (!this.#sync.now(this.#fd)) return // the rest stays in this segment: nothing but its end can be missing
    const file = { path: laterSegmentPath(this.folder, firstSeq), firstSeq }
    const fd = createSegment(file.path)
    const sealed = this.#lastFile()
    this.#saveIndex(sealed, this.#index)
    if (this.#fd !== this.#lockFd) {
      this.#sync.closeAfter(this.#fd)
      this.#compress(sealed.path, this.#index)
    }
    this.#fd = fd
    this.#index = new SparseIndex(this.#seq)
    this.chain.add(file, this.#index)
    this.#segmentBytes = FILE_HEADER_BYTES
    this.#sideBytes += FILE_HEADER_BYTES
    this.#sync.folderChanged()
    this.#checkpointsDue.clear() // one at the seal
  }

  #lastFile(): SegmentFile {
    return this.chain.segments.at(-1) ?? { path: this.path, firstSeq: 1 }
  }

  /** In the background: the segment can be read without it. */
  #saveIndex({ path: segment }: SegmentFile, index: SparseIndex): void {
    this.#inBackground(async () => {
      const bytes = await writeIndexFile(segment, index)
      this.#sideBytes += bytes
    })
  }

  /** In the background. The segment that has the lock is left to compressLog(). */
  #compress(segment: string, { offset }: SparseIndex): void {
    if (offset < (this.#options.compressedBytesMin ?? COMPRESSED_BYTES_MIN)) return
    this.#inBackground(async () => {
      const saved = await compressSegment(segment, this.#compressing.signal)
      this.#sideBytes -= saved
      if (saved > 0) this.#options.onShrunk?.()
    })
  }

  /** For what can be made again from the records: a full disk is no reason to fail. close() waits for it. */
  #inBackground(write: () => Promise<void>): void {
    this.#background = this.#background.then(write).catch(() => {})
  }
}

function openToAppend(file: string): number {
  try {
    return fs.openSync(file, 'r+')
  } catch (error) {
    throw fileError(error, `open the Event Log ${file}`, { path: file })
  }
}

/** Begins a segment after one that is compressed, which nothing can be appended to. */
function goOnAfter(
  fd: number,
  { lockFd, folder, chain }: { lockFd: number; folder: string; chain: SegmentChain },
): number {
  const firstSeq = chain.lastSeq + 1
  const file = { path: laterSegmentPath(folder, firstSeq), firstSeq }
  const next = createSegment(file.path)
  if (fd !== lockFd) fs.closeSync(fd)
  chain.add(file, new SparseIndex(chain.lastSeq))
  return next
}

/** Removes what follows the last whole record. */
function cutTail(fd: number, chain: SegmentChain): void {
  const validBytes = chain.segments.at(-1)?.index.offset ?? FILE_HEADER_BYTES
  const { size } = fs.fstatSync(fd)
  if (size < FILE_HEADER_BYTES || chain.lastSeq === 0)
    fs.writeSync(fd, encodeFileHeader(), 0, FILE_HEADER_BYTES, 0)
  if (size > validBytes) fs.ftruncateSync(fd, validBytes)
}

/** The chain of a log that can be written on. Throws if the log is damaged. */
async function wholeChain(events: StoredEvents): Promise<SegmentChain> {
  const { chain, tail, empty } = await events.extent()
  if (tail === 'damaged') {
    const last = chain.segments.at(-1)
    const file = last?.path ?? events.path
    const message = `${file} is damaged after record ${chain.lastSeq}; what lies before it can be read`
    throw new OpError('log_corrupt', message, {
      path: file,
      last_seq: chain.lastSeq,
      offset: last?.index.offset ?? FILE_HEADER_BYTES,
    })
  }
  for (const { path: file } of empty) fs.rmSync(file, { force: true })
  return chain
}

/** What a writer or reader that died has left of a file that it was about to replace. */
function removeTemporaryFiles(folder: string): void {
  for (const name of fs.readdirSync(folder))
    if (/^events[.-].*\.tmp$/.test(name)) fs.rmSync(path.join(folder, name), { force: true })
}

/** Creates a segment with its file header. If the disk refuses, no file is left. */
function createSegment(file: string): number {
  let fd: number | null = null
  try {
    fd = fs.openSync(file, NEW_SEGMENT_FLAGS, 0o600)
    fs.writeSync(fd, encodeFileHeader())
    return fd
  } catch (error) {
    if (fd !== null) {
      fs.closeSync(fd)
      fs.rmSync(file, { force: true })
    }
    throw fileError(error, `create the segment ${file}`, { path: file })
  }
}

function closed(file: string): OpError {
  return new OpError('session_ended', `the Event Log ${file} is closed; nothing can be appended to it`, {
    path: file,
  })
}
