import * as fs from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { OpError } from '@transom/protocol/errors'
import { platform } from './current-platform.ts'

/** A lock is held for the time of one small write: about two seconds of asking suffice for hundreds of writers. */
const RETRIES_MS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]

/**
 * The kernel's lock on a file that is made for it, held by one caller in one process. The kernel releases it when its
 * holder dies. The file stays: removing it would let two callers hold two files of one name.
 */
export class FileLock {
  /** The locked file. Its holder may write its identity there. */
  readonly fd: number

  private constructor(fd: number) {
    this.fd = fd
  }

  /** Null while another caller holds the lock. */
  static try(file: string): FileLock | null {
    const fd = fs.openSync(file, 'a', 0o600)
    if (platform().tryLockFile(fd)) return new FileLock(fd)
    fs.closeSync(fd)
    return null
  }

  /** As try(), asking again for about two seconds. */
  static async wait(file: string, signal?: AbortSignal): Promise<FileLock | null> {
    for (const pauseMs of RETRIES_MS) {
      const lock = FileLock.try(file)
      if (lock !== null) return lock
      await delay(pauseMs, undefined, signal === undefined ? {} : { signal })
    }
    return FileLock.try(file)
  }

  /** Blocks the whole process until the lock is free: for a lock that is held for an instant, or before there is work. */
  static block(file: string): FileLock {
    const fd = fs.openSync(file, 'a', 0o600)
    platform().lockFileBlocking(fd)
    return new FileLock(fd)
  }

  release(): void {
    fs.closeSync(this.fd)
  }
}

/** Does `work` under the lock on `file`. Fails if another process keeps it. */
export async function withFileLock<T>(file: string, work: () => T, signal?: AbortSignal): Promise<T> {
  const lock = await FileLock.wait(file, signal)
  if (lock === null)
    throw new OpError('io_error', `another process keeps ${file} locked; try again`, { file })
  return underLock(lock, work)
}

/** As withFileLock(), blocking the whole process: for work that others do in an instant, too. */
export function withFileLockBlocking<T>(file: string, work: () => T): T {
  return underLock(FileLock.block(file), work)
}

function underLock<T>(lock: FileLock, work: () => T): T {
  try {
    return work()
  } finally {
    lock.release()
  }
}
