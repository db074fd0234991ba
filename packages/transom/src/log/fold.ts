import { setImmediate as turn } from 'node:timers/promises'
import type { RecordPlace } from './log-batches.ts'
import { RECORD_HEADER_BYTES, type LogRecord } from './record.ts'
import type { ReadRange, StoredEvents } from './stored-events.ts'

/** After so much the other sessions get their turn: some milliseconds of emulation, the slowest of what is folded. */
const TURN_BYTES = 64 << 10
/** How much of a log lies between two checkpoints: a fraction of a second to read again. */
export const CHECKPOINT_EVERY_BYTES = 4 << 20

/** What records are shown to: a projection, or whatever else is made from a log. */
export interface FoldTarget {
  /** The last record it has seen; 0 or left out before the first. Records up to it are not shown again. */
  readonly seq?: number
  /** Names its checkpoints; left out where every record must be seen. */
  readonly checkpoints?: string
  /** Takes the state of a checkpoint, with the log's first record; false when that cannot be used. */
  restore?(first: LogRecord, checkpoint: Uint8Array): boolean
  /** The present state, for a fold that begins here; null when there is no way to write it down. */
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
  events: StoredEvents,
  targets: readonly FoldTarget[],
  range: FoldRange,
): Promise<Folded> {
  const starts = await Promise.all(targets.map(async (target) => startOf(events, target, range)))
  const earliest = starts.reduce((a, b) => (b.seq < a.seq ? b : a), starts[0] ?? { seq: 0, near: null })
  let lastSeq = earliest.seq
  let recordCount = 0
  let [turnBytes, checkpointBytes] = [0, 0]
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
      checkpointBytes += bytes
      if (checkpointBytes >= CHECKPOINT_EVERY_BYTES) {
        checkpointBytes = 0
        await keepCheckpoints(events, targets, lastSeq)
      }
      turnBytes += bytes
      if (turnBytes < TURN_BYTES) continue
      turnBytes = 0
      await turn()
      range.signal?.throwIfAborted()
    }
  }
  return { lastSeq, records: recordCount }
}

/** The last record that a target does not need to be shown. */
async function startOf(
  events: StoredEvents,
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
    const first = await firstRecord(events)
    if (first !== null && target.restore(first, found.state)) return { seq: found.seq, near: found.place }
    before = found.seq - 1
  }
  return begin
}

async function firstRecord(events: StoredEvents): Promise<LogRecord | null> {
  for await (const records of events.read({ to: 1 })) return records[0] ?? null
  return null
}

async function keepCheckpoints(
  events: StoredEvents,
  targets: readonly FoldTarget[],
  seq: number,
): Promise<void> {
  for (const target of targets) {
    const state = target.checkpoint?.() ?? null
    if (target.checkpoints === undefined || state === null) continue
    // Without it a later fold takes longer: in a Home that cannot be written to, that is all.
    await events.writeCheckpoint(target.checkpoints, seq, state).catch(() => {})
  }
}
