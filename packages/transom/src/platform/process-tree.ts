import { randomInt } from 'node:crypto'
import { errnoOf } from '../lib/system-error.ts'
import type { ChildReaper } from './child-reaper.ts'
import { platform } from './current-platform.ts'
import { MARK_SESSION_BITS, SESSION_VARIABLE, type ProcessFacts } from './platform.ts'

/**
 * A mark is a number that a session's first process is started with. Every descendant inherits it, through fork, exec,
 * setsid, a cleared environment and the death of its parents, and any process may read it (ADR 004). Its upper bits
 * name the host, the lower ones the session.
 */
const MARK_TOP = 1n << 62n

/** The upper part of the marks of one host. */
export function createHostMark(): bigint {
  return (MARK_TOP >> MARK_SESSION_BITS) | BigInt(randomInt(2 ** 40))
}

export function sessionMark(hostMark: bigint, ordinal: number): bigint {
  return (hostMark << MARK_SESSION_BITS) | (BigInt(ordinal) & ((1n << MARK_SESSION_BITS) - 1n))
}

/** What is known of a tree: the mark finds all of it that has kept it, the leader what still hangs together. */
export interface ProcessTree {
  readonly mark: bigint
  /** The session: orphans that have come to this process and were started in it are of the tree, too. */
  readonly session: string
  /** Null if its number may be another process's by now. */
  readonly leaderPid: number | null
}

/** How long a program may take to end after it is asked to. */
const TERM_GRACE_MS = 1500
/** How many listings in a row must be empty. */
export const EMPTY_LISTINGS = 5
/** A killed process ends at once, unless it hangs in the kernel. */
const KILL_GRACE_MS = 5000

/**
 * Ends every process of a tree: first by request (a hang-up where TERM is ignored, as by shells), then by force.
 * Resolves with those that are still there: none, unless one hangs in the kernel or belongs to another user.
 */
export async function killTree(tree: ProcessTree, reaper: ChildReaper): Promise<number[]> {
  const survivors = await killAllOf(tree, reaper)
  platform().forgetMark(tree.mark)
  return survivors
}

async function killAllOf(tree: ProcessTree, reaper: ChildReaper): Promise<number[]> {
  for (const pid of listTree(tree, reaper)) {
    send(pid, platform().ignoresTerm(pid) ? 'SIGHUP' : 'SIGTERM')
    send(pid, 'SIGCONT') // a stopped one must wake to hear it
  }
  if (await goneWithin(tree, reaper, TERM_GRACE_MS, () => {})) return []
  // Again at each change: a tree that keeps forking is outrun in the end.
  if (await goneWithin(tree, reaper, KILL_GRACE_MS, () => killAll(tree, reaper))) return []
  return listTree(tree, reaper)
}

/** How often a tree without a host is looked through: it ends at once, unless it is not ours to end. */
const SWEEPS_MAX = 50

/** Kills at once, without waiting for the ends: for trees whose host has ended. */
export function killTreeNow(tree: ProcessTree): void {
  for (let sweep = 0; sweep < SWEEPS_MAX && !isGone(tree, null); sweep++) killAll(tree, null)
  platform().forgetMark(tree.mark)
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
    if (isGone(tree, reaper)) return true
    await exit
    if (deadline.aborted) return isGone(tree, reaper)
  }
}

/** One empty listing proves little: a process that forks and ends during it is missed. */
function isGone(tree: ProcessTree, reaper: ChildReaper | null): boolean {
  return Array.from({ length: EMPTY_LISTINGS }).every(() => listTree(tree, reaper).length === 0)
}

function killAll(tree: ProcessTree, reaper: ChildReaper | null): void {
  for (const pid of listTree(tree, reaper)) send(pid, 'SIGKILL')
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    // Gone already, or another user's (a set-uid program): the caller sees who remains.
    if (errnoOf(error) !== 'ESRCH' && errnoOf(error) !== 'EPERM') throw error
  }
}

/** The living processes of a tree. Without a reaper, this process has adopted none of them. */
function listTree(tree: ProcessTree, reaper: ChildReaper | null): number[] {
  const processes = platform().listProcesses()
  if (processes === null) return tree.leaderPid !== null && isAlive(tree.leaderPid) ? [tree.leaderPid] : []
  const members = new Set<number>(platform().processesUnderMark(tree.mark))
  for (const { pid, sid } of processes) {
    if (platform().processMark(pid) === tree.mark || (tree.leaderPid !== null && sid === tree.leaderPid))
      members.add(pid)
  }
  if (reaper !== null) for (const pid of orphansOf(tree.session, reaper)) members.add(pid)
  addDescendants(members, processes, tree.leaderPid)
  return [...members]
}

/** The orphans of this process whose environment says that they were started in a session. */
function orphansOf(session: string, reaper: ChildReaper): number[] {
  const variable = `${SESSION_VARIABLE}=${session}`
  return reaper.adopted().filter((pid) => platform().programEnvironment(pid).includes(variable))
}

/** The process group in front on the terminal of `leaderPid`; null if that is not known. */
export function foregroundGroup(leaderPid: number): number | null {
  return platform().processFacts(leaderPid)?.foregroundGroup ?? null
}

/** The living processes of a process group. */
export function processesOfGroup(group: number): number[] {
  return (platform().listProcesses() ?? []).filter((process) => process.group === group).map(({ pid }) => pid)
}

/** All that hang from a process, which is not among them. */
export function descendantsOf(pid: number): number[] {
  const members = new Set([pid])
  addDescendants(members, platform().listProcesses() ?? [], null)
  members.delete(pid)
  return [...members]
}

function addDescendants(
  members: Set<number>,
  processes: readonly ProcessFacts[],
  leaderPid: number | null,
): void {
  if (leaderPid !== null && processes.some(({ pid }) => pid === leaderPid)) members.add(leaderPid)
  for (let before = -1; before !== members.size;) {
    before = members.size
    for (const { pid, parentPid } of processes) if (members.has(parentPid)) members.add(pid)
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false // it has ended
  }
}
