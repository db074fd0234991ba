import * as fs from 'node:fs'
import { platform } from '../../platform/current-platform.ts'
import { foregroundGroup, processesOfGroup } from '../../platform/process-tree.ts'

/**
 * What the kernel knows of a terminal and does not announce: whether a program is blocked on reading it, and how it
 * treats what is typed. This is the one file that looks, and only while a wait or a status asks.
 */
export interface TerminalSample {
  /** The program that waits for the terminal, else the first of those in front; null if there is none. */
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
  const { echo, canonical } = platform().terminalAttributes(terminalFd)
  const terminal = fs.fstatSync(terminalFd).rdev
  const group = foregroundGroup(leaderPid)
  if (group === null) return { front: null, blocked: null, shown: false, echo, canonical }
  const frontPid = platform().programName(group) === null ? (processesOfGroup(group)[0] ?? null) : group
  // The group's first process is the one that waits, most of the time: the others are looked for only then.
  const first = waitOf(group, terminal)
  const waits = first.blocked === null ? [first, ...othersOf(group, terminal)] : [first]
  const blocked = waits.find((wait) => wait.blocked !== null)?.blocked ?? null
  const pid = blocked?.pid ?? frontPid
  return {
    front: pid === null ? null : { pid, program: platform().programName(pid) ?? '' },
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

/** What the threads of a process wait for. */
function waitOf(pid: number, terminal: number): ProcessWait {
  const { blocked, shown } = platform().terminalWait(pid, terminal)
  if (blocked === null) return { blocked, shown }
  return { blocked: { pid, program: platform().programName(pid) ?? '', ...blocked }, shown }
}
