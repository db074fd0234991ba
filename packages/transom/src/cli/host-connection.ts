import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { Client } from '@transom/client'
import { connectUnixSocket } from '@transom/client/unix-socket'
import { OpError, isErrorCode, type WireError } from '@transom/protocol/errors'
import { RESPONSE_BYTES_MAX } from '@transom/protocol/jsonrpc'

export interface HostFinder {
  /** Absolute. */
  readonly home: string
  /** The program of the host process. */
  readonly hostScript: string
  readonly env: NodeJS.ProcessEnv
}

/** Connects to the host of a Home; null when none is running. */
export async function connectToHost({ home }: HostFinder): Promise<Client | null> {
  const socket = announcedSocket(home)
  return socket === null ? null : await connect(socket)
}

/** Starts a host for a Home, or finds the one that somebody else has just started, and connects to it. */
export async function startHost(finder: HostFinder): Promise<Client> {
  const client = await connect(await spawnHost(finder))
  if (client !== null) return client
  const message = `the host of ${finder.home} started but does not answer; try again`
  throw new OpError('host_unavailable', message, { home: finder.home })
}

function announcedSocket(home: string): string | null {
  let content: string
  try {
    content = fs.readFileSync(path.join(home, 'host.lock'), 'utf8')
  } catch {
    return null // no Home yet, or one that this user cannot read: starting a host will tell
  }
  try {
    const { socket } = JSON.parse(content) as { socket?: unknown }
    return typeof socket === 'string' ? socket : null
  } catch {
    return null // empty: no host accepts connections
  }
}

async function connect(socket: string): Promise<Client | null> {
  const stat = fs.lstatSync(socket, { throwIfNoEntry: false })
  if (stat === undefined) return null
  if (!stat.isSocket() || stat.uid !== process.getuid?.()) {
    const message = `${socket} should be a socket of yours but is something else, perhaps planted there; remove it`
    throw new OpError('socket_untrusted', message, { socket })
  }
  try {
    return new Client(await connectUnixSocket(socket, { frameBytesMax: RESPONSE_BYTES_MAX }))
  } catch {
    return null // a dead host's socket
  }
}

/** Resolves with the socket of a host that is ready. */
async function spawnHost({ home, hostScript, env }: HostFinder): Promise<string> {
  const { spawn } = await import('node:child_process') // only the first command of a Home needs it
  const child = spawn(process.execPath, [hostScript, home], {
    detached: true, // it outlives this process and its terminal
    stdio: ['ignore', 'pipe', 'ignore'],
    cwd: '/', // it must not keep a folder from being unmounted
    env,
  })
  const line = await firstLine(child.stdout)
  child.stdout.destroy()
  const outcome = parseOutcome(line)
  if ('ready' in outcome) {
    child.unref()
    return outcome.ready.socket
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit') // a refusal leaves no process
  const { code, message, details } = outcome.error
  throw new OpError(isErrorCode(code) ? code : 'host_unavailable', message, details)
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  let text = ''
  for await (const chunk of stream) {
    text += String(chunk)
    if (text.includes('\n')) break
  }
  return text
}

type Outcome = { ready: { socket: string } } | { error: Omit<WireError, 'retryable'> }

function parseOutcome(line: string): Outcome {
  try {
    return JSON.parse(line) as Outcome // written by main/host.ts of this same version
  } catch {
    return { error: { code: 'host_unavailable', message: 'the host ended before it was ready', details: {} } }
  }
}
