import {
  EVENT_TYPE_NUMBERS,
  blockBeginEvent,
  createdEvent,
  exitRecord,
  resizeEvent,
  webDialogEvent,
  webNavigationEvent,
  webTitleEvent,
  type CreatedEvent,
  type ExitRecord,
} from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { readRecords, withLogFile } from '../log/log-reader.ts'
import { FILE_HEADER_BYTES, type LogRecord } from '../log/record.ts'
import { createScreen } from '../screen/create-screen.ts'
import type { Screen, ScreenEvent } from '../screen/screen.ts'

/** The records by which a source shows something. */
const SHOWN_TYPES: readonly number[] = [EVENT_TYPE_NUMBERS.output, EVENT_TYPE_NUMBERS.web_frame]

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
        screen ??= createScreen(createdOf(record, path))
        screen.apply(record.seq, screenEventOf(record))
        screen.takeAnswers() // queries are answered by the live host only
        options.each?.(screen)
        lastSeq = record.seq
        if (SHOWN_TYPES.includes(record.typeNumber)) lastOutputSeq = record.seq
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
    case EVENT_TYPE_NUMBERS.block_begin: {
      const bytes = terminalBytes(record)
      return bytes === null ? { type: 'other' } : { type: 'output', bytes }
    }
    case EVENT_TYPE_NUMBERS.resize:
      return { type: 'resize', ...resizeEvent.parse(factOf(record)) }
    case EVENT_TYPE_NUMBERS.sync_release:
      return { type: 'sync_release' }
    case EVENT_TYPE_NUMBERS.web_frame:
      return { type: 'web_frame', bytes: record.payload }
    case EVENT_TYPE_NUMBERS.web_navigation:
      return { type: 'web_page', page: webNavigationEvent.parse(factOf(record)) }
    case EVENT_TYPE_NUMBERS.web_title:
      return { type: 'web_page', page: webTitleEvent.parse(factOf(record)) }
    case EVENT_TYPE_NUMBERS.web_dialog:
      return { type: 'web_page', page: webDialogEvent.parse(factOf(record)) }
    default:
      return { type: 'other' }
  }
}

/** The bytes by which a record changes what a terminal shows: a program's, or those of a block's command; else null. */
export function terminalBytes(record: LogRecord): Uint8Array | null {
  if (record.typeNumber === EVENT_TYPE_NUMBERS.output) return record.payload
  if (record.typeNumber !== EVENT_TYPE_NUMBERS.block_begin) return null
  const { shown } = blockBeginEvent.parse(factOf(record))
  return shown === undefined ? null : Buffer.from(shown)
}

/** What a session began with, from the first record of its log. */
export function createdOf(first: LogRecord, path: string): CreatedEvent {
  const created = createdEvent.safeParse(
    first.typeNumber === EVENT_TYPE_NUMBERS.created ? factOf(first) : null,
  )
  if (!created.success) throw new OpError('log_corrupt', `${path} does not begin with its creation`, { path })
  return created.data
}

export function factOf(record: LogRecord): unknown {
  return JSON.parse(Buffer.from(record.payload).toString('utf8'))
}
