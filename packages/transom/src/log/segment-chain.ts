import * as fs from 'node:fs/promises'
import * as path from 'node:path'
import { FILE_HEADER_BYTES } from './record.ts'
import type { OutputPosition, SparseIndex } from './sparse-index.ts'

/** Small enough to be read, checked and moved as one piece, large enough that most logs have one. */
export const SEGMENT_BYTES_DEFAULT = 64 << 20

/** The first segment. A log of one segment is this file alone; the lock on it is the lock on the store. */
const FIRST_SEGMENT = 'events.log'
const LATER_SEGMENT = /^events-(\d{16})\.log$/
const SEQ_DIGITS = 16 // as many as an exact number has

/** A file of a store, as described by its name. */
export interface SegmentFile {
  readonly path: string
  readonly firstSeq: number
}

/** The file that a store is known by, and locked by. */
export function firstSegmentPath(folder: string): string {
  return path.join(folder, FIRST_SEGMENT)
}

export function laterSegmentPath(folder: string, firstSeq: number): string {
  return path.join(folder, `events-${String(firstSeq).padStart(SEQ_DIGITS, '0')}.log`)
}

export function isSegmentName(name: string): boolean {
  return name === FIRST_SEGMENT || LATER_SEGMENT.test(name)
}

/** The segments of a store, in order. The first is listed whether or not it is there. */
export async function listSegments(folder: string): Promise<SegmentFile[]> {
  const first = { path: firstSegmentPath(folder), firstSeq: 1 }
  const later = (await fs.readdir(folder)).flatMap((name) => {
    const match = LATER_SEGMENT.exec(name)
    return match === null ? [] : [{ path: path.join(folder, name), firstSeq: Number(match[1]) }]
  })
  return [first, ...later.toSorted((a, b) => a.firstSeq - b.firstSeq)]
}

/**
 * A segment within its log. Offsets of a log count as if all its records stood in one file: they do not show where one
 * segment ends and the next begins.
 */
export interface Segment extends SegmentFile {
  /** The log's offset of its first record. */
  readonly startOffset: number
  /** The log's output cursor at its first record. */
  readonly startCursor: number
  readonly index: SparseIndex
}

/** The segments of a log with their indexes: finds a record by seq, by time or by output cursor without reading. */
export class SegmentChain {
  readonly #segments: Segment[] = []

  add(file: SegmentFile, index: SparseIndex): void {
    this.#segments.push({ ...file, startOffset: this.endOffset, startCursor: this.cursor, index })
  }

  get segments(): readonly Segment[] {
    return this.#segments
  }

  /** The end of the output stream: the cursor of the next byte of output. */
  get cursor(): number {
    const last = this.#segments.at(-1)
    return last === undefined ? 0 : last.startCursor + last.index.cursor
  }

  get endOffset(): number {
    const last = this.#segments.at(-1)
    return last === undefined ? FILE_HEADER_BYTES : last.startOffset + last.index.offset - FILE_HEADER_BYTES
  }

  get lastSeq(): number {
    return this.#segments.at(-1)?.index.lastSeq ?? 0
  }

  /** A record at or before the first one with this output cursor, from which it is not far to read. */
  before(cursor: number): OutputPosition {
    const segment = this.#last((it) => it.startCursor < cursor)
    return this.#within(segment, segment.index.before(cursor - segment.startCursor))
  }

  /** As before(), for a record by its seq. */
  beforeSeq(seq: number): OutputPosition {
    const segment = this.#last((it) => it.firstSeq <= seq)
    return this.#within(segment, segment.index.beforeSeq(seq))
  }

  /** The range of seqs in which the last record of this time or earlier is; null if all are later. */
  beforeTime(time: number): { from: number; to: number } | null {
    for (const segment of this.#segments.toReversed()) {
      const found = segment.index.beforeTime(time)
      if (found !== null) return found
    }
    return null
  }

  /** Where a byte of the log is: the file, the place in it, and the offset where this segment ends. */
  locate(offset: number): { path: string; fileOffset: number; endOffset: number } {
    const at = this.#lastIndex((it) => it.startOffset <= offset)
    const segment = this.#at(at)
    return {
      path: segment.path,
      fileOffset: offset - segment.startOffset + FILE_HEADER_BYTES,
      endOffset: this.#segments[at + 1]?.startOffset ?? Infinity,
    }
  }

  #within(segment: Segment, position: OutputPosition | null): OutputPosition {
    const { startOffset, startCursor, firstSeq } = segment
    if (position === null) return { offset: startOffset, cursor: startCursor, seq: firstSeq }
    return {
      offset: startOffset + position.offset - FILE_HEADER_BYTES,
      cursor: startCursor + position.cursor,
      seq: position.seq,
    }
  }

  #last(precedes: (segment: Segment) => boolean): Segment {
    return this.#at(this.#lastIndex(precedes))
  }

  #lastIndex(precedes: (segment: Segment) => boolean): number {
    return Math.max(0, this.#segments.findLastIndex(precedes))
  }

  #at(index: number): Segment {
    const segment = this.#segments[index]
    if (segment === undefined) throw new Error('a chain has at least one segment')
    return segment
  }
}
