/** A dedicated host in the process of a command, for one web session that ends with it. */
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Client } from '@transom/client'
import { OpError } from '@transom/protocol/errors'
import { Host, type HostOptions } from '../host/host.ts'
import { hostFiles, report } from '../host/run-host.ts'
import { workingFolder } from '../lib/working-folder.ts'
import { hostKinds } from './host-kinds.ts'

export interface OwnHostOptions extends Pick<HostOptions, 'home' | 'env' | 'isPrivate'> {
  /** Gets what happens to the browser and concerns its user. */
  readonly notice: (message: string) => void
}

export async function startOwnHost({ notice, ...options }: OwnHostOptions): Promise<Host> {
  const { home } = options
  const script = fileURLToPath(import.meta.url)
  const host = await Host.start({
    ...options,
    dedicated: true,
    idleMs: null,
    ...hostFiles(script),
    kinds: (services) => hostKinds(path.dirname(script), services, { notice }),
    reportError: (session, error) => report(home, `session ${session}`, error),
  })
  if (!(host instanceof Host)) throw new Error('a dedicated host takes no lock that another could hold')
  process.on('uncaughtException', (error) => {
    report(home, 'the host', error)
    process.exit(70)
  })
  return host
}

export interface WebSessionOptions {
  readonly env: NodeJS.ProcessEnv
  readonly cols: number | undefined
  readonly rows: number | undefined
  /** Percent. */
  readonly zoom: number | undefined
  readonly allowHosts: readonly string[]
  readonly onlyHosts: readonly string[]
  /** A folder that keeps cookies and logins; without one nothing is kept. */
  readonly profile: string | undefined
}

/** Returns the id of the session. It shows an empty page. */
export async function createWebSession(client: Client, options: WebSessionOptions): Promise<string> {
  const { env, cols, rows, zoom, allowHosts, onlyHosts, profile } = options
  const { session } = await client.call('session.create', {
    kind: 'web',
    cols,
    rows,
    zoom,
    allow_hosts: [...allowHosts],
    only_hosts: [...onlyHosts],
    profile_folder: profile === undefined ? undefined : path.resolve(profile),
    cwd: workingFolder(),
    base_env: Object.fromEntries(
      Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    ),
  })
  return session
}

/** Throws if a session has ended because its browser failed. */
export async function throwIfFailed(client: Client, session: string): Promise<void> {
  const { failure } = await client.call('session.inspect', { session })
  if (failure !== null) throw new OpError('browser_failed', failure, { session })
}
