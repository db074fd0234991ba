import * as fs from 'node:fs'
import * as path from 'node:path'
import { cFunction, getsockopt, loadLibc, posix, systemCallFailed } from './libc.ts'
import {
  forkIntoGroup,
  groupsOfHost,
  leaveGroup,
  processesInGroup,
  removeGroup,
  removeGroups,
} from './linux-cgroup.ts'
import { linkOf, listProcesses, processFacts, programEnvironment, readOf } from './linux-processes.ts'
import { linuxRelayedTerminals, linuxTerminalWait } from './linux-terminal-wait.ts'
import type { Command, LoopbackConnection, Platform } from './platform.ts'
import { CONNECTION_TABLES, parseIgnoresTerm, parseMark, parsePeerUid, parsePeerUids } from './proc-texts.ts'

/** Linux: nothing is missing. A process that has ended, or is hidden from this user, is one of which nothing is known. */
export const linux: Platform = {
  name: 'linux',
  lacks: {},
  ...posix({ FIONREAD: 0x541b, TCIFLUSH: 0, ICANON: 0x2, localFlagsAt: 12 }),

  listProcesses,
  processFacts,
  programName,
  programFile: (pid) => linkOf(`/proc/${pid}/exe`),
  programArguments: (pid) => readOf(pid, 'cmdline', (text) => text.split('\0').slice(0, -1)) ?? [],
  ownArguments,
  ignoresTerm: (pid) => readOf(pid, 'status', parseIgnoresTerm) ?? false,

  withProcessMark,
  processMark: (pid) => readOf(pid, 'limits', parseMark) ?? null,
  clearProcessMark() {
    const { hard } = readRtTimeLimit()
    setRtTimeLimit({ soft: hard, hard })
    leaveGroup()
  },
  processesUnderMark: processesInGroup,
  groupsOfHost,
  forgetMark: removeGroup,
  forgetHostMark: removeGroups,
  programEnvironment,

  adoptOrphans() {
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) !== 0) throw systemCallFailed('PR_SET_CHILD_SUBREAPER')
  },
  // A kernel without this file lists none: orphans stay as zombies until the host ends.
  ownChildren: () =>
    readOf('self', OWN_CHILDREN(), (text) => text.split(' ').filter(Boolean).map(Number)) ?? [],

  returnFreedMemory() {
    try {
      mallocTrim(0)
    } catch {
      return // another C library than GNU's, which keeps less
    }
  },

  terminalWait: linuxTerminalWait,
  relayedTerminals: linuxRelayedTerminals,

  peerCredentials(fd) {
    const credentials = new Uint32Array(3) // struct ucred { pid, uid, gid }
    const length = new Uint32Array([12])
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, credentials, length) !== 0)
      throw systemCallFailed('SO_PEERCRED')
    const [pid = 0, uid = -1] = credentials
    return { uid, pid: pid === 0 ? null : pid } // 0 for a process of another pid namespace
  },
  loopbackPeerUid,
  localPeerUids,

  hiddenSources: () =>
    ['stat', 'limits', OWN_CHILDREN()]
      .map((file) => `/proc/self/${file}`)
      .filter((file) => !isReadable(file)),
}

const mallocTrim = cFunction('int malloc_trim(size_t pad)')
const prctl = cFunction('int prctl(int option, ulong a, ulong b, ulong c, ulong d)')
const PR_SET_CHILD_SUBREAPER = 36
const SOL_SOCKET = 1
const SO_PEERCRED = 17
/** Children belong to the thread that forked them: the main one, whose id is the process id. */
const OWN_CHILDREN = () => `task/${process.pid}/children`

function ownArguments(): Uint8Array[] {
  try {
    const text = fs.readFileSync('/proc/self/cmdline', 'latin1') // a character for each byte
    return text
      .split('\0')
      .slice(0, -1)
      .map((argument) => Buffer.from(argument, 'latin1'))
  } catch {
    return [] // hidden
  }
}

function isReadable(file: string): boolean {
  try {
    fs.readFileSync(file)
    return true
  } catch {
    return false // hidden from this user, or a kernel without it
  }
}

/** What newer versions of Node call themselves to the kernel, which says nothing about the program. */
const NAME_OF_A_THREAD = 'MainThread'

function programName(pid: number): string | null {
  const name = readOf(pid, 'comm', (text) => text.trimEnd()) ?? null
  if (name !== NAME_OF_A_THREAD) return name
  const file = linkOf(`/proc/${pid}/exe`)
  return file === null ? null : path.basename(file)
}

/**
 * A mark is a soft RLIMIT_RTTIME. The limit is about real-time scheduling and a mark stands for some 10⁵ years of it, so
 * that nothing is limited.
 */
function withProcessMark<T>(mark: bigint, command: Command, fork: (command: Command) => T): T {
  const own = readRtTimeLimit()
  const marked = setRtTimeLimit({ soft: mark, hard: own.hard })
  try {
    return forkIntoGroup(mark, command, fork)
  } finally {
    if (marked) setRtTimeLimit(own)
  }
}

interface Limit {
  readonly soft: bigint
  readonly hard: bigint
}

const RLIMIT_RTTIME = 15
let limitCalls:
  { get(resource: number, limit: Limit): number; set(resource: number, limit: Limit): number } | undefined

function limitFunctions(): NonNullable<typeof limitCalls> {
  const { koffi, library } = loadLibc()
  const rlimit = koffi.struct({ soft: 'uint64_t', hard: 'uint64_t' })
  return {
    get: library.func('getrlimit', 'int', ['int', koffi.out(koffi.pointer(rlimit))]),
    set: library.func('setrlimit', 'int', ['int', koffi.pointer(rlimit)]),
  }
}

function readRtTimeLimit(): Limit {
  limitCalls ??= limitFunctions()
  const limit = { soft: 0n, hard: 0n }
  limitCalls.get(RLIMIT_RTTIME, limit)
  return limit
}

/** Whether the system allowed it. */
function setRtTimeLimit(limit: Limit): boolean {
  limitCalls ??= limitFunctions()
  return limitCalls.set(RLIMIT_RTTIME, limit) === 0
}

/** TCP has no SO_PEERCRED, but Linux lists each socket with its owner. */
async function loopbackPeerUid(connection: LoopbackConnection): Promise<number | null> {
  for (const { file, loopback } of CONNECTION_TABLES) {
    const table = await fs.promises.readFile(file, 'latin1').catch(() => '') // hidden: nothing is known
    const uid = parsePeerUid(table, loopback, connection)
    if (uid !== null) return uid
  }
  return null
}

function localPeerUids(ownPort: number): ReadonlyMap<string, number> {
  return new Map(CONNECTION_TABLES.flatMap(({ file }) => parsePeerUids(readTable(file), ownPort)))
}

function readTable(file: string): string {
  try {
    return fs.readFileSync(file, 'latin1')
  } catch {
    return '' // hidden: nothing is known
  }
}
