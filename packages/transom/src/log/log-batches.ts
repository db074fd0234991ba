import { watch } from 'node:fs'
import { OpError, next } from '@transom/protocol/errors'
import { FoldedChanges } from '../lib/changes.ts'
import type { SegmentData } from './compressed-segment.ts'
import { FILE_HEADER_BYTES, type LogRecord } from './record.ts'
import { isSegmentName, type SegmentFile } from './segment-chain.ts'
import { hasFileHeader, judgeTail, openSegment, readRecords } from './segment-reader.ts'

/** A record's place: the segment and the offset in its file. */
export interface RecordPlace {
  readonly file: SegmentFile
  readonly offset: number
}

/** Records that follow each other, and where the first one lies. */
export interface Batch extends RecordPlace {
  readonly records: readonly LogRecord[]
}

export interface BatchOptions {
  readonly signal?: AbortSignal | undefined
  /** What to do where the log is damaged: end as if it ended there, or throw. */
  readonly damage: 'stop' | 'refuse'
  /** Announces appends; without it the reading ends at the end. */
  readonly changes?: LogWatch | undefined
  readonly list: () => Promise<readonly SegmentFile[]>
}

/** The records of a log from a place on, segment after segment. Memory of a fixed size, however long the log is. */
export async function* readBatches(start: RecordPlace, options: BatchOptions): AsyncGenerator<Batch> {
  let { file: segment, offset } = start
  let lastSeq = segment.firstSeq - 1
  for (;;) {
    const file = await openSegment(segment.path)
    const position = { offset }
    let next: SegmentFile | null
    try {
      next = yield* readSegment(file, segment, position, options, (seq) => (lastSeq = seq))
      await checkEnd(file, { segment, offset: position.offset, lastSeq, hasNext: next !== null }, options)
      if (next !== null && options.damage === 'stop' && position.offset < (await file.stat()).size) return
    } finally {
      await file.close()
    }
    if (next === null) return
    segment = next
    offset = FILE_HEADER_BYTES
  }
}

/** Reads one segment to its end; returns the segment that follows, or null at the end of the log. */
async function* readSegment(
  file: SegmentData,
  segment: SegmentFile,
  position: { offset: number },
  { signal, changes, list }: BatchOptions,
  onSeq: (seq: number) => void,
): AsyncGenerator<Batch, SegmentFile | null> {
  let next: SegmentFile | null = null
  let hasHeader = false
  let isListed = false // several segments may have been added since the one before was left
  for (;;) {
    hasHeader ||= await hasFileHeader(file, segment.path)
    if (hasHeader) {
      let { offset } = position
      for await (const records of readRecords(file, position, signal)) {
        onSeq(records.at(-1)?.seq ?? 0)
        yield { file: segment, offset, records }
        ;({ offset } = position)
      }
    }
    // All records of a segment are written before the next one is made: known before they were read, it is complete.
    if (next !== null) return next
    const mayHaveNext = changes === undefined || changes.takeRolled() || !isListed
    if (mayHaveNext) next = (await list()).find(({ firstSeq }) => firstSeq > segment.firstSeq) ?? null
    isListed = true
    if (next !== null) continue
    if (changes === undefined || signal?.aborted) return null
    await changes.next()
    if (signal?.aborted) return null
  }
}

/** Throws where the records of a segment stop before its end, unless that is a torn tail of the log. */
async function checkEnd(
  file: SegmentData,
  end: { segment: SegmentFile; offset: number; lastSeq: number; hasNext: boolean },
  { damage, signal }: BatchOptions,
): Promise<void> {
  const { segment, offset, lastSeq, hasNext } = end
  if (damage === 'stop' || signal?.aborted) return
  const { size: sizeBytes } = await file.stat()
  const tail = await judgeTail(file, { offset, sizeBytes, lastSeq })
  if (tail === 'none' || (tail === 'torn' && !hasNext)) return
  const { path } = segment
  const message = `${path} is damaged at byte ${offset}, after record ${lastSeq}`
  const repair = next({ call: 'log.repair', params: {}, does: 'keeps what can be read' })
  throw new OpError('log_corrupt', message, { path, offset, last_seq: lastSeq, ...repair })
}

/** Changes to a log, folded. The kernel announces them (inotify), so that this works beside any writer. */
export class LogWatch {
  readonly #changes: FoldedChanges
  #rolled = true // nothing is known of what came before
  readonly #watcher

  constructor(folder: string, signal: AbortSignal) {
    this.#changes = new FoldedChanges(signal)
    this.#watcher = watch(folder, { signal }, (event, name) => {
      if (name !== null && !isSegmentName(name)) return
      if (event === 'rename') this.#rolled = true
      this.#changes.announce()
    })
  }

  /** Whether a segment may have been added since this was last asked. */
  takeRolled(): boolean {
    const rolled = this.#rolled
    this.#rolled = false
    return rolled
  }

  /** Resolves after a change that no earlier call has returned for, or at an abort. */
  async next(): Promise<void> {
    await this.#changes.next()
  }

  close(): void {
    this.#watcher.close()
  }
}
