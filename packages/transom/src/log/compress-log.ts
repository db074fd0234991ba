import { COMPRESSED_BYTES_MIN, compressSegment, plainSizeOf } from './compressed-segment.ts'
import { tryLockLog } from './store-lock.ts'
import type { StoredEvents } from './stored-events.ts'

/**
 * Compresses every segment of a log without a writer that is large enough; returns by how much less is stored. It has
 * the log's lock meanwhile: 0 if another process has it.
 */
export async function compressLog(
  events: StoredEvents,
  { signal, bytesMin = COMPRESSED_BYTES_MIN }: { signal: AbortSignal; bytesMin?: number },
): Promise<number> {
  const lock = tryLockLog(events.path)
  if (lock === null) return 0
  try {
    let saved = 0
    // The first one last: once it has been replaced, the lock on the former one excludes no other process.
    for (const { path } of (await events.segments()).toReversed())
      if ((await plainSizeOf(path)) >= bytesMin) saved += await compressSegment(path, signal)
    return saved
  } finally {
    lock.release()
  }
}
