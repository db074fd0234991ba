import { EVENT_TYPE_NUMBERS, createdEvent, resizeEvent } from '@transom/protocol'
import { soundRecords } from '../log/sound-records.ts'
import { factOf } from '../replay/replay.ts'
import type { RecordingRange } from './recorded-events.ts'

/** The smallest size in cells that every screen of the range fits into: a film has one size. */
export async function sizeOfRange(
  path: string,
  { fromSeq, toSeq, signal }: RecordingRange,
): Promise<{ cols: number; rows: number }> {
  let now = { cols: 1, rows: 1 }
  let size: typeof now | null = null
  for await (const records of soundRecords(path, { untilSeq: toSeq ?? undefined, signal })) {
    for (const record of records) {
      // The screen as it was when the range began counts, too.
      if (record.seq >= (fromSeq ?? 1)) size ??= record.seq === 1 ? { cols: 1, rows: 1 } : now
      if (record.typeNumber === EVENT_TYPE_NUMBERS.created) now = createdEvent.parse(factOf(record))
      else if (record.typeNumber === EVENT_TYPE_NUMBERS.resize) now = resizeEvent.parse(factOf(record))
      else continue
      if (size !== null) size = { cols: Math.max(size.cols, now.cols), rows: Math.max(size.rows, now.rows) }
    }
  }
  return size ?? now
}
