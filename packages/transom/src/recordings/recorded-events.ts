import { EVENT_TYPE_NUMBERS, exitRecord } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { soundRecords } from '../log/sound-records.ts'
import type { LogRecord } from '../log/record.ts'
import { createdOf, factOf, screenEventOf } from '../replay/replay.ts'
import { createScreen } from '../screen/create-screen.ts'
import type { Screen } from '../screen/screen.ts'
import { Timeline, type Timing } from './timeline.ts'

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
  path: string,
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
  let stage: Stage | null = null
  let [lastSeq, atMs, bytes] = [0, 0, 0]
  let exitCode: number | null = null
  for await (const records of soundRecords(path, { untilSeq: toSeq, signal: range.signal })) {
    for (const record of records) {
      stage ??= openStage(record, path)
      const { screen, command } = stage
      if (record.seq >= fromSeq && stage.timeline === null) {
        stage.timeline = new Timeline(range.timing, record.time)
        const ownBytes = stage.printsBytes && lastSeq === 0
        await reader.start({ screen, startMs: record.time, command, ownBytes })
      }
      if (stage.timeline === null || reader.needsScreen) {
        screen.apply(record.seq, screenEventOf(record))
        screen.takeAnswers() // queries are answered by the live host only
      }
      if (stage.timeline !== null) {
        atMs = stage.timeline.at(record.time)
        await reader.event({ record, atMs, screen })
      }
      if (record.typeNumber === EVENT_TYPE_NUMBERS.exit) exitCode = exitRecord.parse(factOf(record)).code
      lastSeq = record.seq
      bytes += record.payload.length
    }
    range.onRead?.(bytes)
  }
  if (lastSeq >= fromSeq) return { fromSeq, lastSeq, durationMs: atMs, exitCode }
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

interface Stage {
  readonly screen: Screen
  readonly command: readonly string[]
  readonly printsBytes: boolean
  timeline: Timeline | null
}

function openStage(first: LogRecord, path: string): Stage {
  const created = createdOf(first, path)
  const command = created.url === undefined ? created.command : [created.url]
  return {
    screen: createScreen(created),
    command,
    printsBytes: created.kind === 'terminal',
    timeline: null,
  }
}
