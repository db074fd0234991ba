import { EVENT_TYPE_NUMBERS } from '@transom/protocol'
import { FILE_HEADER_BYTES, RECORD_HEADER_BYTES } from './record.ts'

/** Where a record lies, and how many bytes of output lie before it. */
export interface OutputPosition {
  readonly cursor: number
  readonly offset: number
  readonly seq: number
}

/** An entry stands for its record and all those up to the next entry. */
export interface IndexEntry extends OutputPosition {
  /** The earliest time of these records. Between two writers the clock may have been set back. */
  readonly minTime: number
}

/** A lookup reads at most this much too much, in a log of a megabyte or two: about the records of one block. */
const STRIDE_BYTES = 512
/** Past this every second entry is dropped and the stride doubled: the size of a segment costs no memory. */
const ENTRIES_MAX = 4096

/**
 * Where some records of one segment lie: by seq, by time and by output cursor. Offsets are those of the segment's
 * file, and cursors count from the segment's start. The output stream is what the program printed: the payloads of all
 * `output` records, one after the other.
 */
export class SparseIndex {
  #entries: IndexEntry[] = []
  #strideBytes = STRIDE_BYTES
  #cursor = 0
  #offset = FILE_HEADER_BYTES
  #lastSeq: number
  /** Of the entry that is being filled. */
  #minTime = Infinity
  #nextEntryOffset = FILE_HEADER_BYTES

  /** `lastSeq` is the seq before the segment's first record. */
  constructor(lastSeq = 0) {
    this.#lastSeq = lastSeq
  }

  /** An index as it was saved. */
  static restore(state: { lastSeq: number; offset: number; cursor: number; entries: readonly IndexEntry[] }) {
    const index = new SparseIndex(state.lastSeq)
    index.#entries = [...state.entries]
    index.#offset = state.offset
    index.#cursor = state.cursor
    index.#minTime = state.entries.at(-1)?.minTime ?? Infinity
    index.#strideBytes = Math.max(STRIDE_BYTES, Math.ceil(state.offset / Math.max(1, state.entries.length)))
    index.#nextEntryOffset = state.offset
    return index
  }

  /** The output bytes of the segment. */
  get cursor(): number {
    return this.#cursor
  }

  /** The end of the segment's records in its file. */
  get offset(): number {
    return this.#offset
  }

  /** The seq of the last record. */
  get lastSeq(): number {
    return this.#lastSeq
  }

  get entries(): readonly IndexEntry[] {
    return this.#entries.map((entry, index) =>
      index === this.#entries.length - 1 ? { ...entry, minTime: this.#minTime } : entry,
    )
  }

  /** Takes every record of the segment, in order. */
  note(seq: number, typeNumber: number, payloadBytes: number, time: number): void {
    if (this.#offset >= this.#nextEntryOffset) this.#addEntry(seq, time)
    else if (time < this.#minTime) this.#minTime = time
    this.#lastSeq = seq
    this.#offset += RECORD_HEADER_BYTES + payloadBytes
    if (typeNumber === EVENT_TYPE_NUMBERS.output) this.#cursor += payloadBytes
  }

  /** A record at or before the first one with this cursor, at most a stride away. Null for the segment's first. */
  before(cursor: number): OutputPosition | null {
    return this.#last((entry) => entry.cursor < cursor)
  }

  /** As before(), for a record by its seq. */
  beforeSeq(seq: number): OutputPosition | null {
    return this.#last((entry) => entry.seq <= seq)
  }

  /** The last entry with a record of this time or earlier, and the seq of the entry after it. */
  beforeTime(time: number): { from: number; to: number } | null {
    const { entries } = this // times may go back: there is no order to search by
    const at = entries.findLastIndex(({ minTime }) => minTime <= time)
    const entry = entries[at]
    if (entry === undefined) return null
    const next = entries[at + 1]
    return { from: entry.seq, to: next === undefined ? this.#lastSeq : next.seq - 1 }
  }

  /** Drops entries until there are at most so many. */
  thin(entriesMax: number): void {
    while (this.#entries.length > entriesMax) {
      const { entries } = this
      this.#entries = entries.flatMap((entry, index) => {
        if (index % 2 === 1) return []
        return [{ ...entry, minTime: Math.min(entry.minTime, entries[index + 1]?.minTime ?? Infinity) }]
      })
      this.#minTime = this.#entries.at(-1)?.minTime ?? Infinity
      this.#strideBytes *= 2
    }
    this.#nextEntryOffset = (this.#entries.at(-1)?.offset ?? this.#offset) + this.#strideBytes
  }

  #addEntry(seq: number, time: number): void {
    const last = this.#entries.pop()
    if (last !== undefined) this.#entries.push({ ...last, minTime: this.#minTime })
    this.#entries.push({ cursor: this.#cursor, offset: this.#offset, seq, minTime: time })
    this.#minTime = time
    this.#nextEntryOffset = this.#offset + this.#strideBytes
    if (this.#entries.length > ENTRIES_MAX) this.thin(ENTRIES_MAX)
  }

  #last(precedes: (entry: IndexEntry) => boolean): OutputPosition | null {
    let low = -1
    let high = this.#entries.length // the first that does not precede lies in low + 1 … high
    while (high - low > 1) {
      const middle = (low + high) >> 1
      const entry = this.#entries[middle]
      if (entry !== undefined && precedes(entry)) low = middle
      else high = middle
    }
    return this.#entries[low] ?? null
  }
}
