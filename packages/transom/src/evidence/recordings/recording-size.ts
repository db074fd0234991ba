import { EVENT_TYPE_NUMBERS, createdEvent, resizeEvent } from '@transom/protocol'
import type { LogRecord } from '../../log/record.ts'
import type { StoredEvents } from '../../log/stored-events.ts'
import { factOf } from '../../log/facts.ts'
import type { RecordingRange } from './recorded-events.ts'

/** The smallest size in cells that every screen of the range fits into: a film has one size. */
export async function sizeOfRange(
  events: StoredEvents,
  { fromSeq, toSeq, signal }: RecordingRange,
): Promise<{ cols: number; rows: number }> {
  let now = { cols: 1, rows: 1 }
  let size: typeof now | null = null
  const apply = (record: LogRecord) => {
    // The screen as it was when the range began counts, too.
    if (record.seq >= (fromSeq ?? 1)) size ??= record.seq === 1 ? { cols: 1, rows: 1 } : now
    if (record.typeNumber === EVENT_TYPE_NUMBERS.created) now = factOf(record, createdEvent)
    else if (record.typeNumber === EVENT_TYPE_NUMBERS.resize) now = factOf(record, resizeEvent)
    else return
    if (size !== null) size = { cols: Math.max(size.cols, now.cols), rows: Math.max(size.rows, now.rows) }
  }
  await events.fold([{ apply }], { to: toSeq ?? undefined, signal, damage: 'refuse' })
  return size ?? now
}
