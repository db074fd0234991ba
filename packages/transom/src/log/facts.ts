import { EVENT_TYPE_NUMBERS, createdEvent, type CreatedEvent } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import type { LogRecord } from './record.ts'

/** A schema of the protocol. */
interface FactSchema<T> {
  safeParse(value: unknown): { success: true; data: T } | { success: false; error: { message: string } }
}

/** The content of a record. A log is external input: one that does not fit is `log_corrupt`. */
export function factOf<T>(record: LogRecord, schema: FactSchema<T>): T {
  if (record.fact !== undefined) return record.fact as T // as its writer, this process, has it
  const parsed = schema.safeParse(jsonOf(record))
  if (parsed.success) return parsed.data
  const message = `record ${record.seq} of the Event Log is not what a record of its type says`
  throw new OpError('log_corrupt', message, { seq: record.seq, type: record.typeNumber })
}

/** What a session began with, from the first record of its log. */
export function createdOf(first: LogRecord, path: string): CreatedEvent {
  const created = createdEvent.safeParse(
    first.typeNumber === EVENT_TYPE_NUMBERS.created ? jsonOf(first) : null,
  )
  if (!created.success) throw new OpError('log_corrupt', `${path} does not begin with its creation`, { path })
  return created.data
}

function jsonOf({ payload }: LogRecord): unknown {
  try {
    return JSON.parse(Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength).toString('utf8'))
  } catch {
    return undefined // no fact at all: the schema refuses it
  }
}
