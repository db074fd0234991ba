import * as fs from 'node:fs'
import { linkOf, processFacts } from './linux-processes.ts'
import { terminalsOverSsh } from './linux-ssh-terminals.ts'
import type { RelayedTerminal, TerminalWait } from './platform.ts'
import {
  epollFds,
  parseSyscall,
  polledFds,
  POLLFD_BYTES,
  ptsDevice,
  ptsNumber,
  selectedFds,
  socketInode,
  type WaitingCall,
} from './proc-texts.ts'

/** Threads that wait for a terminal are among the first. */
const THREADS_MAX = 64

/**
 * Whether a process sleeps in a system call for a descriptor of a terminal: a plain read (cat, less, zsh), a select or
 * poll among others (bash, vim, fish, gdb), or an epoll set (node). The call and its arguments are in
 * /proc/PID/task/TID/syscall, the sets of descriptors in the program's memory. Both are readable for one's own programs,
 * also under ptrace_scope 1, because programs are descendants of the host; not for set-uid ones.
 */
export function linuxTerminalWait(pid: number, terminal: number): TerminalWait {
  let shown = false
  for (const thread of threadsOf(pid).slice(0, THREADS_MAX)) {
    const call = readCall(pid, thread)
    if (call === null) continue
    shown = true
    if (call === 'running') continue
    const fd = waitedFds(pid, call).find((each) => leadsTo(pid, each, terminal))
    if (fd !== undefined) return { blocked: { call: call.name, fd }, shown }
  }
  return { blocked: null, shown }
}

/**
 * The terminals whose masters a process waits for, whatever else the call waits for, and those that were made at the
 * other end of its connections.
 */
export function linuxRelayedTerminals(pid: number): RelayedTerminal[] {
  const numbers = new Set<number>()
  const sockets = new Set<number>()
  for (const thread of threadsOf(pid).slice(0, THREADS_MAX)) {
    const call = readCall(pid, thread)
    if (call === null || call === 'running') continue
    for (const fd of waitedFds(pid, call)) {
      const number = ptsNumber(readFdInfo(pid, fd))
      if (number !== null) numbers.add(number)
      const socket = socketInode(linkOf(`/proc/${pid}/fd/${fd}`) ?? '')
      if (socket !== null) sockets.add(socket)
    }
  }
  for (const number of terminalsOverSsh(pid, sockets)) numbers.add(number)
  return [...numbers].map((number) => ({ device: ptsDevice(number), path: `/dev/pts/${number}` }))
}

function threadsOf(pid: number): string[] {
  try {
    return fs.readdirSync(`/proc/${pid}/task`)
  } catch {
    return [] // it has ended
  }
}

/** The system call that a thread sleeps in; null if it is not shown. */
function readCall(pid: number, thread: string): WaitingCall | 'running' | null {
  try {
    return parseSyscall(fs.readFileSync(`/proc/${pid}/task/${thread}/syscall`, 'latin1'), process.arch)
  } catch {
    return null // another user's (set-uid), or it has ended
  }
}

const FDS_MAX = 1024 // what a select takes; a poll of more is not about a terminal

/** The descriptors whose input a call waits for. */
function waitedFds(pid: number, { kind, args }: WaitingCall): number[] {
  const [first = 0, second = 0] = args
  switch (kind) {
    case 'read':
      return [first]
    case 'select':
      return selectedFds(readMemory(pid, second, Math.ceil(Math.min(first, FDS_MAX) / 64) * 8))
    case 'poll':
      return polledFds(readMemory(pid, first, Math.min(second, FDS_MAX) * POLLFD_BYTES))
    case 'epoll':
      return epollFds(readFdInfo(pid, first))
    default:
      return kind satisfies never
  }
}

function readFdInfo(pid: number, fd: number): string {
  try {
    return fs.readFileSync(`/proc/${pid}/fdinfo/${fd}`, 'latin1')
  } catch {
    return '' // closed since, or the process has ended
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
    return Buffer.alloc(0) // the process has moved on, and the page is unmapped
  } finally {
    fs.closeSync(file)
  }
}

const CONTROLLING_TERMINAL = 0x500 // /dev/tty, major 5, minor 0: whichever terminal the process has

function leadsTo(pid: number, fd: number, terminal: number): boolean {
  try {
    const { rdev } = fs.statSync(`/proc/${pid}/fd/${fd}`)
    if (rdev !== CONTROLLING_TERMINAL) return rdev === terminal
    return processFacts(pid)?.terminal === terminal
  } catch {
    return false // closed since
  }
}
