/**
 * The Event Log on disk. A file starts with a header: magic (8 bytes), format version (u32), reserved (u32).
 * Records follow, little-endian:
 *
 *   crc32 u32 | payload length u32 | seq u64 | time f64 | type u16 | flags u16 | payload
 *
 * The crc covers everything after itself, so that a torn or altered record is seen whichever byte it is.
 */
import { crc32 } from '../lib/crc32.ts'

export const LOG_FORMAT_VERSION = 1
/** Of a segment that was compressed after it was sealed: see compressed-segment.ts. */
export const COMPRESSED_FORMAT_VERSION = 2
export const FILE_HEADER_BYTES = 16
export const RECORD_HEADER_BYTES = 28
/** No writer makes larger ones (the pty is read in pieces of at most 64 KiB); a larger length is damage. */
export const PAYLOAD_BYTES_MAX = 16 << 20
/** The range of a Date, in milliseconds around 1970. No clock reads more; a later time could not be shown or waited for. */
const TIME_MS_MAX = 8.64e15

const MAGIC = Buffer.from('TRNSMLOG', 'latin1')
const CRC_OFFSET = 0
const LENGTH_OFFSET = 4
const SEQ_OFFSET = 8
const TIME_OFFSET = 16
const TYPE_OFFSET = 24
const FLAGS_OFFSET = 26

export interface LogRecord {
  readonly seq: number
  /** Milliseconds since 1970, with fractions. */
  readonly time: number
  /** A number of EVENT_TYPE_NUMBERS, or one that a later version writes. */
  readonly typeNumber: number
  readonly payload: Uint8Array
  /** The content of a fact, if its writer is this process: it need not be parsed again. */
  readonly fact?: unknown
}

export function encodeFileHeader(version = LOG_FORMAT_VERSION): Buffer {
  const header = Buffer.alloc(FILE_HEADER_BYTES)
  MAGIC.copy(header)
  header.writeUInt32LE(version, MAGIC.length)
  return header
}

/** The format version of a log, or null if these bytes do not begin one. */
export function decodeFileHeader(bytes: Buffer): number | null {
  if (bytes.length < FILE_HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return null
  return bytes.readUInt32LE(MAGIC.length)
}

export function encodeRecordHeader(record: LogRecord): Buffer {
  const header = Buffer.allocUnsafe(RECORD_HEADER_BYTES)
  header.writeUInt32LE(record.payload.length, LENGTH_OFFSET)
  header.writeBigUInt64LE(BigInt(record.seq), SEQ_OFFSET)
  header.writeDoubleLE(record.time, TIME_OFFSET)
  header.writeUInt16LE(record.typeNumber, TYPE_OFFSET)
  header.writeUInt16LE(0, FLAGS_OFFSET)
  header.writeUInt32LE(crc32(record.payload, crc32(header.subarray(LENGTH_OFFSET))), CRC_OFFSET)
  return header
}

/** What stands at the head of a record, unchecked. */
export function recordHead(
  bytes: Buffer,
  offset: number,
): { recordBytes: number; seq: number; typeNumber: number } {
  const seqLow = bytes.readUInt32LE(offset + SEQ_OFFSET)
  const seqHigh = bytes.readUInt32LE(offset + SEQ_OFFSET + 4)
  return {
    recordBytes: RECORD_HEADER_BYTES + bytes.readUInt32LE(offset + LENGTH_OFFSET),
    seq: seqHigh * 2 ** 32 + seqLow,
    typeNumber: bytes.readUInt16LE(offset + TYPE_OFFSET),
  }
}

export type Decoded =
  | { readonly kind: 'record'; readonly record: LogRecord; readonly end: number }
  /** The bytes stop inside a record: more may come, or the writer died here. */
  | { readonly kind: 'short' }
  | { readonly kind: 'bad' }

/** Decodes the record at `offset`. The payload is a view on `bytes`. */
export function decodeRecord(bytes: Buffer, offset: number): Decoded {
  if (bytes.length - offset < RECORD_HEADER_BYTES) return { kind: 'short' }
  const length = bytes.readUInt32LE(offset + LENGTH_OFFSET)
  if (length > PAYLOAD_BYTES_MAX) return { kind: 'bad' }
  const end = offset + RECORD_HEADER_BYTES + length
  if (bytes.length < end) return { kind: 'short' }
  if (crc32(bytes.subarray(offset + LENGTH_OFFSET, end)) !== bytes.readUInt32LE(offset + CRC_OFFSET)) {
    return { kind: 'bad' }
  }
  const time = bytes.readDoubleLE(offset + TIME_OFFSET)
  if (!(Math.abs(time) <= TIME_MS_MAX)) return { kind: 'bad' } // also NaN
  const record = {
    seq: Number(bytes.readBigUInt64LE(offset + SEQ_OFFSET)),
    time,
    typeNumber: bytes.readUInt16LE(offset + TYPE_OFFSET),
    payload: bytes.subarray(offset + RECORD_HEADER_BYTES, end),
  }
  return { kind: 'record', record, end }
}
