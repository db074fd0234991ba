import { EVENT_TYPE_NUMBERS } from '@transom/protocol'
import { OpError, next } from '@transom/protocol/errors'
import { fileError } from '../lib/system-error.ts'
import { openSegmentDataSync, type SegmentDataSync } from './compressed-segment.ts'
import type { LogTail } from './log-tail.ts'
import { RECORD_HEADER_BYTES, decodeRecord, recordHead } from './record.ts'
import type { SegmentChain } from './segment-chain.ts'
import type { OutputPosition } from './sparse-index.ts'

/** Read at a time: a tenth of a millisecond, and enough that the call itself costs nothing. */
const READ_BYTES = 256 << 10
const READ_BYTES_FIRST = 1 << 10

/** A stretch of the output stream, and the facts that lie within it. */
export interface OutputPiece {
  /** The cursor of its first byte. */
  readonly cursor: number
  /** Overwritten by the next piece. */
  readonly bytes: Buffer
  readonly facts: readonly FactInOutput[]
}

export interface FactInOutput {
  readonly seq: number
  readonly cursor: number
  readonly typeNumber: number
  readonly payload: Buffer
}

/**
 * Reads the output stream out of an Event Log, from a record on, in pieces: a few system calls and one copy for a
 * quarter of a megabyte, so that searching is as fast as memory. Whole records only.
 */
export class OutputReader {
  readonly #chain: SegmentChain
  readonly #tail: LogTail | null
  /** The segment that is being read; open from the first byte on that is not in the tail. */
  #file: { readonly path: string; readonly data: SegmentDataSync } | null = null
  readonly #factTypes: ReadonlySet<number>
  readonly #verify: boolean
  /** Grows to what is read at a time: most waits see a few hundred bytes. */
  #buffer: Buffer = Buffer.alloc(0)
  #position: OutputPosition

  constructor(chain: SegmentChain, options: ReaderOptions) {
    this.#chain = chain
    this.#tail = options.tail ?? null
    this.#position = options.from
    this.#factTypes = new Set(options.facts ?? [])
    this.#verify = options.verify ?? false
  }

  /** Where the next piece begins. */
  get position(): OutputPosition {
    return this.#position
  }

  /** The next piece of what lies before `endOffset` in the log; null if there is none. */
  next(endOffset: number): OutputPiece | null {
    const { cursor, offset } = this.#position
    // No record lies in two segments: one is read to its end before the next.
    const available = Math.min(endOffset, this.#chain.locate(offset).endOffset) - offset
    if (available < RECORD_HEADER_BYTES) return null
    this.#reserve(Math.min(available, READ_BYTES))
    let filled = this.#fill(Math.min(available, this.#buffer.length))
    const { recordBytes } = recordHead(this.#buffer, 0)
    if (recordBytes > filled) {
      if (recordBytes > available) throw this.#damaged() // whole records only: the caller knows where they end
      this.#reserve(recordBytes)
      filled = this.#fill(recordBytes)
    }
    const facts: FactInOutput[] = []
    const bytes = this.#compact(filled, facts)
    return { cursor, bytes, facts }
  }

  close(): void {
    this.#file?.data.close()
    this.#file = null
  }

  #reserve(bytes: number): void {
    if (this.#buffer.length >= bytes) return
    const size = Math.max(bytes, Math.min(2 * this.#buffer.length, READ_BYTES), READ_BYTES_FIRST)
    this.#buffer = Buffer.allocUnsafe(size) // a small one comes out of a pool
  }

  #fill(bytes: number): number {
    const { offset } = this.#position
    if (this.#tail?.read(this.#buffer, offset, bytes)) return bytes
    const { path, fileOffset } = this.#chain.locate(offset)
    const data = this.#open(path)
    let filled = 0
    while (filled < bytes) {
      const got = data.read(this.#buffer, filled, bytes - filled, fileOffset + filled)
      if (got === 0) throw this.#damaged()
      filled += got
    }
    return filled
  }

  #open(path: string): SegmentDataSync {
    if (this.#file?.path === path) return this.#file.data
    this.close()
    try {
      this.#file = { path, data: openSegmentDataSync(path) }
      return this.#file.data
    } catch (error) {
      throw fileError(error, `read the Event Log ${path}`, { path })
    }
  }

  /** Moves the outputs of the records in the buffer together at its start. */
  #compact(filled: number, facts: FactInOutput[]): Buffer {
    const buffer = this.#buffer
    let { cursor, offset, seq } = this.#position
    let outputBytes = 0
    for (let at = 0; filled - at >= RECORD_HEADER_BYTES;) {
      const head = recordHead(buffer, at)
      if (head.recordBytes > filled - at) break
      // A repaired log may have gaps, but no seq comes twice.
      if (head.seq < seq || (this.#verify && decodeRecord(buffer, at).kind === 'bad')) throw this.#damaged()
      const start = at + RECORD_HEADER_BYTES
      at += head.recordBytes
      if (head.typeNumber === EVENT_TYPE_NUMBERS.output) {
        buffer.copyWithin(outputBytes, start, at)
        outputBytes += at - start
        cursor += at - start
      } else if (this.#factTypes.has(head.typeNumber)) {
        const payload = Buffer.from(buffer.subarray(start, at))
        facts.push({ seq: head.seq, cursor, typeNumber: head.typeNumber, payload })
      }
      offset += head.recordBytes
      seq = head.seq + 1
    }
    this.#position = { cursor, offset, seq }
    return buffer.subarray(0, outputBytes)
  }

  #damaged(): OpError {
    const { seq } = this.#position
    const { path, fileOffset: offset } = this.#chain.locate(this.#position.offset)
    const message = `${path} is damaged near record ${seq}`
    const verify = next({ call: 'log.verify', params: {}, does: 'shows where' })
    return new OpError('log_corrupt', message, { path, seq, offset, ...verify })
  }
}

export interface ReaderOptions {
  readonly from: OutputPosition
  /** Types of records that are wanted beside the output. */
  readonly facts?: readonly number[] | undefined
  /** Whether each record's checksum is computed, which costs most of the time. */
  readonly verify?: boolean | undefined
  /** The end of the log as its writer has it in memory. */
  readonly tail?: LogTail | undefined
}
