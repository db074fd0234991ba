import { OpError } from '@transom/protocol/errors'
import { messageOf } from '../lib/system-error.ts'
import { openSegmentData, type SegmentData } from './compressed-segment.ts'
import { findRecord, type SearchStart } from './find-record.ts'
import {
  FILE_HEADER_BYTES,
  LOG_FORMAT_VERSION,
  PAYLOAD_BYTES_MAX,
  RECORD_HEADER_BYTES,
  decodeFileHeader,
  decodeRecord,
  encodeFileHeader,
  type LogRecord,
} from './record.ts'
import type { SparseIndex } from './sparse-index.ts'

const READ_BYTES = 256 << 10 // large enough to be cheap, small enough that other sessions get their turn between
const READ_BYTES_FIRST = 32 << 10 // many want a single record

/** What follows the last whole record: nothing, a record whose writer died, or bytes that have changed. */
export type Tail = 'none' | 'torn' | 'damaged'

export interface ReadPosition {
  offset: number
}

/**
 * The records of a segment from `position` on, as far as they are whole. `position.offset` moves along, so that a
 * reader can go on later where it stopped. Several records come at once, in the pieces the file is read in.
 */
export async function* readRecords(
  file: SegmentData,
  position: ReadPosition,
  signal?: AbortSignal,
): AsyncGenerator<LogRecord[]> {
  let pending: Buffer = Buffer.alloc(0)
  let readAt = position.offset
  for (let readBytes = READ_BYTES_FIRST; ; readBytes = Math.min(2 * readBytes, READ_BYTES)) {
    signal?.throwIfAborted()
    const piece = Buffer.allocUnsafe(readBytes)
    const { bytesRead } = await file.read(piece, 0, readBytes, readAt)
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

/** Opens a segment for reading and hands it to `use`, with whether its file header is there. */
export async function withSegment<T>(
  path: string,
  use: (file: SegmentData, hasHeader: boolean) => Promise<T>,
): Promise<T> {
  const file = await openSegment(path)
  try {
    return await use(file, await hasFileHeader(file, path))
  } finally {
    await file.close()
  }
}

export async function openSegment(path: string): Promise<SegmentData> {
  try {
    return await openSegmentData(path)
  } catch (error) {
    if (error instanceof OpError) throw error
    throw cannotOpen(path, error)
  }
}

function cannotOpen(path: string, cause: unknown): OpError {
  return new OpError(
    'log_corrupt',
    `cannot open the Event Log ${path}: ${messageOf(cause)}`,
    { path },
    { cause },
  )
}

/**
 * False for a segment whose writer died before its file header was written; it has no records. Throws for a file that
 * is no segment, or one of a later version.
 */
export async function hasFileHeader(file: SegmentData, path: string): Promise<boolean> {
  const header = Buffer.alloc(FILE_HEADER_BYTES)
  const { bytesRead } = await file.read(header, 0, FILE_HEADER_BYTES, 0).catch((error: unknown) => {
    throw cannotOpen(path, error) // a folder can be opened, and not read
  })
  const found = header.subarray(0, bytesRead)
  const version = decodeFileHeader(found)
  if (version === LOG_FORMAT_VERSION) return true
  if (version !== null) {
    const message = `${path} has log format ${version}, this version reads ${LOG_FORMAT_VERSION}; use a newer Transom`
    throw new OpError('log_corrupt', message, { path, version })
  }
  const isBeginning = bytesRead < FILE_HEADER_BYTES && encodeFileHeader().subarray(0, bytesRead).equals(found)
  if (isBeginning || (await isZero(file, 0))) return false
  throw new OpError('log_corrupt', `${path} is not an Event Log`, { path })
}

/** Takes the records of a segment that an index does not know into it; returns what follows the last one. */
export async function scanSegment(
  path: string,
  index: SparseIndex,
  signal?: AbortSignal,
): Promise<{ tail: Tail; sizeBytes: number }> {
  return withSegment(path, async (file, hasHeader) => {
    const { size: sizeBytes } = await file.stat()
    if (!hasHeader) return { tail: 'torn', sizeBytes }
    const position = { offset: index.offset }
    for await (const records of readRecords(file, position, signal))
      for (const { seq, typeNumber, payload, time } of records)
        index.note(seq, typeNumber, payload.length, time)
    const { offset } = position
    const { size } = await file.stat() // again: what was appended meanwhile is no torn tail
    return {
      tail: await judgeTail(file, { offset, sizeBytes: size, lastSeq: index.lastSeq }),
      sizeBytes: size,
    }
  })
}

/**
 * A writer that died leaves one incomplete record, or (after a power cut) blocks of zeros. Anything else after
 * the last whole record is damage, and good records may follow it: it is never cut.
 */
export async function judgeTail(file: SegmentData, start: SearchStart): Promise<Tail> {
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

async function isZero(file: SegmentData, offset: number): Promise<boolean> {
  const piece = Buffer.alloc(READ_BYTES)
  for (let at = offset; ;) {
    const { bytesRead } = await file.read(piece, 0, READ_BYTES, at)
    if (bytesRead === 0) return true
    if (piece.subarray(0, bytesRead).some((byte) => byte !== 0)) return false
    at += bytesRead
  }
}
