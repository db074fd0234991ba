import * as fs from 'node:fs/promises'
import * as path from 'node:path'
import { errnoOf } from '../lib/system-error.ts'
import { CheckpointFiles, type Checkpoint } from './checkpoint-files.ts'
import { foldEvents, type FoldRange, type ReadRange, type FoldTarget, type Folded } from './fold.ts'
import { LogWatch, readBatches, type Batch, type RecordPlace } from './log-batches.ts'
import { ExtentReader, type LogExtent } from './log-extent.ts'
import { FILE_HEADER_BYTES, RECORD_HEADER_BYTES, type LogRecord } from './record.ts'
import { firstSegmentPath, listSegments, type SegmentChain, type SegmentFile } from './segment-chain.ts'

/** Everything that a store writes into its folder begins with this. */
const STORE_FILES = /^events[.-]/

/**
 * A session's Event Log to read from, whether it is being written or not, by this process or another. Knows its folder;
 * opens files when it is asked to.
 */
export class StoredEvents {
  readonly folder: string
  readonly #live: SegmentChain | null
  readonly #extents = new ExtentReader()
  readonly #checkpoints: CheckpointFiles
  readonly #onStored: (bytes: number) => void

  private constructor(folder: string, live: SegmentChain | null, onStored: (bytes: number) => void) {
    this.folder = folder
    this.#live = live
    this.#onStored = onStored
    this.#checkpoints = new CheckpointFiles(folder)
  }

  /**
   * `live` is what the writer knows of the log, if that is this process. `onStored` gets the number of added bytes
   * when a reader writes a checkpoint.
   */
  static at(
    folder: string,
    live: SegmentChain | null = null,
    onStored: (bytes: number) => void = () => {},
  ): StoredEvents {
    return new StoredEvents(folder, live, onStored)
  }

  /** The file that a log is known by: its first segment. */
  get path(): string {
    return firstSegmentPath(this.folder)
  }

  async exists(): Promise<boolean> {
    try {
      await fs.access(this.path)
      return true
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return false
      throw error
    }
  }

  /** The size of everything that is stored: segments, indexes, checkpoints, kept copies of damaged segments. */
  async sizeBytes(): Promise<number> {
    const names = (await namesIn(this.folder)).filter((name) => STORE_FILES.test(name))
    const sizes = names.map(async (name) => {
      try {
        return (await fs.lstat(path.join(this.folder, name))).size
      } catch (error) {
        if (errnoOf(error) === 'ENOENT') return 0 // a temporary file
        throw error
      }
    })
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  }

  /** How far it can be read, with an index of all of it. */
  async extent(signal?: AbortSignal): Promise<LogExtent> {
    return this.#extents.read(await this.segments(), signal)
  }

  async segments(): Promise<SegmentFile[]> {
    try {
      return await listSegments(this.folder)
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) throw error
      return [{ path: this.path, firstSeq: 1 }] // opening it reports that it is missing
    }
  }

  /** The log's first record; null if there is none. */
  async first(): Promise<LogRecord | null> {
    for await (const records of this.read({ to: 1 })) return records[0] ?? null
    return null
  }

  /** The records of a range that are there now. */
  async *read(range: ReadRange = {}): AsyncGenerator<readonly LogRecord[]> {
    for await (const { records } of this.batches(range)) yield records
  }

  /**
   * The records from `from` on, then whatever is appended, until `signal` aborts. Works beside any writer, and pulls at
   * the consumer's own pace.
   */
  async *follow({
    from,
    signal,
  }: {
    from: number
    signal: AbortSignal
  }): AsyncGenerator<readonly LogRecord[]> {
    const changes = new LogWatch(this.folder, signal) // before the first read: what is appended after it is announced
    try {
      for await (const { records } of this.batches({ from, signal }, { changes })) yield records
    } finally {
      changes.close()
    }
  }

  /**
   * Shows a range of records to each target, in order. A target with checkpoints begins at the nearest one that it can
   * use. Other work gets its turn in between.
   */
  async fold(targets: readonly FoldTarget[], range: FoldRange = {}): Promise<Folded> {
    return foldEvents(this, targets, range)
  }

  /** The seq of the last record of a time or earlier; null if all are later. */
  async lastSeqAt(time: number, signal?: AbortSignal): Promise<number | null> {
    const chain = this.#live ?? (await this.extent(signal)).chain
    const range = chain.beforeTime(time)
    if (range === null) return null
    let found: number | null = null
    for await (const records of this.read({ ...range, signal }))
      for (const record of records) if (record.time <= time) found = record.seq
    return found
  }

  /** The latest usable checkpoint of a projection at or before a seq. */
  async readCheckpoint(name: string, atOrBeforeSeq: number): Promise<Checkpoint | null> {
    return this.#checkpoints.read(name, atOrBeforeSeq)
  }

  /** The seqs that have a checkpoint of a projection, usable or not, in order. */
  async checkpointSeqs(name: string): Promise<number[]> {
    return this.#checkpoints.seqs(name)
  }

  /** Removes one that this version cannot use, so that it makes room for one that it can. */
  async removeCheckpoint(name: string, seq: number): Promise<void> {
    await this.#checkpoints.remove(name, seq)
  }

  /** Keeps the state of a projection after a record, for replays that begin there. */
  async writeCheckpoint(name: string, seq: number, state: Uint8Array): Promise<void> {
    const place = await this.#placeOf(seq)
    if (place !== null) this.#onStored(await this.#checkpoints.write(name, { seq, ...place, state }))
  }

  async removeCheckpoints(): Promise<void> {
    await this.#checkpoints.removeAll()
  }

  /** As read(), with the place of each batch. `near` is the place of a record before the first one, where it is known. */
  async *batches(
    { from = 1, to = Number.MAX_SAFE_INTEGER, signal, damage = 'stop' }: ReadRange,
    { changes, near }: { changes?: LogWatch; near?: RecordPlace } = {},
  ): AsyncGenerator<Batch> {
    const start = near ?? (await this.#startFor(from, signal))
    const list = async () => this.segments()
    for await (const batch of readBatches(start, { signal, damage, changes, list })) {
      const [first, last] = [batch.records[0]?.seq ?? 0, batch.records.at(-1)?.seq ?? 0]
      const wanted = first >= from && last <= to ? batch : selected(batch, from, to)
      if (wanted.records.length > 0) yield wanted
      if (last >= to) return
    }
  }

  /** A place from which it is not far to the record. */
  async #startFor(seq: number, signal?: AbortSignal): Promise<RecordPlace> {
    const files = await this.segments()
    const file = files.findLast(({ firstSeq }) => firstSeq <= seq) ?? { path: this.path, firstSeq: 1 }
    if (seq <= file.firstSeq) return { file, offset: FILE_HEADER_BYTES }
    const live = this.#live?.segments.find(({ path: known }) => known === file.path)?.index
    const index = live ?? (await this.#extents.scan(file, signal)).index
    return { file, offset: index.beforeSeq(seq)?.offset ?? FILE_HEADER_BYTES }
  }

  async #placeOf(seq: number): Promise<RecordPlace | null> {
    for await (const { file, offset, records } of this.batches({ from: seq, to: seq }))
      if (records[0]?.seq === seq) return { file, offset }
    return null
  }
}

/** The records of a batch within a range. */
function selected({ file, offset, records }: Batch, from: number, to: number): Batch {
  let start = offset
  const wanted: LogRecord[] = []
  for (const record of records) {
    if (record.seq < from) start += RECORD_HEADER_BYTES + record.payload.length
    else if (record.seq <= to) wanted.push(record)
  }
  return { file, offset: start, records: wanted }
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await fs.readdir(folder)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return []
    throw error
  }
}
