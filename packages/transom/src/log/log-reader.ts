import * as fs from 'node:fs/promises'
import { watch } from 'node:fs'
import { OpError } from '@transom/protocol/errors'
import { messageOf } from '../lib/system-error.ts'
import { OutputIndex } from './output-index.ts'
import { findRecord, type SearchStart } from './find-record.ts'
import {
  FILE_HEADER_BYTES,
  LOG_FORMAT_VERSION,
  PAYLOAD_BYTES_MAX,
  RECORD_HEADER_BYTES,
  decodeFileHeader,
  decodeRecord,
  type LogRecord,
} from './record.ts'

const READ_BYTES = 256 << 10 // large enough to be cheap, small enough that other sessions get their turn between

/** How far a log can be read: up to `validBytes`; what lies beyond is a torn tail or damage. */
export interface LogExtent {
  readonly lastSeq: number
  readonly validBytes: number
  readonly output: OutputIndex
  readonly tail: 'none' | 'torn' | 'damaged'
}

export interface ReadPosition {
  offset: number
}

/**
 * The records of a log from `position` on, as far as they are whole. `position.offset` moves along, so that a
 * reader can go on later where it stopped. Several records come at once, in the pieces the file is read in.
 */
export async function* readRecords(
  file: fs.FileHandle,
  position: ReadPosition,
  signal?: AbortSignal,
): AsyncGenerator<LogRecord[]> {
  let pending: Buffer = Buffer.alloc(0)
  let readAt = position.offset
  for (;;) {
    signal?.throwIfAborted()
    const piece = Buffer.allocUnsafe(READ_BYTES)
    const { bytesRead } = await file.read(piece, 0, READ_BYTES, readAt)
    if (bytesRead === 0) return
    readAt += bytesRead
    pending =
      pending.length === 0
        ? piece.subarray(0, bytesRead)
        : Buffer.concat([pending, piece.subarray(0, bytesRead)])
    const records: LogRecord[] = []
    let used = 0
    for (;;) {
      const decoded = decodeRecord(pending, used)
      if (decoded.kind === 'bad') {
        position.offset += used
        if (records.length > 0) yield records
        return
      }
      if (decoded.kind === 'short') break
      records.push(decoded.record)
      used = decoded.end
    }
    position.offset += used
    pending = pending.subarray(used)
    if (records.length > 0) yield records
  }
}

/** Opens a log for reading, its file header checked, and hands it to `use`. */
export async function withLogFile<T>(path: string, use: (file: fs.FileHandle) => Promise<T>): Promise<T> {
  const file = await openLog(path)
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

async function openLog(path: string): Promise<fs.FileHandle> {
  let file: fs.FileHandle
  try {
    file = await fs.open(path, 'r')
  } catch (error) {
    throw new OpError(
      'log_corrupt',
      `cannot open the Event Log ${path}: ${messageOf(error)}`,
      { path },
      { cause: error },
    )
  }
  try {
    await checkFileHeader(file, path)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Reads a whole log once, checking every record. */
export async function scanLog(path: string): Promise<LogExtent> {
  return withLogFile(path, async (file) => {
    const position = { offset: FILE_HEADER_BYTES }
    const output = new OutputIndex()
    let lastSeq = 0
    for await (const records of readRecords(file, position)) {
      for (const { seq, typeNumber, payload } of records) output.note(seq, typeNumber, payload.length)
      lastSeq = records.at(-1)?.seq ?? lastSeq
    }
    const { offset } = position
    const { size } = await file.stat()
    const tail = await judgeTail(file, { offset, sizeBytes: size, lastSeq })
    return { lastSeq, validBytes: offset, output, tail }
  })
}

/** The records after `afterSeq` that are there now. */
export async function* readAfter(
  path: string,
  afterSeq: number,
  signal: AbortSignal,
): AsyncGenerator<LogRecord[]> {
  const file = await openLog(path)
  try {
    yield* recordsAfter(file, { offset: FILE_HEADER_BYTES }, afterSeq, signal)
  } finally {
    await file.close()
  }
}

/**
 * Follows a log: what is there after `afterSeq`, then whatever is appended, until `signal` aborts. The kernel
 * announces appends (inotify), so that this works beside any writer, and pulls at the consumer's own pace.
 */
export async function* followRecords(
  path: string,
  { afterSeq, signal }: { afterSeq: number; signal: AbortSignal },
): AsyncGenerator<LogRecord[]> {
  const file = await openLog(path)
  const changes = new Changes(path, signal) // before the first read: what is appended after it is announced
  try {
    const position = { offset: FILE_HEADER_BYTES }
    while (!signal.aborted) {
      yield* recordsAfter(file, position, afterSeq, signal)
      await changes.next()
    }
  } finally {
    changes.close()
    await file.close()
  }
}

async function* recordsAfter(
  file: fs.FileHandle,
  position: ReadPosition,
  afterSeq: number,
  signal: AbortSignal,
): AsyncGenerator<LogRecord[]> {
  for await (const records of readRecords(file, position, signal)) {
    const wanted = records.filter((record) => record.seq > afterSeq)
    if (wanted.length > 0) yield wanted
  }
}

/** Announcements of change to one file, folded: however many came, the next one is answered at once. */
class Changes {
  #changed = false
  #wake = () => {}
  readonly #watcher
  readonly #signal: AbortSignal

  constructor(path: string, signal: AbortSignal) {
    this.#signal = signal
    this.#watcher = watch(path, { signal }, () => {
      this.#changed = true
      this.#wake()
    })
    signal.addEventListener('abort', () => this.#wake(), { once: true })
  }

  async next(): Promise<void> {
    if (!this.#changed && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    this.#changed = false
  }

  close(): void {
    this.#watcher.close()
  }
}

export async function checkFileHeader(file: fs.FileHandle, path: string): Promise<void> {
  const header = Buffer.alloc(FILE_HEADER_BYTES)
  const { bytesRead } = await file.read(header, 0, FILE_HEADER_BYTES, 0)
  const version = decodeFileHeader(header.subarray(0, bytesRead))
  if (version === null) throw new OpError('log_corrupt', `${path} is not an Event Log`, { path })
  if (version !== LOG_FORMAT_VERSION) {
    const message = `${path} has log format ${version}, this version reads ${LOG_FORMAT_VERSION}; use a newer Transom`
    throw new OpError('log_corrupt', message, { path, version })
  }
}

/**
 * A writer that died leaves one incomplete record, or (after a power cut) blocks of zeros. Anything else after
 * the last whole record is damage, and there may be good records behind it: it is never cut.
 */
export async function judgeTail(file: fs.FileHandle, start: SearchStart): Promise<LogExtent['tail']> {
  const { offset, sizeBytes } = start
  if (offset >= sizeBytes) return 'none'
  const header = Buffer.alloc(RECORD_HEADER_BYTES)
  const { bytesRead } = await file.read(header, 0, RECORD_HEADER_BYTES, offset)
  const length = header.readUInt32LE(4)
  const reachesEnd = bytesRead < RECORD_HEADER_BYTES || offset + RECORD_HEADER_BYTES + length >= sizeBytes
  const looksTorn = (reachesEnd && length <= PAYLOAD_BYTES_MAX) || (await isZero(file, offset))
  // A damaged length may point past the end of the file, too.
  return looksTorn && (await findRecord(file, start)) === null ? 'torn' : 'damaged'
}

async function isZero(file: fs.FileHandle, offset: number): Promise<boolean> {
  const piece = Buffer.alloc(READ_BYTES)
  for (let at = offset; ;) {
    const { bytesRead } = await file.read(piece, 0, READ_BYTES, at)
    if (bytesRead === 0) return true
    if (piece.subarray(0, bytesRead).some((byte) => byte !== 0)) return false
    at += bytesRead
  }
}
