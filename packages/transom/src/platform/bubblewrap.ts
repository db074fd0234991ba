import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { OpError } from '@transom/protocol/errors'
import { messageOf } from '../lib/system-error.ts'
import { platform } from './current-platform.ts'
import { findProgram } from './program.ts'

/** What a program sees of the machine when it runs under bubblewrap (ADR 050). Paths are absolute. */
export interface IsolatedView {
  /** The folder that it starts in and may write to; null for the empty one that it gets as its home folder. */
  readonly cwd: string | null
  /** Folders that it sees where they are, on top of what is hidden. */
  readonly shared: readonly string[]
  /** Folders that it must not see, even within one that it sees. */
  readonly hidden: readonly string[]
}

/** The home folder of an isolated program: empty at the start, in memory, and gone with it. */
export const ISOLATED_HOME = '/home/session'

/** Programs and their data, read-only. Where one is a link (as /bin is to usr/bin), the view has that link. */
const SYSTEM_FOLDERS = [
  '/usr',
  '/opt',
  '/nix/store',
  '/gnu/store',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
]

/** What programs need of /etc to start and to name users. The rest of it may be secret, and for root it is readable. */
const SYSTEM_SETTINGS = [
  'alternatives',
  'bash.bashrc',
  'debian_version',
  'fish',
  'group',
  'inputrc',
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'locale.alias',
  'localtime',
  'nsswitch.conf',
  'os-release',
  'passwd',
  'profile',
  'profile.d',
  'shells',
  'terminfo',
  'vim',
  'zsh',
].map((name) => `/etc/${name}`)

/** Everything of its own: users, processes, the network (none), shared memory, the machine's name. */
const NAMESPACES = [
  '--unshare-user',
  '--unshare-pid',
  '--unshare-net',
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
]

/** What it sees of its own processes and devices, and where it may write. */
const FRESH_FOLDERS = ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--dir', ISOLATED_HOME]

/** bubblewrap's arguments up to the program's own. */
export function bubblewrapArguments({ cwd, shared, hidden }: IsolatedView): string[] {
  return [
    ...NAMESPACES,
    '--die-with-parent',
    '--cap-drop', // root has capabilities otherwise
    'ALL',
    ...SYSTEM_FOLDERS.flatMap(systemFolder),
    ...SYSTEM_SETTINGS.flatMap((file) => ['--ro-bind-try', file, file]),
    ...FRESH_FOLDERS,
    ...(cwd === null ? [] : ['--bind', fs.realpathSync(cwd), cwd]),
    ...hidden.filter((folder) => isVisible(folder, cwd)).flatMap((folder) => ['--tmpfs', folder]),
    ...shared.flatMap((folder) => ['--bind', folder, folder]),
    '--chdir',
    cwd ?? ISOLATED_HOME,
    '--',
  ]
}

/** Whether an isolated program that starts in `cwd` sees a file, through links as the kernel follows them. */
export function isVisible(file: string, cwd: string | null): boolean {
  const target = realPath(file)
  return [...SYSTEM_FOLDERS, ...(cwd === null ? [] : [cwd])].some((root) => isWithin(target, realPath(root)))
}

export function isWithin(file: string, folder: string): boolean {
  const relative = path.relative(folder, file)
  return relative !== '..' && !relative.startsWith('../')
}

/** A probe sets up namespaces and ends at once; a machine that swaps takes a second. */
const PROBE_TIMEOUT_MS = 5000
let proven: string | undefined

/**
 * The path of bubblewrap, after it has been seen to work on this system. Throws the reason if it does not. The first
 * call blocks for the 10 ms that a probe takes.
 */
export function findBubblewrap(env: NodeJS.ProcessEnv): string {
  if (platform().name !== 'linux') throw unavailable('only Linux can isolate a program')
  const program = locate(env)
  if (program === proven) return program
  const args = [...bubblewrapArguments({ cwd: null, shared: [], hidden: [] }), '/bin/true']
  const { status, error, stderr } = spawnSync(program, args, { timeout: PROBE_TIMEOUT_MS, encoding: 'utf8' })
  if (status !== 0) {
    const said = error === undefined ? (stderr.trim().split('\n')[0] ?? '') : messageOf(error)
    throw unavailable(
      `${program} does not work here (${said}); the kernel must allow this user to make user namespaces ` +
        '(sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns)',
    )
  }
  proven = program
  return program
}

/** The program that runs under a bubblewrap, which has a process of its own between; null before it has started. */
export function programInside(bubblewrapPid: number): number | null {
  const processes = platform().listProcesses() ?? []
  const childOf = (parent: number) => processes.find(({ parentPid }) => parentPid === parent)?.pid
  const first = childOf(bubblewrapPid)
  return (first === undefined ? undefined : childOf(first)) ?? null
}

function locate(env: NodeJS.ProcessEnv): string {
  try {
    return findProgram('bwrap', '/', env)
  } catch {
    throw unavailable('bwrap is not installed; it is in the package bubblewrap')
  }
}

function unavailable(why: string): OpError {
  return new OpError('isolation_unavailable', `cannot isolate a session: ${why}`)
}

function systemFolder(folder: string): string[] {
  try {
    if (fs.lstatSync(folder).isSymbolicLink()) return ['--symlink', fs.readlinkSync(folder), folder]
    return ['--ro-bind', folder, folder]
  } catch {
    return [] // this system has none
  }
}

function realPath(file: string): string {
  try {
    return fs.realpathSync(file)
  } catch {
    return file // there is none
  }
}
