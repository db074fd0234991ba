import { OpError } from '@transom/protocol/errors'
import type { FoldTarget } from '../log/fold.ts'
import type { LogRecord } from '../log/record.ts'
import type { StoredEvents } from '../log/stored-events.ts'
import { ScreenProjection } from '../replay/screen-projection.ts'
import type { Screen } from '../screen/screen.ts'
import { Timeline, type Timing } from './timeline.ts'

const REPORT_EVERY_BYTES = 256 << 10 // as much as the log is read in

export interface RecordingRange {
  /** The first and the last record to show; null for the session's own. */
  readonly fromSeq: number | null
  readonly toSeq: number | null
  readonly timing: Timing
  readonly signal: AbortSignal
  /** Told how many bytes of the log have been read. */
  readonly onRead?: (bytes: number) => void
}

/** A record of the range, after it was applied to the screen (where that is needed). */
export interface RecordedEvent {
  readonly record: LogRecord
  /** In the recording, from its start. */
  readonly atMs: number
  readonly screen: Screen
}

export interface RecordingStart {
  readonly screen: Screen
  readonly startMs: number
  readonly command: readonly string[]
  /** Whether it starts with the session of a program, so that the program's own bytes make the whole screen. */
  readonly ownBytes: boolean
}

export interface RecordingReader {
  /** False, from its start on, for one that takes the records as they are: emulating them is most of the work. */
  readonly needsScreen: boolean
  start(start: RecordingStart): void | Promise<void>
  event(event: RecordedEvent): void | Promise<void>
}

export interface RangeRead {
  readonly fromSeq: number
  readonly lastSeq: number
  readonly durationMs: number
  readonly exitCode: number | null
}

/** Plays a range of a log to `reader`, in memory of a fixed size however long the log is. */
export async function readRange(
  events: StoredEvents,
  range: RecordingRange,
  reader: RecordingReader,
): Promise<RangeRead> {
  const fromSeq = range.fromSeq ?? 1
  const toSeq = range.toSeq ?? Number.MAX_SAFE_INTEGER
  if (fromSeq > toSeq)
    throw new OpError('usage', `from_seq ${fromSeq} lies behind to_seq ${toSeq}`, {
      from_seq: fromSeq,
      to_seq: toSeq,
    })
  const stage = new Stage(events.path, { ...range, fromSeq }, reader)
  await events.fold([stage], { from: fromSeq, to: toSeq, signal: range.signal, damage: 'refuse' })
  const { seq: lastSeq, durationMs, exitCode } = stage
  if (lastSeq >= fromSeq) return { fromSeq, lastSeq, durationMs, exitCode }
  const { path } = events
  throw new OpError(
    'moment_not_found',
    `the Event Log ${path} ends with record ${lastSeq}, before ${fromSeq}`,
    {
      path,
      from_seq: fromSeq,
      last_seq: lastSeq,
    },
  )
}

/** Shows the records of a range to a reader, on the screen as it was before them. */
class Stage implements FoldTarget {
  readonly #projection: ScreenProjection
  readonly #range: RecordingRange & { readonly fromSeq: number }
  readonly #reader: RecordingReader
  #timeline: Timeline | null = null
  /** Whether the screen has been shown every record. */
  #isShown = true
  #readBytes = 0
  #reportedBytes = 0
  durationMs = 0

  constructor(path: string, range: RecordingRange & { readonly fromSeq: number }, reader: RecordingReader) {
    this.#projection = new ScreenProjection(path)
    this.#range = range
    this.#reader = reader
  }

  get checkpoints(): string {
    return this.#projection.checkpoints
  }

  get seq(): number {
    return this.#projection.seq
  }

  get exitCode(): number | null {
    return this.#projection.exit?.code ?? null
  }

  restore(first: LogRecord, checkpoint: Uint8Array): boolean {
    return this.#projection.restore(first, checkpoint)
  }

  checkpoint(): Uint8Array | null {
    return this.#isShown ? this.#projection.checkpoint() : null
  }

  apply(record: LogRecord): void | Promise<void> {
    this.#reportRead(record)
    if (this.#timeline !== null) return this.#play(record, this.#timeline)
    if (record.seq >= this.#range.fromSeq) return this.#start(record)
    this.#projection.apply(record)
  }

  async #start(record: LogRecord): Promise<void> {
    const isFirst = this.#projection.seq === 0
    if (isFirst) this.#projection.note(record) // the record that says how large the screen is
    const { created, screen } = this.#projection
    const command = created.url === undefined ? created.command : [created.url]
    const timeline = new Timeline(this.#range.timing, record.time)
    const ownBytes = created.kind === 'terminal' && isFirst
    await this.#reader.start({ screen, startMs: record.time, command, ownBytes })
    this.#timeline = timeline
    await this.#play(record, timeline)
  }

  #play(record: LogRecord, timeline: Timeline): void | Promise<void> {
    if (this.#reader.needsScreen) this.#projection.apply(record)
    else {
      this.#projection.note(record)
      this.#isShown = false
    }
    this.durationMs = timeline.at(record.time)
    return this.#reader.event({ record, atMs: this.durationMs, screen: this.#projection.screen })
  }

  #reportRead({ payload }: LogRecord): void {
    this.#readBytes += payload.length
    if (this.#readBytes - this.#reportedBytes < REPORT_EVERY_BYTES) return
    this.#reportedBytes = this.#readBytes
    this.#range.onRead?.(this.#readBytes)
  }
}
