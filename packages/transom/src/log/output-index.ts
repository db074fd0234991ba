import { EVENT_TYPE_NUMBERS } from '@transom/protocol'
import { FILE_HEADER_BYTES, RECORD_HEADER_BYTES } from './record.ts'

/** A record's place in the file, and how many bytes of output lie before it. */
export interface OutputPosition {
  readonly cursor: number
  readonly offset: number
  readonly seq: number
}

/** So much of the file is read in vain at most, in a log of a megabyte or two: about the records of one block. */
const STRIDE_BYTES = 512
/** Past this every second entry is dropped and the stride doubled: the size of a log costs no memory. */
const ENTRIES_MAX = 4096

/**
 * The output stream is what the program printed: the payloads of all `output` records, one after the other. A
 * cursor is a place in it, in bytes from the start of the session. The index knows the cursors of some records.
 */
export class OutputIndex {
  #entries: OutputPosition[] = [{ cursor: 0, offset: FILE_HEADER_BYTES, seq: 1 }]
  #strideBytes = STRIDE_BYTES
  #cursor = 0
  #offset = FILE_HEADER_BYTES

  /** How many bytes of output there are: the cursor of the next one. */
  get cursor(): number {
    return this.#cursor
  }

  /** To be told of every record, in order. */
  note(seq: number, typeNumber: number, payloadBytes: number): void {
    const last = this.#entries.at(-1)
    if (last === undefined || this.#offset - last.offset >= this.#strideBytes) {
      this.#entries.push({ cursor: this.#cursor, offset: this.#offset, seq })
      if (this.#entries.length > ENTRIES_MAX) this.#thin()
    }
    this.#offset += RECORD_HEADER_BYTES + payloadBytes
    if (typeNumber === EVENT_TYPE_NUMBERS.output) this.#cursor += payloadBytes
  }

  /** A record at or before the first one with this cursor, from which it is not far to read. */
  before(cursor: number): OutputPosition {
    return this.#last((entry) => entry.cursor < cursor)
  }

  /** As before(), for a record by its seq. */
  beforeSeq(seq: number): OutputPosition {
    return this.#last((entry) => entry.seq <= seq)
  }

  #last(precedes: (entry: OutputPosition) => boolean): OutputPosition {
    let low = 0
    let high = this.#entries.length // the first that does not precede lies in low + 1 … high
    while (high - low > 1) {
      const middle = (low + high) >> 1
      const entry = this.#entries[middle]
      if (entry !== undefined && precedes(entry)) low = middle
      else high = middle
    }
    return this.#entries[low] ?? { cursor: 0, offset: FILE_HEADER_BYTES, seq: 1 }
  }

  #thin(): void {
    this.#entries = this.#entries.filter((_, index) => index % 2 === 0)
    this.#strideBytes *= 2
  }
}
