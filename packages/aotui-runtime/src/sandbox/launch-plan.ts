import { accessSync, constants, realpathSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { AotuiError } from '../contract/aotui-error.ts'
import type { Grants } from './grants.ts'

export interface LaunchPlan {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Record<string, string>
}

export interface LaunchOptions {
  readonly grants: Grants
  readonly entry: string
  readonly heapMb: number
  /** Strict tier: the folder in which the network broker makes its socket files. */
  readonly brokerDir?: string
}

/** How the process of a tier is started: plain, under Node's permission flags, or inside bubblewrap as well. */
export function planLaunch(options: LaunchOptions): LaunchPlan {
  const { grants, entry, heapMb } = options
  const flags = ['--no-warnings', `--max-old-space-size=${heapMb}`, '--max-semi-space-size=8']
  if (grants.policy.tier === 'trusted') {
    return {
      command: process.execPath,
      args: [...flags, entry],
      env: { ...stringEnv(process.env), ...grants.env },
    }
  }
  const args = [...flags, ...permissionFlags(grants, options.brokerDir), entry]
  if (grants.policy.tier === 'standard') return limited(heapMb, process.execPath, args, grants.env)
  const node = realpathSync(process.execPath)
  return limited(heapMb, findBwrap(), [...bwrapArgs(options, node), node, ...args], {})
}

/** Beside its heap a process needs threads, code and buffers; an app without buffers of its own takes about 100 MB. */
const BESIDE_HEAP_MB = 256

/** V8's heap limit does not count buffers. On Linux the kernel counts all memory that a process can write to. */
function limited(
  heapMb: number,
  command: string,
  args: readonly string[],
  env: Record<string, string>,
): LaunchPlan {
  if (process.platform !== 'linux') return { command, args, env }
  const limitKb = String((heapMb + BESIDE_HEAP_MB) * 1024)
  return { command: '/bin/sh', args: ['-c', 'ulimit -d "$0"; exec "$@"', limitKb, command, ...args], env }
}

function permissionFlags({ policy }: Grants, brokerDir: string | undefined): string[] {
  const known = process.allowedNodeEnvironmentFlags
  const flags = [known.has('--permission') ? '--permission' : '--experimental-permission']
  const sockets = brokerDir === undefined ? [] : [brokerDir]
  for (const path of [...policy.read, ...sockets]) flags.push(`--allow-fs-read=${path}`)
  for (const path of [...policy.write, ...sockets]) flags.push(`--allow-fs-write=${path}`)
  // Node 25 and later put the network under the model as well; which host is the guard's and the broker's matter.
  if (known.has('--allow-net')) flags.push('--allow-net')
  if (policy.spawn.length > 0) flags.push('--allow-child-process')
  return flags
}

/** What Node itself needs to start. Folders that a system does not have are left out. */
const SYSTEM_DIRS = ['/usr', '/lib', '/lib64', '/bin', '/sbin']

function bwrapArgs({ grants, entry, brokerDir }: LaunchOptions, node: string): string[] {
  const { policy, env } = grants
  const args = ['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--clearenv']
  for (const [name, value] of Object.entries(env)) args.push('--setenv', name, value)
  if (policy.read.includes('*')) args.push('--ro-bind', '/', '/')
  else for (const dir of SYSTEM_DIRS) args.push('--ro-bind-try', dir, dir)
  args.push('--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp')
  for (const path of [dirname(node), dirname(entry), ...policy.read])
    if (path !== '*') args.push('--ro-bind-try', path, path)
  for (const path of policy.write)
    args.push(path === '*' ? '--bind' : '--bind-try', path === '*' ? '/' : path, path === '*' ? '/' : path)
  // A socket on a read-only mount can be connected to, and the app cannot store or replace anything beside it.
  if (brokerDir !== undefined) args.push('--ro-bind', brokerDir, brokerDir)
  return [...args, '--chdir', '/', '--']
}

/** Strict without bubblewrap fails: a weaker tier in its place would be a promise broken in silence. */
function findBwrap(): string {
  const found = (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((dir) => join(dir, 'bwrap'))
    .find(isExecutable)
  if (process.platform === 'linux' && found !== undefined) return found
  throw new AotuiError(
    'E_INTERNAL',
    'the strict tier needs Linux and the program bwrap (package bubblewrap)',
    { reason: 'no_bwrap' },
  )
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function stringEnv(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
