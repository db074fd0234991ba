import * as os from 'node:os'
import type { LoopbackConnection, ProcessFacts } from './platform.ts'

/** Readers of the texts that Linux shows in /proc (proc_pid_stat(5) and others). They take texts and touch no file. */

const PF_FORKNOEXEC = 0x40 // include/linux/sched.h: forked, and runs the program of its parent since

/** /proc/PID/stat */
export function parseStat(pid: number, text: string): ProcessFacts {
  // The second field is the program's name in parentheses, and may itself hold any character.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state = '', parentPid, group, sid, , foreground, flags] = fields
  return {
    pid,
    state,
    parentPid: Number(parentPid),
    group: Number(group),
    sid: Number(sid),
    foregroundGroup: Number(foreground) > 0 ? Number(foreground) : null,
    hasExecuted: (Number(flags) & PF_FORKNOEXEC) === 0,
  }
}

/** /proc/PID/limits: the soft RLIMIT_RTTIME; null if it is unlimited. */
export function parseMark(text: string): bigint | null {
  const soft = /^Max realtime timeout +(\d+)/m.exec(text)?.[1]
  return soft === undefined ? null : BigInt(soft)
}

/** /proc/PID/status: whether SIGTERM is among the ignored signals. */
export function parseIgnoresTerm(text: string): boolean {
  const ignored = /^SigIgn:\s+([0-9a-f]+)$/m.exec(text)?.[1] ?? '0'
  return ((BigInt(`0x${ignored}`) >> BigInt(os.constants.signals.SIGTERM - 1)) & 1n) === 1n
}

export type WaitKind = 'read' | 'select' | 'poll' | 'epoll'

/** A system call that waits for input. */
export interface WaitingCall {
  readonly name: string
  readonly kind: WaitKind
  readonly args: readonly number[]
}

const CALLS: Readonly<Record<string, Readonly<Record<number, readonly [string, WaitKind]>>>> = {
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

/** /proc/PID/task/TID/syscall: `running` for a call that does not wait for input; null on an architecture that is not known. */
export function parseSyscall(text: string, arch: string): WaitingCall | 'running' | null {
  const calls = CALLS[arch]
  if (calls === undefined) return null
  const [number = '', ...args] = text.trim().split(' ')
  const known = calls[Number(number)]
  if (number === 'running' || known === undefined) return 'running'
  return { name: known[0], kind: known[1], args: args.map(Number) }
}

const POLLIN = 0x1
export const POLLFD_BYTES = 8

/** The numbers in an fd_set of select(2). */
export function selectedFds(set: Buffer): number[] {
  const fds: number[] = []
  for (const [index, byte] of set.entries()) {
    for (let bit = 0; bit < 8; bit++) if (byte & (1 << bit)) fds.push(index * 8 + bit)
  }
  return fds
}

/** The descriptors of an array of struct pollfd that input is waited for. */
export function polledFds(entries: Buffer): number[] {
  const fds: number[] = []
  for (let at = 0; at + POLLFD_BYTES <= entries.length; at += POLLFD_BYTES) {
    if (entries.readInt16LE(at + 4) & POLLIN) fds.push(entries.readInt32LE(at))
  }
  return fds
}

/** /proc/PID/fdinfo/FD of an epoll set: the descriptors that input is waited for. */
export function epollFds(text: string): number[] {
  return [...text.matchAll(/^tfd:\s*(\d+)\s+events:\s*([0-9a-f]+)/gm)]
    .filter(([, , events = '0']) => Number.parseInt(events, 16) & POLLIN)
    .map(([, fd]) => Number(fd))
}

/** The kernel's tables of connections; the second has sockets that speak IPv4 through an IPv6 one. */
export const CONNECTION_TABLES = [
  { file: '/proc/net/tcp', loopback: '0100007F' },
  { file: '/proc/net/tcp6', loopback: '0000000000000000FFFF00000100007F' },
] as const

/**
 * The owner of the peer's socket in such a table. A row is `sl: local remote state queues timer retransmits uid …`; the
 * one looked for is that whose local end is the peer's.
 */
export function parsePeerUid(
  table: string,
  loopback: string,
  { peerPort, ownPort }: LoopbackConnection,
): number | null {
  const ends = `${loopback}:${hexPort(peerPort)} ${loopback}:${hexPort(ownPort)} `
  const at = table.indexOf(ends)
  if (at < 0) return null
  const [state, , , , uid] = table
    .slice(at + ends.length, table.indexOf('\n', at))
    .trim()
    .split(/\s+/)
  const isOpen = state === '01' || state === '08' // ESTABLISHED, CLOSE_WAIT; past them the owner is no longer listed
  return isOpen && uid !== undefined && /^\d+$/.test(uid) ? Number(uid) : null
}

function hexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0')
}
