import { EVENT_TYPE_NUMBERS, type EventRecord, type EventType } from '@transom/protocol'
import type { LogRecord } from './record.ts'

const TYPE_NAMES = new Map<number, EventType>(
  // The table's keys are its event types.
  (Object.entries(EVENT_TYPE_NUMBERS) as [EventType, number][]).map(([name, number]) => [number, name]),
)
const BYTE_TYPES: readonly string[] = ['output', 'answer', 'web_frame'] satisfies EventType[]

/** The name of an event type, also of one that a later version writes. */
export function eventTypeName(typeNumber: number): string {
  return TYPE_NAMES.get(typeNumber) ?? `unknown_${typeNumber}`
}

/** A record as clients see it. A payload that this version cannot read is carried through as bytes. */
export function eventRecord({ seq, time, typeNumber, payload }: LogRecord): EventRecord {
  const type = eventTypeName(typeNumber)
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
  const fields = TYPE_NAMES.has(typeNumber) && !BYTE_TYPES.includes(type) ? parseFields(bytes) : null
  return fields === null
    ? { seq, time, type, data_b64: bytes.toString('base64') }
    : { seq, time, type, fields }
}

function parseFields(bytes: Buffer): Record<string, unknown> | null {
  try {
    const fields: unknown = JSON.parse(bytes.toString())
    return typeof fields === 'object' && fields !== null ? (fields as Record<string, unknown>) : null
  } catch {
    return null // not what appendFact() writes; the caller gets the bytes
  }
}
