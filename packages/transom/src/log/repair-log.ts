import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs/promises'
import type { LogReport } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { tryLockWatchedFile } from '../lib/native.ts'
import { fileError } from '../lib/system-error.ts'
import { encodeFileHeader } from './record.ts'
import { verifyLog, type ByteRange, type LogFindings } from './verify-log.ts'

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
}

/**
 * Makes a log whole again. A torn tail is cut. A log that is damaged elsewhere is kept beside the new one, which
 * has every readable record, byte for byte and with its seq: a gap shows what is missing.
 */
export async function repairLog(path: string, options: RepairOptions): Promise<Repaired> {
  const file = await fs.open(path, 'r+')
  try {
    if (!tryLockWatchedFile(file.fd)) {
      const message = `${path} is being written to: its session is active; end it first`
      throw new OpError('log_in_use', message, { path })
    }
    const findings = await verifyLog(path, { signal: options.signal })
    const { tail, records, unreadable_bytes: removedBytes } = findings.report
    let damagedCopy: string | null = null
    if (tail === 'torn' && !options.dryRun) {
      await file.truncate(findings.report.offset ?? 0)
      await file.sync()
    }
    if (tail === 'damaged') {
      damagedCopy = `${path}.damaged-${new Date(options.now).toISOString().replaceAll(':', '')}`
      if (!options.dryRun) await replaceDamaged(file, path, { findings, damagedCopy })
    }
    return { tail, records, removed_bytes: removedBytes, damaged_copy: damagedCopy }
  } catch (error) {
    throw fileError(error, `repair the Event Log ${path}`, { path })
  } finally {
    await file.close()
  }
}

async function replaceDamaged(
  damaged: fs.FileHandle,
  path: string,
  { findings, damagedCopy }: { findings: LogFindings; damagedCopy: string },
): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`
  const repaired = await fs.open(temporary, 'wx', 0o600)
  try {
    tryLockWatchedFile(repaired.fd) // as the damaged one: until all is done nobody takes it for a log that is free
    await repaired.writeFile(encodeFileHeader())
    for (const range of findings.sound) await copyRange(damaged, repaired, range)
    await repaired.sync()
    await fs.link(path, damagedCopy) // first: at no moment is there no log
    await fs.rename(temporary, path)
  } catch (error) {
    await fs.rm(temporary, { force: true })
    throw error
  } finally {
    await repaired.close()
  }
}

async function copyRange(from: fs.FileHandle, to: fs.FileHandle, { start, end }: ByteRange): Promise<void> {
  const piece = Buffer.alloc(Math.min(COPY_BYTES, end - start))
  for (let at = start; at < end;) {
    const { bytesRead } = await from.read(piece, 0, Math.min(piece.length, end - at), at)
    if (bytesRead === 0) return
    await to.writeFile(piece.subarray(0, bytesRead)) // at the end, and all of it
    at += bytesRead
  }
}
