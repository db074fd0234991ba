import * as fs from 'node:fs'
import { terminalAttributes } from '../../lib/native.ts'
import { foregroundGroup, processesOfGroup, programName } from '../../platform/process-tree.ts'

/**
 * What the kernel knows of a terminal and does not announce: whether somebody is blocked on reading it, and how it
 * treats what is typed. This is the one file that looks, and only while a wait or a status asks.
 *
 * A blocked program is one that sleeps in a system call for a descriptor of this terminal: a plain read (cat, less,
 * zsh), a select or poll among others (bash, vim, fish, gdb), or an epoll set (node). The call and its arguments are
 * in /proc/<pid>/syscall, the sets of descriptors in the program's memory. Both are readable for one's own programs,
 * also under ptrace_scope 1, because programs are descendants of the host; not for set-uid ones.
 */
export interface TerminalSample {
  /** The program that waits for the terminal, else the first of those in front; null when there is none. */
  readonly front: { readonly pid: number; readonly program: string } | null
  readonly blocked: BlockedOnTerminal | null
  /** Whether the system shows what the programs in front wait for. */
  readonly shown: boolean
  readonly echo: boolean
  readonly canonical: boolean
}

export interface BlockedOnTerminal {
  readonly pid: number
  readonly program: string
  readonly call: string
  readonly fd: number
}

export function sampleTerminal(leaderPid: number, terminalFd: number): TerminalSample {
  const { echo, canonical } = terminalAttributes(terminalFd)
  const terminal = fs.fstatSync(terminalFd).rdev
  const group = foregroundGroup(leaderPid)
  if (group === null) return { front: null, blocked: null, shown: false, echo, canonical }
  const frontPid = programName(group) === null ? (processesOfGroup(group)[0] ?? null) : group
  // The group's first process is the one that waits, most of the time: the others are looked for only then.
  const first = waitOf(group, terminal)
  const waits = first.blocked === null ? [first, ...othersOf(group, terminal)] : [first]
  const blocked = waits.find((wait) => wait.blocked !== null)?.blocked ?? null
  const pid = blocked?.pid ?? frontPid
  return {
    front: pid === null ? null : { pid, program: programName(pid) ?? '' },
    blocked,
    shown: waits.some(({ shown }) => shown),
    echo,
    canonical,
  }
}

interface ProcessWait {
  readonly blocked: BlockedOnTerminal | null
  readonly shown: boolean
}

function othersOf(group: number, terminal: number): ProcessWait[] {
  return processesOfGroup(group)
    .filter((pid) => pid !== group)
    .slice(0, PROCESSES_MAX)
    .map((pid) => waitOf(pid, terminal))
}

/** A pipeline has a few processes; a parallel build, which waits for no key, may have hundreds. */
const PROCESSES_MAX = 32
/** Threads that wait for a terminal are among the first. */
const THREADS_MAX = 64

/** What the threads of a process wait for. */
function waitOf(pid: number, terminal: number): ProcessWait {
  let shown = false
  for (const thread of threadsOf(pid).slice(0, THREADS_MAX)) {
    const call = readCall(pid, thread)
    if (call === null) continue
    shown = true
    const fd = call === 'running' ? undefined : waitedFds(pid, call).find((it) => leadsTo(pid, it, terminal))
    if (call !== 'running' && fd !== undefined) {
      return { blocked: { pid, program: programName(pid) ?? '', call: call.name, fd }, shown }
    }
  }
  return { blocked: null, shown }
}

function threadsOf(pid: number): string[] {
  try {
    return fs.readdirSync(`/proc/${pid}/task`)
  } catch {
    return [] // it has ended, or there is no /proc
  }
}

type CallKind = 'read' | 'select' | 'poll' | 'epoll'

interface Call {
  readonly name: string
  readonly kind: CallKind
  readonly args: readonly number[]
}

const CALLS: Readonly<Record<string, Readonly<Record<number, readonly [string, CallKind]>>>> = {
  x64: {
    0: ['read', 'read'],
    7: ['poll', 'poll'],
    19: ['readv', 'read'],
    23: ['select', 'select'],
    232: ['epoll_wait', 'epoll'],
    270: ['pselect6', 'select'],
    271: ['ppoll', 'poll'],
    281: ['epoll_pwait', 'epoll'],
    441: ['epoll_pwait2', 'epoll'],
  },
  arm64: {
    22: ['epoll_pwait', 'epoll'],
    63: ['read', 'read'],
    65: ['readv', 'read'],
    72: ['pselect6', 'select'],
    73: ['ppoll', 'poll'],
    441: ['epoll_pwait2', 'epoll'],
  },
}

/** The system call that a thread sleeps in, `running` for any that is of no interest; null when it is not shown. */
function readCall(pid: number, thread: string): Call | 'running' | null {
  const calls = CALLS[process.arch]
  if (calls === undefined) return null
  let text: string
  try {
    text = fs.readFileSync(`/proc/${pid}/task/${thread}/syscall`, 'latin1')
  } catch {
    return null // another user's (set-uid), or it has ended
  }
  const [number = '', ...args] = text.trim().split(' ')
  const known = calls[Number(number)]
  if (number === 'running' || known === undefined) return 'running'
  return { name: known[0], kind: known[1], args: args.map(Number) }
}

/** The descriptors whose input a call waits for. */
function waitedFds(pid: number, { kind, args }: Call): number[] {
  const [first = 0, second = 0] = args
  switch (kind) {
    case 'read':
      return [first]
    case 'select':
      return setBits(readMemory(pid, second, Math.ceil(Math.min(first, FDS_MAX) / 64) * 8))
    case 'poll':
      return polledFds(readMemory(pid, first, Math.min(second, FDS_MAX) * POLLFD_BYTES))
    case 'epoll':
      return epollFds(pid, first)
    default:
      return kind satisfies never
  }
}

const FDS_MAX = 1024 // what a select takes; a poll of more is not about a terminal
const POLLFD_BYTES = 8
const POLLIN = 0x1

function setBits(set: Buffer): number[] {
  const bits: number[] = []
  for (const [index, byte] of set.entries()) {
    for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) bits.push(index * 8 + bit)
  }
  return bits
}

function polledFds(entries: Buffer): number[] {
  const fds: number[] = []
  for (let at = 0; at + POLLFD_BYTES <= entries.length; at += POLLFD_BYTES) {
    if (entries.readInt16LE(at + 4) & POLLIN) fds.push(entries.readInt32LE(at))
  }
  return fds
}

function epollFds(pid: number, epoll: number): number[] {
  try {
    const info = fs.readFileSync(`/proc/${pid}/fdinfo/${epoll}`, 'latin1')
    return [...info.matchAll(/^tfd:\s*(\d+)\s+events:\s*([0-9a-f]+)/gm)]
      .filter(([, , events = '0']) => Number.parseInt(events, 16) & POLLIN)
      .map(([, fd]) => Number(fd))
  } catch {
    return [] // it has ended
  }
}

function readMemory(pid: number, address: number, bytes: number): Buffer {
  if (address === 0 || bytes <= 0) return Buffer.alloc(0)
  let file: number
  try {
    file = fs.openSync(`/proc/${pid}/mem`, 'r')
  } catch {
    return Buffer.alloc(0) // it has ended, or is not ours to read
  }
  try {
    const memory = Buffer.alloc(bytes)
    return memory.subarray(0, fs.readSync(file, memory, 0, bytes, address))
  } catch {
    return Buffer.alloc(0) // it has moved on, and the page is gone
  } finally {
    fs.closeSync(file)
  }
}

const CONTROLLING_TERMINAL = 0x500 // /dev/tty, major 5, minor 0: whichever terminal the process has

function leadsTo(pid: number, fd: number, terminal: number): boolean {
  try {
    const { rdev } = fs.statSync(`/proc/${pid}/fd/${fd}`)
    return rdev === terminal || rdev === CONTROLLING_TERMINAL
  } catch {
    return false // closed since
  }
}
