import type { LogReport } from '@transom/protocol'
import { eventTypeName } from './event-record.ts'
import { FILE_HEADER_BYTES, type LogRecord } from './record.ts'
import { salvageRecords } from './salvage.ts'
import type { SegmentFile } from './segment-chain.ts'
import { judgeTail, withSegment, type Tail } from './segment-reader.ts'
import type { StoredEvents } from './stored-events.ts'

/** What a walk over a whole log found. */
export interface LogFindings {
  readonly report: Omit<LogReport, 'session' | 'checkpoints'>
  readonly segments: readonly SegmentFindings[]
}

export interface SegmentFindings {
  readonly path: string
  readonly sizeBytes: number
  readonly records: number
  readonly tail: Tail
  /** The stretches of bytes that hold whole records, in order. */
  readonly sound: readonly ByteRange[]
  readonly unreadable: readonly ByteRange[]
}

export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Checks every record of a log up to `endOffset`, also after damage. A live session may write past that. */
export async function verifyLog(
  events: StoredEvents,
  { endOffset = Infinity, signal }: { endOffset?: number | undefined; signal?: AbortSignal | undefined } = {},
): Promise<LogFindings> {
  const tally = new Tally()
  const segments: SegmentFindings[] = []
  let startOffset = FILE_HEADER_BYTES // of the segment, as offsets of a log count
  for (const file of await events.segments()) {
    if (startOffset >= endOffset && segments.length > 0) break
    const limitBytes = endOffset - startOffset + FILE_HEADER_BYTES
    const found = await verifySegment(file, { limitBytes, tally, signal })
    segments.push(found)
    startOffset += Math.max(0, found.sizeBytes - FILE_HEADER_BYTES)
  }
  const judged = segments.map((segment, at) => ({ ...segment, tail: tailWithin(segments, at) }))
  const report = { ...reportOf(events, judged, tally), stored_bytes: await events.sizeBytes() }
  return { report, segments: judged }
}

async function verifySegment(
  { path, firstSeq }: SegmentFile,
  { limitBytes, tally, signal }: { limitBytes: number; tally: Tally; signal?: AbortSignal | undefined },
): Promise<SegmentFindings> {
  return withSegment(path, async (file, hasHeader) => {
    const sizeBytes = Math.min((await file.stat()).size, limitBytes)
    const whole = { path, sizeBytes, records: 0, tail: 'none' as Tail, sound: [], unreadable: [] }
    if (!hasHeader) return { ...whole, tail: 'torn', unreadable: [{ start: 0, end: sizeBytes }] }
    const unreadable: ByteRange[] = []
    const before = tally.records
    const start = { sizeBytes, lastSeq: Math.max(tally.lastSeq, firstSeq - 1) }
    for await (const stretch of salvageRecords(file, start, signal)) {
      if (stretch.kind === 'records') tally.add(stretch.records)
      else unreadable.push({ start: stretch.offset, end: stretch.offset + stretch.bytes })
    }
    const [first] = unreadable
    let tail: Tail = 'none'
    if (first !== undefined) {
      const search = { offset: first.start, sizeBytes, lastSeq: tally.lastSeq }
      tail = first.end < sizeBytes ? 'damaged' : await judgeTail(file, search)
    }
    const records = tally.records - before
    return { ...whole, records, tail, sound: soundRanges(unreadable, sizeBytes), unreadable }
  })
}

/** A torn segment is damaged when records follow it in a later one: its writer had finished it. */
function tailWithin(segments: readonly SegmentFindings[], at: number): Tail {
  const tail = segments[at]?.tail ?? 'none'
  const isFollowed = segments.slice(at + 1).some(({ records }) => records > 0)
  return tail === 'torn' && isFollowed ? 'damaged' : tail
}

function reportOf(
  events: StoredEvents,
  segments: readonly SegmentFindings[],
  tally: Tally,
): Omit<LogFindings['report'], 'stored_bytes'> {
  const first = segments.find(({ tail }) => tail !== 'none')
  const ranges = segments.flatMap(({ unreadable }) => unreadable)
  return {
    path: first?.path ?? events.path,
    segments: segments.length,
    bytes: segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    ...tally.totals(),
    tail: segments.find(({ tail }) => tail === 'damaged')?.tail ?? first?.tail ?? 'none',
    offset: first?.unreadable[0]?.start ?? null,
    unreadable_bytes: ranges.reduce((sum, { start, end }) => sum + end - start, 0),
  }
}

class Tally {
  readonly #types = new Map<string, number>()
  #records = 0
  #first: LogReport['first'] = null
  #last: LogReport['last'] = null

  get lastSeq(): number {
    return this.#last?.seq ?? 0
  }

  get records(): number {
    return this.#records
  }

  add(records: readonly LogRecord[]): void {
    for (const { seq, time, typeNumber } of records) {
      const type = eventTypeName(typeNumber)
      this.#types.set(type, (this.#types.get(type) ?? 0) + 1)
      this.#last = { seq, time }
      this.#first ??= this.#last
      this.#records++
    }
  }

  totals() {
    return {
      records: this.#records,
      types: Object.fromEntries(this.#types),
      first: this.#first,
      last: this.#last,
      missing: this.lastSeq - this.#records,
    }
  }
}

function soundRanges(unreadable: readonly ByteRange[], sizeBytes: number): ByteRange[] {
  const starts = [FILE_HEADER_BYTES, ...unreadable.map(({ end }) => end)]
  const ends = [...unreadable.map(({ start }) => start), sizeBytes]
  return starts
    .map((start, index) => ({ start, end: ends[index] ?? sizeBytes }))
    .filter(({ start, end }) => end > start)
}
