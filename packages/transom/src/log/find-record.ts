import type { SegmentData } from './compressed-segment.ts'
import { PAYLOAD_BYTES_MAX, RECORD_HEADER_BYTES, decodeRecord } from './record.ts'

const WINDOW_BYTES = 256 << 10 // as the log is read otherwise: cheap, and others get their turn between

export interface SearchStart {
  /** Where the record after `lastSeq` should be, and is not. */
  readonly offset: number
  readonly sizeBytes: number
  readonly lastSeq: number
}

/** Where the next whole record begins after an unreadable one; null if none follows. */
export async function findRecord(
  file: SegmentData,
  start: SearchStart,
  signal?: AbortSignal,
): Promise<number | null> {
  // If only its payload is damaged, a record still gives the place of the next one. Checked first: a payload may hold
  // bytes that look like a record, as when a program printed an Event Log. The seq there shows whether just the one
  // is missing: a length that is damaged itself may happen to lead to a record further on.
  const header = await readAt(file, start.offset, RECORD_HEADER_BYTES)
  if (header.length === RECORD_HEADER_BYTES) {
    const next = start.offset + RECORD_HEADER_BYTES + header.readUInt32LE(4)
    if ((await seqAt(file, next, start)) === start.lastSeq + 2) return next
  }
  for (let at = start.offset + 1; at + RECORD_HEADER_BYTES <= start.sizeBytes;) {
    signal?.throwIfAborted()
    const window = await readAt(file, at, WINDOW_BYTES)
    const last = window.length - RECORD_HEADER_BYTES
    if (last < 0) return null
    for (let index = 0; index <= last; index++) {
      if (isPlausible(window, index, at + index, start) && (await seqAt(file, at + index, start)) !== null)
        return at + index
    }
    at += last + 1
  }
  return null
}

/** The seq of the record at this place; null if there is none that could come next. */
async function seqAt(file: SegmentData, offset: number, start: SearchStart): Promise<number | null> {
  const header = await readAt(file, offset, RECORD_HEADER_BYTES)
  if (header.length < RECORD_HEADER_BYTES || !isPlausible(header, 0, offset, start)) return null
  const decoded = decodeRecord(await readAt(file, offset, RECORD_HEADER_BYTES + header.readUInt32LE(4)), 0)
  return decoded.kind === 'record' ? decoded.record.seq : null
}

/** Whether a header could be the next record's. Cheap, and nearly always false: the checksum is asked only after it. */
function isPlausible(bytes: Buffer, index: number, offset: number, start: SearchStart): boolean {
  const length = bytes.readUInt32LE(index + 4)
  if (length > PAYLOAD_BYTES_MAX || offset + RECORD_HEADER_BYTES + length > start.sizeBytes) return false
  const seq = bytes.readUInt32LE(index + 8) + bytes.readUInt32LE(index + 12) * 2 ** 32
  // No more records can be missing than would fit into the bytes between.
  const missingMax = Math.floor((offset - start.offset) / RECORD_HEADER_BYTES)
  return seq > start.lastSeq && seq <= start.lastSeq + 1 + missingMax
}

async function readAt(file: SegmentData, offset: number, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes)
  const { bytesRead } = await file.read(buffer, 0, bytes, offset)
  return buffer.subarray(0, bytesRead)
}
