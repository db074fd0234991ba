import { randomInt } from 'node:crypto'
import * as fs from 'node:fs'
import * as path from 'node:path'
import * as os from 'node:os'
import { errnoOf } from '../lib/system-error.ts'
import type { ChildReaper } from './child-reaper.ts'

/**
 * A mark is a soft RLIMIT_RTTIME that a session's first process is started with. Every descendant inherits it,
 * through fork, exec, setsid, a cleared environment and the death of its parents, and anyone may read it in
 * /proc/<pid>/limits (ADR 004). Its upper bits name the host, the lower ones the session.
 */
export const MARK_SESSION_BITS = 20n
const MARK_TOP = 1n << 62n

/** The upper part of the marks of one host. */
export function createHostMark(): bigint {
  return (MARK_TOP >> MARK_SESSION_BITS) | BigInt(randomInt(2 ** 40))
}

export function sessionMark(hostMark: bigint, ordinal: number): bigint {
  return (hostMark << MARK_SESSION_BITS) | (BigInt(ordinal) & ((1n << MARK_SESSION_BITS) - 1n))
}

/** What is known of a tree: the mark finds all of it, the leader what still hangs together. */
export interface ProcessTree {
  readonly mark: bigint
  /** Null when its number may be another process's by now. */
  readonly leaderPid: number | null
}

/** How long a program may take to end by itself when it is told to. */
const TERM_GRACE_MS = 1500
/** How many listings in a row must be empty. */
export const EMPTY_LISTINGS = 5
/** A killed process ends at once, unless it hangs in the kernel. */
const KILL_GRACE_MS = 5000

/**
 * Ends every process of a tree: told to first (a hang-up where TERM is ignored, as by shells), then killed. Resolves
 * with those that are still there: none, unless one hangs in the kernel or belongs to another user.
 */
export async function killTree(tree: ProcessTree, reaper: ChildReaper): Promise<number[]> {
  for (const pid of listTree(tree)) {
    send(pid, ignoresTerm(pid) ? 'SIGHUP' : 'SIGTERM')
    send(pid, 'SIGCONT') // a stopped one must wake to hear it
  }
  if (await goneWithin(tree, reaper, TERM_GRACE_MS, () => {})) return []
  // Again at each change: a tree that keeps forking is outrun in the end.
  if (await goneWithin(tree, reaper, KILL_GRACE_MS, () => killAll(tree))) return []
  return listTree(tree)
}

/** How often a tree without a host is looked through: it ends at once, unless it is not ours to end. */
const SWEEPS_MAX = 50

/** Kills at once, without waiting for the ends: for trees whose host is gone. */
export function killTreeNow(tree: ProcessTree): void {
  for (let sweep = 0; sweep < SWEEPS_MAX && !isGone(tree); sweep++) killAll(tree)
}

async function goneWithin(
  tree: ProcessTree,
  reaper: ChildReaper,
  graceMs: number,
  eachTime: () => void,
): Promise<boolean> {
  const deadline = AbortSignal.timeout(graceMs)
  for (;;) {
    // Asked for before the look, so that an end between the two is not missed. The last process of a tree to end
    // is always a child of this one, as its subreaper, and so its end is always heard.
    const exit = reaper.nextExit(deadline)
    eachTime()
    if (isGone(tree)) return true
    await exit
    if (deadline.aborted) return isGone(tree)
  }
}

/** One empty listing proves little: a process that forks and ends while /proc is read is missed by it. */
function isGone(tree: ProcessTree): boolean {
  return Array.from({ length: EMPTY_LISTINGS }).every(() => listTree(tree).length === 0)
}

function killAll(tree: ProcessTree): void {
  for (const pid of listTree(tree)) send(pid, 'SIGKILL')
}

/** Whether a process ignores SIGTERM, as interactive shells do. */
function ignoresTerm(pid: number): boolean {
  try {
    const ignored =
      /^SigIgn:\s+([0-9a-f]+)$/m.exec(fs.readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0'
    return ((BigInt(`0x${ignored}`) >> BigInt(os.constants.signals.SIGTERM - 1)) & 1n) === 1n
  } catch {
    return false // it has ended
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // Gone already, or another user's (a set-uid program): the caller sees who remains.
    if (errnoOf(error) !== 'ESRCH' && errnoOf(error) !== 'EPERM') throw error
  }
}

/** The living processes of a tree. */
export function listTree(tree: ProcessTree): number[] {
  const processes = readProcesses()
  if (processes === null) return tree.leaderPid === null ? [] : livingWithoutProc(tree.leaderPid)
  const members = new Set<number>()
  for (const { pid, sid } of processes) {
    if (readMark(pid) === tree.mark || (tree.leaderPid !== null && sid === tree.leaderPid)) members.add(pid)
  }
  addDescendants(members, processes, tree.leaderPid)
  return [...members]
}

/** The state letter of /proc/<pid>/stat (`Z` for a zombie), or null when there is no such process. */
export function processState(pid: number): string | null {
  return readStat(pid)?.state ?? null
}

/** The process group in front on the terminal of `leaderPid`; null where that cannot be told. */
export function foregroundGroup(leaderPid: number): number | null {
  const group = readStat(leaderPid)?.foregroundGroup ?? -1
  return group > 0 ? group : null
}

/** The living processes of a process group. */
export function processesOfGroup(group: number): number[] {
  return (readProcesses() ?? []).filter((process) => process.group === group).map(({ pid }) => pid)
}

/** What newer versions of Node call themselves to the kernel, which says nothing about the program. */
const NAME_OF_A_THREAD = 'MainThread'

/** A process's name as the kernel has it, which a program may change; null when there is no such process. */
export function programName(pid: number): string | null {
  try {
    const name = fs.readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd()
    return name === NAME_OF_A_THREAD ? path.basename(fs.readlinkSync(`/proc/${pid}/exe`)) : name
  } catch {
    return null // it has ended, or there is no /proc
  }
}

/** All that hang from a process, which is not among them. */
export function descendantsOf(pid: number): number[] {
  const members = new Set([pid])
  addDescendants(members, readProcesses() ?? [], null)
  members.delete(pid)
  return [...members]
}

const PF_FORKNOEXEC = 0x40 // include/linux/sched.h: forked, and runs the program of its parent since

/** Whether a process has started its program itself; a shell's subshell has not. */
export function hasExecuted(pid: number): boolean {
  const flags = readStat(pid)?.flags ?? PF_FORKNOEXEC
  return (flags & PF_FORKNOEXEC) === 0
}

interface ProcessStat {
  readonly pid: number
  readonly state: string
  readonly parentPid: number
  readonly group: number
  readonly sid: number
  readonly foregroundGroup: number
  readonly flags: number
}

function addDescendants(
  members: Set<number>,
  processes: readonly ProcessStat[],
  leaderPid: number | null,
): void {
  if (leaderPid !== null && processes.some(({ pid }) => pid === leaderPid)) members.add(leaderPid)
  for (let before = -1; before !== members.size;) {
    before = members.size
    for (const { pid, parentPid } of processes) if (members.has(parentPid)) members.add(pid)
  }
}

/** The parent of all kernel threads, which are most of a system's processes and never a session's. */
const KERNEL_THREADS = 2

/** Every process but zombies and kernel threads, or null without /proc. */
function readProcesses(): ProcessStat[] | null {
  if (process.platform !== 'linux') return null
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? [])
    .filter(({ state, parentPid }) => state !== 'Z' && state !== 'X' && parentPid !== KERNEL_THREADS)
}

function readStat(pid: number): ProcessStat | null {
  let text: string
  try {
    text = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
  } catch {
    return null // ended between the listing and the look
  }
  // The second field is the program's name in parentheses, and may itself hold any character.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state = '', parentPid, group, sid, , foreground, flags] = fields
  return {
    pid,
    state,
    parentPid: Number(parentPid),
    group: Number(group),
    sid: Number(sid),
    foregroundGroup: Number(foreground),
    flags: Number(flags),
  }
}

function readMark(pid: number): bigint | null {
  try {
    const soft = /^Max realtime timeout +(\d+)/m.exec(fs.readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1]
    return soft === undefined ? null : BigInt(soft)
  } catch {
    return null // ended, or hidden from this user
  }
}

function livingWithoutProc(pid: number): number[] {
  try {
    process.kill(pid, 0)
    return [pid]
  } catch {
    return [] // it has ended
  }
}
