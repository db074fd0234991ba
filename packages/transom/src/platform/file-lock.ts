import * as fs from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { OpError } from '@transom/protocol/errors'
import { platform } from './current-platform.ts'

/** A lock is held for the time of one small write: about two seconds of asking suffice for hundreds of writers. */
const RETRIES_MS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]

/**
 * Does `work` while this process, and in it this caller, alone holds the kernel's lock on `file`. The kernel gives
 * the lock back when its holder dies.
 */
export async function withFileLock<T>(file: string, work: () => T, signal?: AbortSignal): Promise<T> {
  for (const pauseMs of [...RETRIES_MS, null]) {
    const fd = fs.openSync(file, 'a', 0o600)
    try {
      if (platform().tryLockFile(fd)) return work()
    } finally {
      fs.closeSync(fd)
    }
    if (pauseMs !== null) await delay(pauseMs, undefined, signal === undefined ? {} : { signal })
  }
  throw new OpError('io_error', `another process keeps ${file} locked; try again`, { file })
}
