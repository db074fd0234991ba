import { OpError } from '@transom/protocol/errors'
import type { FoldTarget } from '../../log/fold.ts'
import type { LogRecord } from '../../log/record.ts'
import type { SessionLog } from '../../session/session-log.ts'
import { SessionReplay } from '../replay/session-replay.ts'
import type { KindView } from '../../session/kind.ts'
import type { Projection } from '../../session/projection.ts'
import { Timeline, type Timing } from './timeline.ts'

const REPORT_EVERY_BYTES = 256 << 10 // as much as the log is read in

export interface RecordingRange {
  /** The first and the last record to show; null for the session's own. */
  readonly fromSeq: number | null
  readonly toSeq: number | null
  readonly timing: Timing
  readonly signal: AbortSignal
  /** Called with the number of bytes of the log that have been read. */
  readonly onRead?: (bytes: number) => void
}

/** A record of the range, after it was applied to the screen (where that is needed). */
export interface RecordedEvent {
  readonly record: LogRecord
  /** In the recording, from its start. */
  readonly atMs: number
  readonly screen: Projection
}

export interface RecordingStart {
  readonly screen: Projection
  readonly startMs: number
  readonly command: readonly string[]
  /**
   * The bytes that the session printed by a record, if it starts with a session that prints bytes: they make the whole
   * screen. Else null.
   */
  readonly ownBytes: KindView['printedBytes'] | null
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
  log: SessionLog,
  range: RecordingRange,
  reader: RecordingReader,
): Promise<RangeRead> {
  const fromSeq = range.fromSeq ?? 1
  const toSeq = range.toSeq ?? Number.MAX_SAFE_INTEGER
  if (fromSeq > toSeq)
    throw new OpError('usage', `\`from_seq\` ${fromSeq} is after \`to_seq\` ${toSeq}`, {
      from_seq: fromSeq,
      to_seq: toSeq,
    })
  const stage = new Stage(log, { ...range, fromSeq }, reader)
  await log.events.fold([stage], { from: fromSeq, to: toSeq, signal: range.signal, damage: 'refuse' })
  const { seq: lastSeq, durationMs, exitCode } = stage
  if (lastSeq >= fromSeq) return { fromSeq, lastSeq, durationMs, exitCode }
  const { path } = log.events
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
  readonly #log: SessionLog
  readonly #replay: SessionReplay
  readonly #range: RecordingRange & { readonly fromSeq: number }
  readonly #reader: RecordingReader
  #timeline: Timeline | null = null
  /** Whether the screen has been shown every record. */
  #isShown = true
  #readBytes = 0
  #reportedBytes = 0
  durationMs = 0

  constructor(
    log: SessionLog,
    range: RecordingRange & { readonly fromSeq: number },
    reader: RecordingReader,
  ) {
    this.#log = log
    this.#replay = new SessionReplay(log)
    this.#range = range
    this.#reader = reader
  }

  get checkpoints(): string {
    return this.#replay.checkpoints
  }

  get seq(): number {
    return this.#replay.seq
  }

  get exitCode(): number | null {
    return this.#replay.exit?.code ?? null
  }

  restore(first: LogRecord, checkpoint: Uint8Array): boolean {
    return this.#replay.restore(first, checkpoint)
  }

  checkpoint(): Uint8Array | null {
    return this.#isShown ? this.#replay.checkpoint() : null
  }

  apply(record: LogRecord): void | Promise<void> {
    this.#reportRead(record)
    if (this.#timeline !== null) return this.#play(record, this.#timeline)
    if (record.seq >= this.#range.fromSeq) return this.#start(record)
    this.#replay.apply(record)
  }

  async #start(record: LogRecord): Promise<void> {
    const isFirst = this.#replay.seq === 0
    if (isFirst) this.#replay.note(record) // the record that says how large the screen is
    const { created, screen } = this.#replay
    const command = created.url === undefined ? created.command : [created.url]
    const timeline = new Timeline(this.#range.timing, record.time)
    const { printedBytes = null } = this.#log.kinds.get(created.kind)
    const ownBytes = isFirst ? printedBytes : null
    await this.#reader.start({ screen, startMs: record.time, command, ownBytes })
    this.#timeline = timeline
    await this.#play(record, timeline)
  }

  #play(record: LogRecord, timeline: Timeline): void | Promise<void> {
    if (this.#reader.needsScreen) this.#replay.apply(record)
    else {
      this.#replay.note(record)
      this.#isShown = false
    }
    this.durationMs = timeline.at(record.time)
    return this.#reader.event({ record, atMs: this.durationMs, screen: this.#replay.screen })
  }

  #reportRead({ payload }: LogRecord): void {
    this.#readBytes += payload.length
    if (this.#readBytes - this.#reportedBytes < REPORT_EVERY_BYTES) return
    this.#reportedBytes = this.#readBytes
    this.#range.onRead?.(this.#readBytes)
  }
}
