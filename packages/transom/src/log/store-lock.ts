import * as fs from 'node:fs'
import { platform } from '../platform/current-platform.ts'
import { errnoOf } from '../lib/system-error.ts'

// Neither through a link, nor waiting for the other end of a named pipe: a log is a plain file.
const OPEN_FLAGS = fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK

/** Whether a process writes the log with this first segment. */
export function isLogHeld(path: string): boolean {
  const fd = openLog(path)
  if (fd === null) return false
  try {
    return platform().isFileLocked(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** The lock of a log without a writer, or of a log that is missing, which has none. Null while it is held. */
export function tryLockLog(path: string): { release(): void } | null {
  const fd = openLog(path)
  if (fd === null) return { release: () => {} }
  if (platform().tryLockWatchedFile(fd)) return { release: () => fs.closeSync(fd) }
  fs.closeSync(fd)
  return null
}

function openLog(path: string): number | null {
  try {
    return fs.openSync(path, OPEN_FLAGS)
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO'].includes(errnoOf(error) ?? '')) return null
    throw error
  }
}
