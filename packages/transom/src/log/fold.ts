import { Turns } from '../lib/turns.ts'
import type { Checkpoint } from './checkpoint-files.ts'
import type { RecordPlace } from './log-batches.ts'
import { RECORD_HEADER_BYTES, type LogRecord } from './record.ts'

/** After so much the other sessions get their turn: some milliseconds of emulation, the slowest of what is folded. */
const TURN_BYTES = 64 << 10
/** How much of a log lies between two checkpoints: some ten milliseconds to read again. */
export const CHECKPOINT_EVERY_BYTES = 2 << 20
/** A large state is kept less often: it is at most this part of what was logged since the last one. */
const STATE_PART_MAX = 1 / 16

/** How much must be logged after a checkpoint of this size before the next one. */
export function bytesUntilCheckpoint(stateBytes: number): number {
  return Math.max(CHECKPOINT_EVERY_BYTES, stateBytes / STATE_PART_MAX)
}

export interface ReadRange {
  /** The first record; the log's first when left out. */
  readonly from?: number | undefined
  /** The last record; the log's last when left out. */
  readonly to?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Where the log is damaged: end there, or throw. A torn tail is no part of the log. */
  readonly damage?: 'stop' | 'refuse'
}

/** The log that is folded. */
export interface FoldedLog {
  batches(
    range: ReadRange,
    options?: { near?: RecordPlace },
  ): AsyncIterable<{ readonly records: readonly LogRecord[] }>
  first(): Promise<LogRecord | null>
  readCheckpoint(name: string, atOrBeforeSeq: number): Promise<Checkpoint | null>
  checkpointSeqs(name: string): Promise<number[]>
  removeCheckpoint(name: string, seq: number): Promise<void>
  writeCheckpoint(name: string, seq: number, state: Uint8Array): Promise<void>
}

/** What records are shown to: a projection, or whatever else is made from a log. */
export interface FoldTarget {
  /** The last record it has seen; 0 or left out before the first. Records up to it are not shown again. */
  readonly seq?: number
  /** Names its checkpoints; left out where every record must be seen. */
  readonly checkpoints?: string
  /** Takes the state of a checkpoint, with the log's first record; false if that cannot be used. */
  restore?(first: LogRecord, checkpoint: Uint8Array): boolean
  /** The present state, for a fold that begins here; null if there is no way to write it down. */
  checkpoint?(): Uint8Array | null
  apply(record: LogRecord): void | Promise<void>
}

export interface FoldRange extends ReadRange {
  /** The first record that each target must be shown; a checkpoint lies before it. Left out: only the end matters. */
  readonly from?: number | undefined
}

export interface Folded {
  /** The last record of the range; 0 when there is none. */
  readonly lastSeq: number
  /** How many records were read. */
  readonly records: number
}

/** The only loop over a log: see StoredEvents.fold(). */
export async function foldEvents(
  events: FoldedLog,
  targets: readonly FoldTarget[],
  range: FoldRange,
): Promise<Folded> {
  const starts = await Promise.all(targets.map(async (target) => startOf(events, target, range)))
  const earliest = starts.reduce((a, b) => (b.seq < a.seq ? b : a), starts[0] ?? { seq: 0, near: null })
  let lastSeq = earliest.seq
  let recordCount = 0
  const turns = new Turns()
  let turnBytes = 0
  const checkpoints = new CheckpointKeeper(events, targets, lastSeq)
  const near = earliest.near === null ? {} : { near: earliest.near }
  for await (const { records } of events.batches({ ...range, from: earliest.seq + 1 }, near)) {
    for (const record of records) {
      for (const [index, target] of targets.entries()) {
        if (record.seq <= (starts[index]?.seq ?? 0)) continue
        const applied = target.apply(record)
        if (applied !== undefined) await applied
      }
      lastSeq = record.seq
      recordCount++
      const bytes = RECORD_HEADER_BYTES + record.payload.length
      const kept = checkpoints.note(lastSeq, bytes)
      if (kept !== undefined) await kept
      turnBytes += bytes
      if (turnBytes < TURN_BYTES && !turns.isDue) continue // a few bytes may fill a large screen
      turnBytes = 0
      await turns.give()
      range.signal?.throwIfAborted()
    }
  }
  return { lastSeq, records: recordCount }
}

/** The last record that a target does not need to be shown. */
async function startOf(
  events: FoldedLog,
  target: FoldTarget,
  { from, to }: FoldRange,
): Promise<{ seq: number; near: RecordPlace | null }> {
  const seen = target.seq ?? 0
  const begin = { seq: seen, near: null }
  if (target.checkpoints === undefined || target.restore === undefined) return begin
  const latest = Math.min(from === undefined ? Infinity : from - 1, to ?? Infinity)
  for (let before = latest; before > seen;) {
    const found = await events.readCheckpoint(target.checkpoints, before)
    if (found === null || found.seq <= seen) return begin
    const first = await events.first()
    if (first !== null && target.restore(first, found.state)) return { seq: found.seq, near: found.place }
    await events.removeCheckpoint(target.checkpoints, found.seq).catch(() => {}) // of another version
    before = found.seq - 1
  }
  return begin
}

/** Leaves checkpoints on the way, where there are none. */
class CheckpointKeeper {
  readonly #events: FoldedLog
  readonly #targets: readonly FoldTarget[]
  #lastSeq: number
  #bytes = 0
  #dueBytes = CHECKPOINT_EVERY_BYTES

  constructor(events: FoldedLog, targets: readonly FoldTarget[], seq: number) {
    this.#events = events
    this.#targets = targets.filter((target) => target.checkpoints !== undefined)
    this.#lastSeq = seq
  }

  /** To be called after each record was shown to the targets. */
  note(seq: number, bytes: number): Promise<void> | undefined {
    this.#bytes += bytes
    if (this.#bytes < this.#dueBytes || this.#targets.length === 0) return undefined
    this.#bytes = 0
    return this.#keep(seq)
  }

  async #keep(seq: number): Promise<void> {
    const after = this.#lastSeq
    this.#lastSeq = seq
    for (const target of this.#targets) {
      const name = target.checkpoints ?? ''
      if ((await this.#events.checkpointSeqs(name)).some((at) => at > after && at <= seq)) continue
      const state = target.checkpoint?.() ?? null
      if (state === null) continue
      this.#dueBytes = bytesUntilCheckpoint(state.length)
      // Without it a later fold takes longer: in a Home that cannot be written to, that is all.
      await this.#events.writeCheckpoint(name, seq, state).catch(() => {})
    }
  }
}
