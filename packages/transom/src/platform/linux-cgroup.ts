import * as fs from 'node:fs'
import * as path from 'node:path'
import { MARK_SESSION_BITS, type Command } from './platform.ts'
import { parseOwnCgroup } from './proc-texts.ts'

/**
 * Control groups (version 2) for process trees (ADR 051): the kernel puts every child into the group of its parent,
 * whatever that child does to its limits, its session or its parents. A group is made within the host's own, without any
 * controller, so that it limits nothing. Where this user may not make groups, there are none.
 */
const FOLDER = 'transom-'
/** The kernel allows as many levels as it is told to; a program that makes groups within its own makes a few. */
const DEPTH_MAX = 16

let found: { readonly folder: string | null } | undefined

/**
 * Forks a command so that it runs in the group of a mark. Entering a group takes the kernel up to 20 ms after some idle
 * time. The child waits for that, not this process: a shell enters the group and becomes the command. If a shell would
 * change the command's environment, this process enters, forks and goes back.
 */
export function forkIntoGroup<T>(mark: bigint, command: Command, fork: (command: Command) => T): T {
  const own = ownGroup()
  const folder = own === null ? null : makeGroup(groupOf(own, mark))
  if (own === null || folder === null) return fork(command)
  if (shellKeeps(command)) return fork(enteringCommand(folder, command))
  if (!enter(folder)) return fork(command)
  try {
    return fork(command)
  } finally {
    join(own)
  }
}

/** Leaves the group of a session that this process was started in. */
export function leaveGroup(): void {
  const own = ownGroup()
  if (own !== null) join(own)
}

/** The processes in the group of a mark, and in groups that they have made within it. */
export function processesInGroup(mark: bigint): number[] {
  const own = ownGroup()
  if (own === null) return []
  return groupsBelow(groupOf(own, mark)).flatMap((folder) => {
    const text = readOrEmpty(path.join(folder, 'cgroup.procs'))
    return text.split('\n').filter(Boolean).map(Number)
  })
}

/** The folder with the groups of a host; null if it has none. */
export function groupsOfHost(hostMark: bigint): string | null {
  const own = ownGroup()
  return own === null ? null : path.join(own, `${FOLDER}${hostMark}`)
}

export function removeGroup(mark: bigint): void {
  const own = ownGroup()
  if (own !== null) removeEmpty(groupOf(own, mark))
}

export function removeGroups(hostMark: bigint): void {
  const folder = groupsOfHost(hostMark)
  if (folder !== null) removeEmpty(folder)
}

/** The group that this process began in, where it may make others; null if it may not. */
function ownGroup(): string | null {
  found ??= { folder: findOwnGroup() }
  return found.folder
}

function findOwnGroup(): string | null {
  try {
    const texts = ['cgroup', 'mountinfo'].map((file) => fs.readFileSync(`/proc/self/${file}`, 'utf8'))
    const folder = parseOwnCgroup(texts[0] ?? '', texts[1] ?? '')
    if (folder === null) return null
    // A host that is started inside a session begins in the group of that session, and leaves it.
    const [own = ''] = folder.split(`/${FOLDER}`, 1)
    fs.accessSync(own, fs.constants.W_OK)
    fs.accessSync(path.join(own, 'cgroup.procs'), fs.constants.W_OK)
    return own
  } catch {
    return null // a kernel without them, hidden, read-only, or another user's
  }
}

function groupOf(own: string, mark: bigint): string {
  const ordinal = mark & ((1n << MARK_SESSION_BITS) - 1n)
  return path.join(own, `${FOLDER}${mark >> MARK_SESSION_BITS}`, String(ordinal))
}

function makeGroup(folder: string): string | null {
  try {
    fs.mkdirSync(folder, { recursive: true })
    return folder
  } catch {
    return null // a limit on groups
  }
}

function enter(folder: string): boolean {
  try {
    join(folder)
    return true
  } catch {
    return false // a kind of group that takes no processes
  }
}

/** 0 is the process that writes it. A shell that may not enter becomes the command all the same. */
function enteringCommand(folder: string, { program, argv, env }: Command): Command {
  const script = '{ echo 0 >"$0"; } 2>/dev/null; exec "$@"'
  return {
    program: '/bin/sh',
    argv: ['-c', script, path.join(folder, 'cgroup.procs'), program, ...argv],
    env,
  }
}

/**
 * Variables that a shell replaces: those of dash, and of bash where it is /bin/sh. It drops others whose names it cannot
 * read. PWD is mended to name the working folder, as each shell does.
 */
const REPLACED_BY_SHELLS = /^(IFS|OPTIND|PPID|SHELLOPTS|BASH.*|E?UID)$/
const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/

function shellKeeps({ program, env }: Command): boolean {
  if (program.startsWith('-')) return false
  return Object.keys(env).every((name) => SHELL_NAME.test(name) && !REPLACED_BY_SHELLS.test(name))
}

function join(folder: string): void {
  fs.writeFileSync(path.join(folder, 'cgroup.procs'), String(process.pid))
}

/** The innermost first: a group that has one within cannot be removed. */
function removeEmpty(top: string): void {
  for (const folder of groupsBelow(top).reverse()) {
    try {
      fs.rmdirSync(folder)
    } catch {
      continue // it has a process, or has gone
    }
  }
}

/** A group, then those within it. */
function groupsBelow(top: string, depth = 0): string[] {
  if (depth === DEPTH_MAX) return []
  return [top, ...foldersIn(top).flatMap((folder) => groupsBelow(folder, depth + 1))]
}

function foldersIn(folder: string): string[] {
  try {
    const entries = fs.readdirSync(folder, { withFileTypes: true })
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => path.join(folder, name))
  } catch {
    return [] // it has gone
  }
}

function readOrEmpty(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8')
  } catch {
    return '' // it has gone
  }
}
