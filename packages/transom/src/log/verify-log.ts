import type { LogReport } from '@transom/protocol'
import { eventTypeName } from './event-record.ts'
import { judgeTail, withLogFile } from './log-reader.ts'
import { FILE_HEADER_BYTES, type LogRecord } from './record.ts'
import { salvageRecords } from './salvage.ts'

/** What a walk over a whole log found. */
export interface LogFindings {
  readonly report: Omit<LogReport, 'session'>
  /** The stretches of bytes that hold whole records, in order. */
  readonly sound: readonly ByteRange[]
}

export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Checks every record of a log, also behind damage. With `sizeBytes` only as far as that: a live session goes on. */
export async function verifyLog(
  path: string,
  options: { sizeBytes?: number | undefined; signal?: AbortSignal | undefined } = {},
): Promise<LogFindings> {
  return withLogFile(path, async (file) => {
    const sizeBytes = options.sizeBytes ?? (await file.stat()).size
    const tally = new Tally()
    const unreadable: ByteRange[] = []
    for await (const stretch of salvageRecords(file, sizeBytes, options.signal)) {
      if (stretch.kind === 'records') tally.add(stretch.records)
      else unreadable.push({ start: stretch.offset, end: stretch.offset + stretch.bytes })
    }
    const [first] = unreadable
    let tail: LogReport['tail'] = 'none'
    if (first !== undefined) {
      const start = { offset: first.start, sizeBytes, lastSeq: tally.lastSeq }
      tail = first.end < sizeBytes ? 'damaged' : await judgeTail(file, start)
    }
    const unreadableBytes = unreadable.reduce((sum, { start, end }) => sum + end - start, 0)
    const report = {
      path,
      bytes: sizeBytes,
      ...tally.totals(),
      tail,
      offset: first?.start ?? null,
      unreadable_bytes: unreadableBytes,
    }
    return { report, sound: soundRanges(unreadable, sizeBytes) }
  })
}

class Tally {
  readonly #types = new Map<string, number>()
  #records = 0
  #first: LogReport['first'] = null
  #last: LogReport['last'] = null

  get lastSeq(): number {
    return this.#last?.seq ?? 0
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
