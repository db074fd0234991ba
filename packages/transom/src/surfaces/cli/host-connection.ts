import * as fs from 'node:fs'
import * as path from 'node:path'
import { Client } from '@transom/client'
import { connectUnixSocket } from '@transom/client/unix-socket'
import { OpError } from '@transom/protocol/errors'
import { RESPONSE_BYTES_MAX } from '@transom/protocol/jsonrpc'
import { PROTOCOL_VERSION } from '@transom/protocol/version'
import { HOST_LOCK_FILE } from '../../home/home-path.ts'
import { checkHomeFolder } from '../../home/home-trust.ts'
import { launchHost, type LaunchOptions } from '../../home/host-launch.ts'

export interface HostFinder extends LaunchOptions {
  /** Prints each step, if the user asked for debug output. */
  readonly debug: (text: string) => void
}

/** Connects to the host of a Home; null if none is running. Refuses a Home that other users could have prepared. */
export async function connectToHost({
  home,
  debug,
}: Pick<HostFinder, 'home' | 'debug'>): Promise<Client | null> {
  checkHomeFolder(home) // before the file in it that announces a host is believed
  const socket = announcedSocket(home)
  debug(socket === null ? `no host is announced in ${home}` : `the host of ${home} is at ${socket}`)
  const client = socket === null ? null : await connect(socket)
  if (socket !== null) debug(client === null ? 'nobody listens there' : 'connected')
  return client
}

/** Connects to the host of a Home, starting one when none is running. */
export async function connectOrStartHost(finder: HostFinder): Promise<Client> {
  return (await connectToHost(finder)) ?? (await startHost(finder))
}

/** Starts a host for a Home, or finds one that another client has just started, and connects to it. */
export async function startHost(options: HostFinder): Promise<Client> {
  options.debug(`starting a host: ${options.hostScript}`)
  const { socket } = await launchHost(options)
  options.debug(`a host is ready at ${socket}`)
  const client = await connect(socket)
  if (client !== null) return client
  throw new OpError(
    'host_unavailable',
    `the host of ${options.home} started but does not answer; try again`,
    {
      home: options.home,
    },
  )
}

/** Connects to the host that runs a session which another one was asked about. */
export async function followSession(elsewhere: OpError): Promise<Client> {
  const { session, socket, protocol } = elsewhere.details
  if (protocol !== PROTOCOL_VERSION) {
    const message = `session ${String(session)} runs on a host that speaks protocol ${String(protocol)}, and this client speaks ${PROTOCOL_VERSION}; it goes on there until it ends: use the version of Transom that started it`
    throw new OpError('host_incompatible', message, { session, protocol })
  }
  const client = typeof socket === 'string' ? await connect(socket) : null
  if (client !== null) return client
  throw new OpError('host_unavailable', `the host of session ${String(session)} does not answer; try again`, {
    session,
  })
}

/** The protocols of other hosts that serve this Home at the moment: older ones with sessions that go on. */
export function otherProtocols(home: string): number[] {
  return fs.readdirSync(home).flatMap((name) => {
    const protocol = Number(/^host-v(\d+)\.lock$/.exec(name)?.[1] ?? PROTOCOL_VERSION)
    return protocol !== PROTOCOL_VERSION && isAlive(path.join(home, name)) ? [protocol] : []
  })
}

function isAlive(lockFile: string): boolean {
  try {
    const { pid } = JSON.parse(fs.readFileSync(lockFile, 'utf8')) as { pid: number }
    process.kill(pid, 0)
    return true
  } catch {
    return false // empty, or its host has ended
  }
}

function announcedSocket(home: string): string | null {
  let content: string
  try {
    content = fs.readFileSync(path.join(home, HOST_LOCK_FILE), 'utf8')
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
