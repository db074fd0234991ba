import * as fs from 'node:fs'
import { platform } from '../../platform/current-platform.ts'
import type { RelayedTerminal } from '../../platform/platform.ts'
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
  const attributes = platform().terminalAttributes(terminalFd)
  const group = foregroundGroup(leaderPid)
  if (group === null) return { front: null, blocked: null, shown: false, ...attributes }
  const device = fs.fstatSync(terminalFd).rdev
  return innermost({ ...sampleGroup(group, device), ...attributes }, NESTING_MAX)
}

/** `script` within `tmux` within `script`: more than anyone uses. */
const NESTING_MAX = 4

/**
 * Programs that pass on what is typed to a terminal of their own (`script`, `tmux`, apt for dpkg) read theirs all the
 * time: what counts is whether the program behind them reads. If there are several and only some of them do, it is not
 * known which one would get what is typed.
 */
function innermost(outer: TerminalSample, nestingLeft: number): TerminalSample {
  if (outer.blocked === null || nestingLeft === 0 || TAKES_KEYS_ITSELF.test(outer.blocked.program))
    return outer
  const samples = platform()
    .relayedTerminals(outer.blocked.pid)
    .flatMap((terminal) => sampleRelayed(terminal) ?? [])
  const inner = samples.map((sample) => innermost(sample, nestingLeft - 1))
  const [first] = inner
  if (first === undefined) return outer
  const agree = inner.every(({ blocked }) => (blocked === null) === (first.blocked === null))
  return agree ? first : { ...outer, blocked: null, shown: false }
}

/** A terminal is a part of what these show, and they wait for keys whatever happens in it. */
const TAKES_KEYS_ITSELF = /^(?:n?vim?|vim\..*|emacs.*|mc)$/

/** Null if no program is on that terminal any more. */
function sampleRelayed({ device, path }: RelayedTerminal): TerminalSample | null {
  const processes = platform().listProcesses() ?? []
  const group = processes.find(({ terminal }) => terminal === device)?.foregroundGroup ?? null
  return group === null ? null : { ...sampleGroup(group, device), ...attributesOf(path) }
}

function attributesOf(path: string): Pick<TerminalSample, 'echo' | 'canonical'> {
  let fd: number
  try {
    fd = fs.openSync(path, fs.constants.O_RDONLY | fs.constants.O_NOCTTY | fs.constants.O_NONBLOCK)
  } catch {
    return { echo: true, canonical: false } // closed since, or another user's: no password is concluded from it
  }
  try {
    return platform().terminalAttributes(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** What the programs of the group in front on a terminal wait for. */
function sampleGroup(group: number, terminal: number): Pick<TerminalSample, 'front' | 'blocked' | 'shown'> {
  const frontPid = platform().programName(group) === null ? (processesOfGroup(group)[0] ?? null) : group
  // The group's first process is the one that waits, most of the time: the others are looked for only then.
  const first = waitOf(group, terminal)
  const waits =
    first.blocked === null ? [first, ...othersOf(group).map((pid) => waitOf(pid, terminal))] : [first]
  const blocked = waits.find((wait) => wait.blocked !== null)?.blocked ?? holderWait(group, terminal)
  const pid = blocked?.pid ?? frontPid
  const front = pid === null ? null : { pid, program: platform().programName(pid) ?? '' }
  return { front, blocked, shown: waits.some(({ shown }) => shown) }
}

/** Programs that hand their terminal to another process, which reads it and is in no group of that terminal. */
const HANDED_TO: Readonly<Record<string, string>> = {
  'tmux: client': 'tmux: server',
  screen: 'screen',
  ssh: 'ssh', // one that holds the connection for the others (ControlMaster)
}

function holderWait(group: number, terminal: number): BlockedOnTerminal | null {
  const inFront = [group, ...othersOf(group)].map((pid) => platform().programName(pid) ?? '')
  const holders = new Set(inFront.flatMap((program) => HANDED_TO[program] ?? []))
  if (holders.size === 0) return null
  for (const { pid } of platform().listProcesses() ?? []) {
    if (!holders.has(platform().programName(pid) ?? '')) continue
    const { blocked } = waitOf(pid, terminal)
    if (blocked !== null) return blocked
  }
  return null
}

interface ProcessWait {
  readonly blocked: BlockedOnTerminal | null
  readonly shown: boolean
}

function othersOf(group: number): number[] {
  return processesOfGroup(group)
    .filter((pid) => pid !== group)
    .slice(0, PROCESSES_MAX)
}

/** A pipeline has a few processes; a parallel build, which waits for no key, may have hundreds. */
const PROCESSES_MAX = 32

/** What the threads of a process wait for. */
function waitOf(pid: number, terminal: number): ProcessWait {
  const { blocked, shown } = platform().terminalWait(pid, terminal)
  if (blocked === null) return { blocked, shown }
  return { blocked: { pid, program: platform().programName(pid) ?? '', ...blocked }, shown }
}
