/**
 * The four system facilities that plain Node lacks, through an FFI: a held file lock, the uid behind a Unix
 * socket, terminal attributes, and process marks with adoption of orphans (ADR 004). Only the host loads this.
 */
import { createRequire } from 'node:module'
import type koffiModule from 'koffi'
import { OpError } from '@transom/protocol/errors'

// Required, not imported: in a bundle an import of another package is hoisted to the start of the program, and
// the doctor must run to say that it cannot be loaded.
const koffi = createRequire(import.meta.url)('koffi') as typeof koffiModule

const IS_LINUX = process.platform === 'linux'
const libc = koffi.load(null)

const flock = libc.func('int flock(int fd, int operation)')
const LOCK_SH = 1
const LOCK_EX = 2
const LOCK_NB = 4
const LOCK_UN = 8

/** Takes the exclusive lock on an open file; false when another process holds it. Released when the fd closes. */
export function tryLockFile(fd: number): boolean {
  return flock(fd, LOCK_EX | LOCK_NB) === 0
}

/** Whether the lock on an open file is held. Takes it, shared, for an instant. */
export function isFileLocked(fd: number): boolean {
  if (flock(fd, LOCK_SH | LOCK_NB) !== 0) return true
  flock(fd, LOCK_UN)
  return false
}

/** As tryLockFile(), for a file whose lock others look at: that they do is no reason to be refused. */
export function tryLockWatchedFile(fd: number): boolean {
  if (tryLockFile(fd)) return true
  // Where a shared lock is to be had nobody holds it, and whoever looks is done in an instant.
  return flock(fd, LOCK_SH | LOCK_NB) === 0 && flock(fd, LOCK_EX) === 0
}

/** Blocks the whole process until the lock is free: only for a process that has nothing else to do yet. */
export function lockFileBlocking(fd: number): void {
  if (flock(fd, LOCK_EX) !== 0) throw new OpError('io_error', `flock failed: ${koffi.errno()}`)
}

export interface PeerCredentials {
  readonly uid: number
  /** Null where the system does not report it. */
  readonly pid: number | null
}

/** The process at the other end of a connected Unix socket, as the kernel knew it when the two were connected. */
export const peerCredentials: (fd: number) => PeerCredentials = IS_LINUX ? peerOnLinux() : peerOnBsd()

function peerOnLinux(): (fd: number) => PeerCredentials {
  const getsockopt = getsockoptFunction()
  const SOL_SOCKET = 1
  const SO_PEERCRED = 17
  return (fd) => {
    const credentials = new Uint32Array(3) // struct ucred { pid, uid, gid }
    const length = new Uint32Array([12])
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, credentials, length) !== 0)
      throw systemCallFailed('SO_PEERCRED')
    const [pid = 0, uid = -1] = credentials
    return { uid, pid: pid === 0 ? null : pid } // 0 for a process of another pid namespace
  }
}

function peerOnBsd(): (fd: number) => PeerCredentials {
  const getpeereid = libc.func('int getpeereid(int fd, _Out_ uint32_t *uid, _Out_ uint32_t *gid)')
  const getsockopt = getsockoptFunction()
  const SOL_LOCAL = 0
  const LOCAL_PEERPID = 2 // of macOS
  return (fd) => {
    const uid = new Uint32Array(1)
    if (getpeereid(fd, uid, new Uint32Array(1)) !== 0) throw systemCallFailed('getpeereid')
    const pid = new Uint32Array(1)
    const hasPid = getsockopt(fd, SOL_LOCAL, LOCAL_PEERPID, pid, new Uint32Array([4])) === 0
    return { uid: uid[0] ?? -1, pid: hasPid ? (pid[0] ?? null) : null }
  }
}

function getsockoptFunction() {
  return libc.func(
    'int getsockopt(int fd, int level, int name, _Out_ uint32_t *value, _Inout_ uint32_t *length)',
  )
}

const tcgetattr = libc.func('int tcgetattr(int fd, _Out_ uint8_t *termios)')
const TERMIOS_BYTES_MAX = 128 // struct termios has 60 bytes on Linux, 72 on macOS
const ECHO = 0x8

/** Whether the terminal echoes what is typed, and whether it collects lines (ICANON). */
export function terminalAttributes(fd: number): { echo: boolean; canonical: boolean } {
  const termios = Buffer.alloc(TERMIOS_BYTES_MAX)
  if (tcgetattr(fd, termios) !== 0) throw systemCallFailed('tcgetattr')
  // c_lflag is the fourth flag word: 32 bits each on Linux, 64 on macOS.
  const localFlags = termios.readUInt32LE(IS_LINUX ? 12 : 24)
  return { echo: (localFlags & ECHO) !== 0, canonical: (localFlags & (IS_LINUX ? 0x2 : 0x100)) !== 0 }
}

const ioctl = libc.func('int ioctl(int fd, ulong request, ...)')
const FIONREAD = IS_LINUX ? 0x541b : 0x4004667f

/** How much a terminal holds that its program could read and has not; whole lines only, where it collects lines. */
export function unreadInputBytes(fd: number): number {
  const unread = new Int32Array(1)
  if (ioctl(fd, FIONREAD, 'int *', unread) !== 0) throw systemCallFailed('FIONREAD')
  return unread[0] ?? 0
}

const tcflush = libc.func('int tcflush(int fd, int queue)')
const TCIFLUSH = IS_LINUX ? 0 : 1

/** Has a terminal forget what was typed and not read. */
export function forgetInput(fd: number): void {
  if (tcflush(fd, TCIFLUSH) !== 0) throw systemCallFailed('tcflush')
}

/** From now on this process becomes the parent of every orphan below it, and hears (SIGCHLD) when one ends. */
export function becomeSubreaper(): void {
  if (!IS_LINUX) return
  const prctl = libc.func('int prctl(int option, ulong a, ulong b, ulong c, ulong d)')
  const PR_SET_CHILD_SUBREAPER = 36
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) !== 0) throw systemCallFailed('PR_SET_CHILD_SUBREAPER')
}

const waitpid = libc.func('int waitpid(int pid, _Out_ int *status, int options)')
const WNOHANG = 1

/** Takes a dead child off the process table. It must not be one that libuv or the pty binding waits for. */
export function reapChild(pid: number): void {
  waitpid(pid, new Int32Array(1), WNOHANG)
}

const rlimit = koffi.struct({ soft: 'uint64_t', hard: 'uint64_t' })
const getrlimit = libc.func('getrlimit', 'int', ['int', koffi.out(koffi.pointer(rlimit))])
const setrlimit = libc.func('setrlimit', 'int', ['int', koffi.pointer(rlimit)])
const RLIMIT_RTTIME = 15

/**
 * Runs `fork` while this process carries `mark` as its soft RLIMIT_RTTIME, so that the child inherits it. The
 * limit is about real-time scheduling and a mark stands for some 10⁵ years of it, so that nothing is limited.
 * Where the system has no such limit or does not let it be set, the child has no mark.
 */
export function withProcessMark<T>(mark: bigint, fork: () => T): T {
  if (!IS_LINUX) return fork()
  const own = readRtTimeLimit()
  const marked = setrlimit(RLIMIT_RTTIME, { soft: mark, hard: own.hard }) === 0
  try {
    return fork()
  } finally {
    if (marked) setrlimit(RLIMIT_RTTIME, own)
  }
}

/**
 * Takes off a mark that this process inherited. A host that is started from inside a session is not that
 * session's: it must outlive it, as every other client's host does.
 */
export function clearProcessMark(): void {
  if (!IS_LINUX) return
  const { hard } = readRtTimeLimit()
  setrlimit(RLIMIT_RTTIME, { soft: hard, hard })
}

function readRtTimeLimit(): { soft: bigint; hard: bigint } {
  const limit = { soft: 0n, hard: 0n }
  getrlimit(RLIMIT_RTTIME, limit)
  return limit
}

function systemCallFailed(call: string): OpError {
  return new OpError('io_error', `${call} failed with errno ${koffi.errno()}`)
}
