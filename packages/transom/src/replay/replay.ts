import { EVENT_TYPE_NUMBERS, createdEvent, exitRecord, resizeEvent, type ExitRecord } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { readRecords, withLogFile } from '../log/log-reader.ts'
import { FILE_HEADER_BYTES, type LogRecord } from '../log/record.ts'
import { Screen, type ScreenEvent } from '../terminal/screen.ts'
import { XtermEmulator } from '../terminal/xterm-emulator.ts'

export interface Replayed {
  readonly screen: Screen
  readonly exit: ExitRecord | null
  readonly lastSeq: number
  readonly lastOutputSeq: number
}

/** The screen of a session when `isIt` last said so of it, or null when it never did. */
export async function replayUntil(
  path: string,
  isIt: (screen: Screen) => boolean,
  signal: AbortSignal,
): Promise<Screen | null> {
  let found: number | null = null
  await replayLog(path, {
    signal,
    each: (screen) => {
      if (isIt(screen)) found = screen.seq
    },
  })
  return found === null ? null : (await replayLog(path, { seq: found, signal })).screen
}

export interface ReplayOptions {
  /** Stop after this record; the end, when left out. */
  readonly seq?: number
  readonly signal?: AbortSignal
  /** Called after every record. */
  readonly each?: (screen: Screen) => void
}

/** The screen of a session at a seq, from its Event Log alone: equal to the live one then. */
export async function replayLog(path: string, options: ReplayOptions = {}): Promise<Replayed> {
  return withLogFile(path, async (file) => {
    const until = options.seq ?? Number.MAX_SAFE_INTEGER
    let screen: Screen | null = null
    let exit: ExitRecord | null = null
    let lastSeq = 0
    let lastOutputSeq = 0
    for await (const records of readRecords(file, { offset: FILE_HEADER_BYTES }, options.signal)) {
      for (const record of records) {
        if (record.seq > until) break
        screen ??= screenFor(record, path)
        screen.apply(record.seq, screenEventOf(record))
        screen.takeAnswers() // queries are answered by the live host only
        options.each?.(screen)
        lastSeq = record.seq
        if (record.typeNumber === EVENT_TYPE_NUMBERS.output) lastOutputSeq = record.seq
        if (record.typeNumber === EVENT_TYPE_NUMBERS.exit) exit = exitRecord.parse(factOf(record))
      }
      if (lastSeq >= until) break
    }
    if (screen === null) throw new OpError('log_corrupt', `${path} has no records`, { path })
    return { screen, exit, lastSeq, lastOutputSeq }
  })
}

export function screenEventOf(record: LogRecord): ScreenEvent {
  switch (record.typeNumber) {
    case EVENT_TYPE_NUMBERS.output:
      return { type: 'output', bytes: record.payload }
    case EVENT_TYPE_NUMBERS.resize:
      return { type: 'resize', ...resizeEvent.parse(factOf(record)) }
    case EVENT_TYPE_NUMBERS.sync_release:
      return { type: 'sync_release' }
    default:
      return { type: 'other' }
  }
}

function screenFor(first: LogRecord, path: string): Screen {
  const { cols, rows } = createdSize(first, path)
  return new Screen(new XtermEmulator(cols, rows))
}

/** The size that a session began with, from the first record of its log. */
export function createdSize(first: LogRecord, path: string): { cols: number; rows: number } {
  const created = createdEvent.safeParse(
    first.typeNumber === EVENT_TYPE_NUMBERS.created ? factOf(first) : null,
  )
  if (!created.success) throw new OpError('log_corrupt', `${path} does not begin with its creation`, { path })
  return created.data
}

function factOf(record: LogRecord): unknown {
  return JSON.parse(Buffer.from(record.payload).toString('utf8'))
}
