/**
 * `awi-tty open --agent-socket`: a dedicated host in the process of the command itself, with one web session and an
 * agent socket for it. Standard output stays clean; messages go to standard error.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { actorName, type LocalPrincipal } from '@transom/protocol'
import { toWireError, type WireError } from '@transom/protocol/errors'
import { ownPrincipal } from '../host/local-peer.ts'
import { UrlPolicy } from '../kinds/web/url-policy.ts'
import { messageOf } from '../lib/system-error.ts'
import { terminalSafe } from '../lib/terminal-safe.ts'
import type { AgentObserver } from '../surfaces/awi/agent-socket/agent-connection.ts'
import { AgentServer } from '../surfaces/awi/agent-socket/agent-server.ts'
import { claimAgentSocket, defaultAgentSocket } from '../surfaces/awi/agent-socket/agent-socket-path.ts'
import { createWebSession, startOwnHost, throwIfFailed, type WebSessionOptions } from './own-host.ts'

export interface ServeAgentsOptions extends WebSessionOptions {
  /** Ends it. */
  readonly signal: AbortSignal
  /** Absolute. */
  readonly home: string
  /** The page to begin with; about:blank if left out. */
  readonly url: string | undefined
  /** Empty for the default place. */
  readonly agentSocket: string
  readonly debug: boolean
}

/** Serves until it is asked to end. Returns a failure in wire form: the caller is another bundle. */
export async function serveAgents(options: ServeAgentsOptions): Promise<WireError | null> {
  const closers: (() => Promise<unknown>)[] = []
  try {
    await serve(options, closers)
    return null
  } catch (error) {
    return toWireError(error)
  } finally {
    await closeAll(closers)
  }
}

async function serve(options: ServeAgentsOptions, closers: (() => Promise<unknown>)[]): Promise<void> {
  const { env, signal, url, allowHosts, onlyHosts, debug } = options
  if (url !== undefined) new UrlPolicy({ allowHosts, onlyHosts }).checkNavigation(url)
  const socketPath = options.agentSocket === '' ? defaultAgentSocket(env) : options.agentSocket
  await claimAgentSocket(socketPath) // before anything is started for it
  const host = await startOwnHost({ home: options.home, env, notice: say })
  closers.push(async () => host.stop())
  const client = host.connect(ownPrincipal())
  const session = await createWebSession(client, options)
  const observer = debug ? debugObserver() : SILENT
  const connect = (peer: LocalPrincipal) => host.connect(peer)
  const server = await AgentServer.listen(socketPath, { session, connect, observer })
  closers.push(async () => server.close())
  if (debug) debugLine({ event: 'listening', socket: server.path, session })
  if (url !== undefined)
    client.call('web.navigate', { session, url }).catch((error: unknown) => say(messageOf(error)))
  const interrupted = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  if (!signal.aborted) await Promise.race([interrupted, host.whenEmpty()])
  if (signal.aborted) return
  await nextTurn() // clients that wait are answered first
  // Agents find no browser then, and the exit status reports the failure to the parent process.
  await throwIfFailed(client, session)
}

function say(message: string): void {
  process.stderr.write(`awi-tty: ${terminalSafe(message)}\n`)
}

const SILENT: AgentObserver = { opened: () => 0, request: () => {}, closed: () => {} }

/** Connections, request ids, durations and errors; never what was asked for. */
function debugObserver(): AgentObserver {
  let connections = 0
  return {
    opened: (peer) => {
      debugLine({ event: 'connected', connection: ++connections, peer: actorName(peer) })
      return connections
    },
    request: ({ durationMs, ...request }) =>
      debugLine({ event: 'request', ...request, ms: Math.round(durationMs * 1000) / 1000 }),
    closed: (connection) => debugLine({ event: 'disconnected', connection }),
  }
}

function debugLine(entry: object): void {
  const line = JSON.stringify({ time: new Date().toISOString(), pid: process.pid, ...entry })
  process.stderr.write(`${terminalSafe(line)}\n`)
}

/** In reverse, each of them, whatever happens to the others. */
async function closeAll(closers: (() => Promise<unknown>)[]): Promise<void> {
  for (const close of closers.splice(0).toReversed()) {
    try {
      await close()
    } catch (error) {
      say(`the browser did not end in order: ${messageOf(error)}`)
    }
  }
}
