import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import type { LogReport } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { platform } from '../platform/current-platform.ts'
import { fileError } from '../lib/system-error.ts'
import { openSegmentData, type SegmentData } from './compressed-segment.ts'
import { indexPathOf } from './index-file.ts'
import { FILE_HEADER_BYTES, encodeFileHeader } from './record.ts'
import type { StoredEvents } from './stored-events.ts'
import { verifyLog, type ByteRange, type SegmentFindings } from './verify-log.ts'

const COPY_BYTES = 1 << 20

export interface RepairOptions {
  readonly dryRun: boolean
  /** Milliseconds since 1970; names the copy of a damaged log. */
  readonly now: number
  readonly signal?: AbortSignal
}

export interface Repaired {
  readonly tail: LogReport['tail']
  readonly records: number
  readonly removed_bytes: number
  readonly damaged_copy: string | null
  readonly damaged_copies: string[]
}

/**
 * Makes a log whole again, segment by segment. A torn tail is cut. A segment that is damaged elsewhere is kept beside
 * the new one, which has every readable record, byte for byte and with its seq: a gap shows what is missing.
 */
export async function repairLog(events: StoredEvents, options: RepairOptions): Promise<Repaired> {
  const { path } = events
  const first = await fs.open(path, 'r+')
  try {
    if (!platform().tryLockWatchedFile(first.fd)) {
      const message = `${path} is being written to: its session is active; end it first`
      throw new OpError('log_in_use', message, { path })
    }
    const { report, segments } = await verifyLog(events, { signal: options.signal })
    const copyOf = (file: string) =>
      `${file}.damaged-${new Date(options.now).toISOString().replaceAll(':', '')}`
    const copies = segments.flatMap((it) => (it.tail === 'damaged' ? [copyOf(it.path)] : []))
    const faulty = options.dryRun ? [] : segments.filter(({ tail }) => tail !== 'none')
    // The first segment last: once it has been replaced, the lock on the former one excludes no other process.
    for (const segment of faulty.toReversed()) await repairSegment(segment, copyOf(segment.path))
    // Some may be of a log that had no gap, and all can be made again.
    if (!options.dryRun) await events.removeCheckpoints()
    const { tail, records, unreadable_bytes: removed_bytes } = report
    return { tail, records, removed_bytes, damaged_copy: copies[0] ?? null, damaged_copies: copies }
  } catch (error) {
    throw fileError(error, `repair the Event Log ${path}`, { path })
  } finally {
    await first.close()
  }
}

async function repairSegment(segment: SegmentFindings, copy: string): Promise<void> {
  const { path, tail, sound } = segment
  await fs.rm(indexPathOf(path), { force: true }) // first: it must not be taken for that of the repaired one
  if (tail === 'damaged') return replaceDamaged(segment, copy)
  const file = await fs.open(path, 'r+')
  try {
    const end = sound.at(-1)?.end ?? FILE_HEADER_BYTES
    if (end === FILE_HEADER_BYTES) await file.write(encodeFileHeader(), 0, FILE_HEADER_BYTES, 0)
    await file.truncate(end)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function replaceDamaged({ path, sound }: SegmentFindings, copy: string): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  const damaged = await openSegmentData(path)
  const repaired = await fs.open(temporary, 'wx', 0o600)
  try {
    // As the damaged one: until all is done it must not be taken for a log that is free.
    platform().tryLockWatchedFile(repaired.fd)
    await repaired.writeFile(encodeFileHeader())
    for (const range of sound) await copyRange(damaged, repaired, range)
    await repaired.sync()
    await fs.link(path, copy) // first: at no moment is there no log
    await fs.rename(temporary, path)
  } catch (error) {
    await fs.rm(temporary, { force: true })
    throw error
  } finally {
    await damaged.close()
    await repaired.close()
  }
}

async function copyRange(from: SegmentData, to: fs.FileHandle, { start, end }: ByteRange): Promise<void> {
  const piece = Buffer.alloc(Math.min(COPY_BYTES, end - start))
  for (let at = start; at < end;) {
    const { bytesRead } = await from.read(piece, 0, Math.min(piece.length, end - at), at)
    if (bytesRead === 0) return
    await to.writeFile(piece.subarray(0, bytesRead)) // at the end, and all of it
    at += bytesRead
  }
}
