import { EVENT_TYPE_NUMBERS, markEvent } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { factOf } from '../../log/facts.ts'
import type { LogRecord } from '../../log/record.ts'
import type { StoredEvents } from '../../log/stored-events.ts'

/** A place in a session's history, as a caller names it. */
export type Moment =
  | { readonly kind: 'seq'; readonly seq: number }
  | { readonly kind: 'mark'; readonly label: string }
  /** Milliseconds since 1970. */
  | { readonly kind: 'time'; readonly time: number }

/** The moment that a request names; null for now. */
export function momentOf(request: {
  at_seq?: number | undefined
  at_mark?: string | undefined
  at_time?: string | undefined
}): Moment | null {
  const { at_seq, at_mark, at_time } = request
  const given = [at_seq, at_mark, at_time].filter((value) => value !== undefined)
  if (given.length > 1) throw new OpError('usage', 'give one of `at_seq`, `at_mark` and `at_time`')
  if (at_seq !== undefined) return { kind: 'seq', seq: at_seq }
  if (at_mark !== undefined) return { kind: 'mark', label: at_mark }
  return at_time === undefined ? null : { kind: 'time', time: parseTime(at_time) }
}

/** The seq of a moment: of its record, or of the last one before it. */
export async function seqOfMoment(
  events: StoredEvents,
  moment: Moment,
  signal: AbortSignal,
): Promise<number> {
  const found = await findMoment(events, moment, signal)
  if (found !== null) return found
  throw momentNotFound(events, moment)
}

export function momentNotFound({ path }: StoredEvents, moment: Moment): OpError {
  const message = `the Event Log ${path} has ${momentWords(moment)}`
  return new OpError('moment_not_found', message, { path, moment })
}

async function findMoment(events: StoredEvents, moment: Moment, signal: AbortSignal): Promise<number | null> {
  switch (moment.kind) {
    case 'seq':
      for await (const [record] of events.read({ from: moment.seq, to: moment.seq, signal }))
        return record?.seq ?? null
      return null
    case 'time':
      return events.lastSeqAt(moment.time, signal)
    case 'mark': {
      const last: { seq: number | null } = { seq: null }
      const apply = (record: LogRecord) => {
        if (record.typeNumber === EVENT_TYPE_NUMBERS.mark && labelOf(record) === moment.label)
          last.seq = record.seq
      }
      await events.fold([{ apply }], { signal })
      return last.seq
    }
    default:
      return moment satisfies never
  }
}

function labelOf(record: LogRecord): string {
  return factOf(record, markEvent).label
}

function momentWords(moment: Moment): string {
  switch (moment.kind) {
    case 'seq':
      return `no record ${moment.seq}`
    case 'mark':
      return `no mark ${JSON.stringify(moment.label)}`
    case 'time':
      return `nothing from before ${new Date(moment.time).toISOString()}`
    default:
      return moment satisfies never
  }
}

function parseTime(text: string): number {
  const time = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) : Date.parse(text)
  if (Number.isFinite(time) && Math.abs(time) <= 8.64e15) return time // the range of a Date
  throw new OpError(
    'usage',
    `\`at_time\` must be ISO 8601 or milliseconds since 1970 (got ${JSON.stringify(text)})`,
  )
}
