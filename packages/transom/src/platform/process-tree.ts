import { randomInt } from 'node:crypto'
import { errnoOf } from '../lib/system-error.ts'
import type { ChildReaper } from './child-reaper.ts'
import { platform } from './current-platform.ts'
import type { ProcessFacts } from './platform.ts'

/**
 * A mark is a number that a session's first process is started with. Every descendant inherits it, through fork, exec,
 * setsid, a cleared environment and the death of its parents, and any process may read it (ADR 004). Its upper bits
 * name the host, the lower ones the session.
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
  for (const pid of listTree(tree)) {
    send(pid, platform().ignoresTerm(pid) ? 'SIGHUP' : 'SIGTERM')
    send(pid, 'SIGCONT') // a stopped one must wake to hear it
  }
  if (await goneWithin(tree, reaper, TERM_GRACE_MS, () => {})) return []
  // Again at each change: a tree that keeps forking is outrun in the end.
  if (await goneWithin(tree, reaper, KILL_GRACE_MS, () => killAll(tree))) return []
  return listTree(tree)
}

/** How often a tree without a host is looked through: it ends at once, unless it is not ours to end. */
const SWEEPS_MAX = 50

/** Kills at once, without waiting for the ends: for trees whose host has ended. */
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

/** One empty listing proves little: a process that forks and ends during it is missed. */
function isGone(tree: ProcessTree): boolean {
  return Array.from({ length: EMPTY_LISTINGS }).every(() => listTree(tree).length === 0)
}

function killAll(tree: ProcessTree): void {
  for (const pid of listTree(tree)) send(pid, 'SIGKILL')
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
function listTree(tree: ProcessTree): number[] {
  const processes = platform().listProcesses()
  if (processes === null) return tree.leaderPid !== null && isAlive(tree.leaderPid) ? [tree.leaderPid] : []
  const members = new Set<number>()
  for (const { pid, sid } of processes) {
    if (platform().processMark(pid) === tree.mark || (tree.leaderPid !== null && sid === tree.leaderPid))
      members.add(pid)
  }
  addDescendants(members, processes, tree.leaderPid)
  return [...members]
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
