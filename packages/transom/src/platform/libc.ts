import { createRequire } from 'node:module'
import type koffiModule from 'koffi'
import { OpError } from '@transom/protocol/errors'
import { messageOf } from '../lib/system-error.ts'
import type { Platform } from './platform.ts'

type Koffi = typeof koffiModule
type CFunction = (...args: unknown[]) => number

let loaded: { readonly koffi: Koffi; readonly library: ReturnType<Koffi['load']> } | undefined

/** Loads the FFI and with it the C library (ADR 005): 6 ms, once. Throws if the FFI is not installed for this system. */
export function loadLibc(): { readonly koffi: Koffi; readonly library: ReturnType<Koffi['load']> } {
  loaded ??= load()
  return loaded
}

function load() {
  try {
    // Required, not imported: in a bundle an import of another package is hoisted to the start of the program.
    const koffi = createRequire(import.meta.url)('koffi') as Koffi
    return { koffi, library: koffi.load(null) }
  } catch (error) {
    const [reason] = messageOf(error).split('\n')
    throw new OpError('io_error', `koffi cannot be loaded: ${reason}`, {}, { cause: error })
  }
}

/** A function of the C library by its prototype. It is looked up when it is called first. */
export function cFunction(prototype: string): CFunction {
  let found: CFunction | undefined
  return (...args) => {
    found ??= loadLibc().library.func(prototype) as CFunction
    return found(...args)
  }
}

export function systemCallFailed(call: string): OpError {
  return new OpError('io_error', `${call} failed with errno ${loadLibc().koffi.errno()}`)
}

export const getsockopt = cFunction(
  'int getsockopt(int fd, int level, int name, _Out_ uint32_t *value, _Inout_ uint32_t *length)',
)
const flock = cFunction('int flock(int fd, int operation)')
const tcgetattr = cFunction('int tcgetattr(int fd, _Out_ uint8_t *termios)')
const tcflush = cFunction('int tcflush(int fd, int queue)')
const ioctl = cFunction('int ioctl(int fd, ulong request, ...)')
const read = cFunction('int64_t read(int fd, _Out_ void *bytes, size_t length)')
const waitpid = cFunction('int waitpid(int pid, _Out_ int *status, int options)')

const LOCK_SH = 1
const LOCK_EX = 2
const LOCK_NB = 4
const LOCK_UN = 8
const TERMIOS_BYTES_MAX = 128 // struct termios has 60 bytes on Linux, 72 on macOS
const ECHO = 0x8
const WNOHANG = 1

/** What differs between the systems in the calls that all have. */
export interface PosixConstants {
  readonly FIONREAD: number
  readonly TCIFLUSH: number
  readonly ICANON: number
  /** Where c_lflag, the fourth flag word, is in struct termios. */
  readonly localFlagsAt: number
}

type PosixMember =
  | 'tryLockFile'
  | 'isFileLocked'
  | 'tryLockWatchedFile'
  | 'lockFileBlocking'
  | 'reapChild'
  | 'terminalAttributes'
  | 'unreadInputBytes'
  | 'readTerminal'
  | 'forgetInput'

/** The members of a platform that are POSIX, or as good as that. */
export function posix(system: PosixConstants): Pick<Platform, PosixMember> {
  const tryLockFile = (fd: number) => flock(fd, LOCK_EX | LOCK_NB) === 0
  return {
    tryLockFile,
    isFileLocked(fd) {
      if (flock(fd, LOCK_SH | LOCK_NB) !== 0) return true
      flock(fd, LOCK_UN)
      return false
    },
    tryLockWatchedFile(fd) {
      if (tryLockFile(fd)) return true
      // If a shared lock succeeds, no process holds the file; one that checks the lock is done in an instant.
      return flock(fd, LOCK_SH | LOCK_NB) === 0 && flock(fd, LOCK_EX) === 0
    },
    lockFileBlocking(fd) {
      if (flock(fd, LOCK_EX) !== 0) throw systemCallFailed('flock')
    },
    reapChild: (pid) => void waitpid(pid, new Int32Array(1), WNOHANG),
    terminalAttributes(fd) {
      const termios = Buffer.alloc(TERMIOS_BYTES_MAX)
      if (tcgetattr(fd, termios) !== 0) throw systemCallFailed('tcgetattr')
      const localFlags = termios.readUInt32LE(system.localFlagsAt)
      return { echo: (localFlags & ECHO) !== 0, canonical: (localFlags & system.ICANON) !== 0 }
    },
    unreadInputBytes(fd) {
      const unread = new Int32Array(1)
      if (ioctl(fd, system.FIONREAD, 'int *', unread) !== 0) throw systemCallFailed('FIONREAD')
      return unread[0] ?? 0
    },
    readTerminal: (fd, into) => Math.max(0, read(fd, into, into.length)),
    forgetInput(fd) {
      if (tcflush(fd, system.TCIFLUSH) !== 0) throw systemCallFailed('tcflush')
    },
  }
}
