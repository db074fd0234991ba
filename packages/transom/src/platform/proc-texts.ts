import * as os from 'node:os'
import type { LoopbackConnection, ProcessFacts } from './platform.ts'

/** Readers of the texts that Linux shows in /proc (proc_pid_stat(5) and others). They take texts and touch no file. */

const PF_FORKNOEXEC = 0x40 // include/linux/sched.h: forked, and runs the program of its parent since

/** /proc/PID/stat */
export function parseStat(pid: number, text: string): ProcessFacts {
  // The second field is the program's name in parentheses, and may itself hold any character.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state = '', parentPid, group, sid, terminal, foreground, flags] = fields
  return {
    pid,
    state,
    parentPid: Number(parentPid),
    group: Number(group),
    sid: Number(sid),
    terminal: Number(terminal),
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

const PTS_MAJOR = 136 // Documentation/admin-guide/devices.txt: Unix98 slaves
const PTS_NUMBERS_MAX = 1 << 20 // MINORBITS: the minor number of a pty is its index

/** /proc/PID/fdinfo/FD of a pty's master: the number of its terminal in /dev/pts; null for any other file. */
export function ptsNumber(text: string): number | null {
  const index = /^tty-index:\s*(\d+)$/m.exec(text)?.[1]
  return index === undefined || Number(index) >= PTS_NUMBERS_MAX ? null : Number(index)
}

/** A link in /proc/PID/fd: the inode of a socket; null for any other file. */
export function socketInode(link: string): number | null {
  const inode = /^socket:\[(\d+)\]$/.exec(link)?.[1]
  return inode === undefined ? null : Number(inode)
}

/** The device number of /dev/pts/N, as stat(2) and /proc/PID/stat have it. */
export function ptsDevice(number: number): number {
  return (number & 0xff) | (PTS_MAJOR << 8) | ((number & ~0xff) << 12)
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
  const end = `${loopback}:${hexPort(peerPort)}`
  for (const row of peerRows(table, ownPort)) if (row.end === end) return row.uid
  return null
}

/** The owners of all sockets in such a table that are connected to a port, by `address:port` of their own end. */
export function parsePeerUids(table: string, ownPort: number): [string, number][] {
  return [...peerRows(table, ownPort)].flatMap(({ end, uid }) => {
    const known = parseEnd(end)
    return known === null ? [] : [[known.join(':'), uid] as [string, number]]
  })
}

/** Both ends of the connection that a socket has, as `address port`; null if it is not in such a table. */
export function parseConnection(table: string, inode: number): { own: string; peer: string } | null {
  const row = new RegExp(
    String.raw`^ *\d+: ([0-9A-F]+:[0-9A-F]{4}) ([0-9A-F]+:[0-9A-F]{4}) 01 \S+ \S+ \S+ +\d+ +\d+ ${inode} `,
    'm',
  ).exec(table)
  const own = parseEnd(row?.[1] ?? '')
  const peer = parseEnd(row?.[2] ?? '')
  return own === null || peer === null ? null : { own: own.join(' '), peer: peer.join(' ') }
}

/** In states ESTABLISHED and CLOSE_WAIT; past them the owner is no longer listed. */
function* peerRows(table: string, ownPort: number): Generator<{ end: string; uid: number }> {
  const rows = new RegExp(
    String.raw`^ *\d+: ([0-9A-F]+:[0-9A-F]{4}) [0-9A-F]+:${hexPort(ownPort)} 0[18] \S+ \S+ \S+ +(\d+) `,
    'gm',
  )
  for (const [, end = '', uid] of table.matchAll(rows)) yield { end, uid: Number(uid) }
}

/** Address and port of one end of a connection; null for an address that parseAddress() does not read. */
function parseEnd(end: string): readonly [address: string, port: number] | null {
  const address = parseAddress(end.slice(0, -5))
  return address === null ? null : [address, Number.parseInt(end.slice(-4), 16)]
}

/** An address of IPv4, also in an IPv6 one, or the loopback of IPv6: its words are in the machine's byte order. */
function parseAddress(hex: string): string | null {
  if (hex === '00000000000000000000000001000000') return '::1'
  const isMapped = hex.startsWith('0000000000000000FFFF0000')
  if (hex.length !== 8 && !isMapped) return null
  return [...Buffer.from(hex.slice(-8), 'hex')].toReversed().join('.')
}

function hexPort(port: number): string {
  return port.toString(16).toUpperCase().padStart(4, '0')
}

/**
 * The folder of a process's control group of version 2, from its `cgroup` and `mountinfo`; null if the kernel has none, or
 * shows another part of the tree.
 */
export function parseOwnCgroup(cgroup: string, mountinfo: string): string | null {
  const place = /^0::(\/.*)$/m.exec(cgroup)?.[1]
  // ID PARENT MAJOR:MINOR ROOT MOUNTPOINT OPTIONS … - TYPE SOURCE OPTIONS
  const mounted = /^\d+ \d+ \S+ (\S+) (\S+) .* - cgroup2 /m.exec(mountinfo)
  if (place === undefined || mounted === null) return null
  const [, root = '/', mountPoint = ''] = mounted
  if (root === '/') return `${mountPoint}${place === '/' ? '' : place}`
  if (place !== root && !place.startsWith(`${root}/`)) return null
  return `${mountPoint}${place.slice(root.length)}`
}
