import * as fs from 'node:fs'
import type { CallOptions, Client } from '@transom/client'
import { OpError, toWireError } from '@transom/protocol/errors'
import { errnoOf } from '../../lib/system-error.ts'
import { homePath } from '../../home/home-path.ts'
import type { CliProcess } from './cli-process.ts'
import {
  connectToHost,
  followSession,
  otherProtocols,
  startHost,
  type HostFinder,
} from './host-connection.ts'
import type { GlobalFlags } from './parse-argv.ts'

export interface HostRequest {
  readonly operation: string
  readonly startsHost: boolean
  /** Whether it is about sessions that are there: it makes no Home. */
  readonly needsHome: boolean
  readonly endsHost?: boolean
  readonly params: Record<string, unknown>
  readonly signal: AbortSignal
  /** Prints a notice for the user beside the result. */
  notice(text: string): void
  readonly onProgress?: CallOptions['onProgress']
}

/** Asks the host of the Home, starting one where needed, and follows a session to the host that runs it. */
export async function callHost(finder: HostFinder, request: HostRequest): Promise<unknown> {
  try {
    return await callHomeHost(finder, request)
  } catch (error) {
    if (!(error instanceof OpError) || error.code !== 'session_elsewhere') throw error
    finder.debug('another host runs that session')
    return callOn(await followSession(error), request, finder.debug)
  }
}

async function callHomeHost(finder: HostFinder, request: HostRequest): Promise<unknown> {
  const running = await connectToHost(finder)
  if (running !== null) {
    try {
      return await callOn(running, request, finder.debug)
    } catch (error) {
      if (!request.startsHost || !isLeavingHost(error)) throw error
    }
  }
  if (request.needsHome && isMissing(finder.home)) return withoutHome(finder.home, request)
  if (!request.startsHost) {
    const message = `no host is running for ${finder.home}; the first "transom create" starts one`
    throw new OpError('host_unavailable', message, { home: finder.home })
  }
  const started = await startHost(finder)
  for (const protocol of otherProtocols(finder.home)) {
    request.notice(
      `a host of another version (protocol ${protocol}) keeps its sessions; new ones start on this version's`,
    )
  }
  return callOn(started, request, finder.debug)
}

/** What there is to say of a Home that does not exist: it has no sessions. */
function withoutHome(home: string, request: HostRequest): unknown {
  const { operation, params } = request
  if (operation === 'session.list') {
    request.notice(`there is no Home at ${home}; the first "transom create" makes it`)
    return { sessions: [] }
  }
  throw noSuchSession(home, params['session'] ?? params['conversation_id'])
}

/** Why a session is not found in a Home that does not exist. */
export function noSuchSession(home: string, ref: unknown): OpError {
  const message = `no session ${JSON.stringify(ref)}: there is no Home at ${home}`
  return new OpError('session_not_found', message, { ref, home })
}

/** Whether a folder is not there, or is empty. One that cannot be read is there. */
export function isMissing(folder: string): boolean {
  try {
    return fs.readdirSync(folder).length === 0
  } catch (error) {
    return errnoOf(error) === 'ENOENT'
  }
}

async function callOn(
  client: Client,
  { operation, endsHost, params, signal, onProgress }: HostRequest,
  debug: HostFinder['debug'],
): Promise<unknown> {
  debug(`asking for ${operation}`) // no parameters: one may be a secret
  try {
    const result = await client.request(operation, params, { signal, onProgress })
    debug('answered')
    // The connection closes when the host ends, so that no host is left after this.
    if (endsHost === true) await client.whenClosed()
    return result
  } catch (error) {
    debug(`failed with ${toWireError(error).code}`)
    throw error
  } finally {
    client.close()
  }
}

/** The host left between the connection and the request, which it never took: another one can serve it. */
function isLeavingHost(error: unknown): boolean {
  if (!(error instanceof OpError)) return false
  return (
    error.code === 'host_stopping' ||
    (error.code === 'host_unavailable' && error.details['answered'] === false)
  )
}

export function hostFinder(cli: CliProcess, flags: GlobalFlags): HostFinder {
  const debugs = flags.debug || cli.env['TRANSOM_DEBUG'] === '1'
  return {
    home: homePath(flags.home, cli.env),
    hostScript: cli.hostScript,
    env: debugs ? { ...cli.env, TRANSOM_DEBUG: '1' } : cli.env, // a host that is started keeps a debug log
    debug: debugs ? debugLines(cli) : () => {},
  }
}

function debugLines(cli: CliProcess): HostFinder['debug'] {
  const startMs = performance.now()
  return (text) => cli.err(`debug: ${(performance.now() - startMs).toFixed(1)} ms: ${text}`)
}
