import type { SegmentData } from './compressed-segment.ts'
import { findRecord } from './find-record.ts'
import { readRecords } from './segment-reader.ts'
import { FILE_HEADER_BYTES, RECORD_HEADER_BYTES, type LogRecord } from './record.ts'

/** A stretch of a segment: records that can be read, or bytes that cannot. */
export type Stretch =
  | { readonly kind: 'records'; readonly records: LogRecord[] }
  | { readonly kind: 'unreadable'; readonly offset: number; readonly bytes: number }

/**
 * Everything that can be read of the first `sizeBytes` of a segment, and where it cannot: after damage it goes on with
 * the next whole record. `lastSeq` is the seq before the segment's first record.
 */
export async function* salvageRecords(
  file: SegmentData,
  { sizeBytes, lastSeq: before }: { sizeBytes: number; lastSeq: number },
  signal?: AbortSignal,
): AsyncGenerator<Stretch> {
  const position = { offset: FILE_HEADER_BYTES }
  let lastSeq = before
  for (;;) {
    let end = position.offset
    for await (const read of readRecords(file, position, signal)) {
      const records = read.filter(({ payload }) => (end += RECORD_HEADER_BYTES + payload.length) <= sizeBytes)
      lastSeq = records.at(-1)?.seq ?? lastSeq
      yield { kind: 'records', records }
    }
    const { offset } = position
    if (offset >= sizeBytes) return
    const next = await findRecord(file, { offset, sizeBytes, lastSeq }, signal)
    yield { kind: 'unreadable', offset, bytes: (next ?? sizeBytes) - offset }
    if (next === null) return
    position.offset = next
  }
}
