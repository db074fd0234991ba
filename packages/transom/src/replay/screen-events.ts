import {
  EVENT_TYPE_NUMBERS,
  blockBeginEvent,
  createdEvent,
  resizeEvent,
  webDialogEvent,
  webNavigationEvent,
  webTitleEvent,
  type CreatedEvent,
} from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { LogRecord } from '../log/record.ts'
import type { ScreenEvent } from '../screen/screen.ts'

/** What a record does to the screen. */
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
