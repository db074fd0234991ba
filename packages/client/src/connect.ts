import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { OpError } from '@transom/protocol/errors'
import { RESPONSE_BYTES_MAX } from '@transom/protocol/jsonrpc'
import { PROTOCOL_VERSION } from '@transom/protocol/version'
import { HttpTransport, type HttpOptions } from './http-transport.ts'
import { Transom } from './transom.ts'
import { connectUnixSocket } from './unix-socket.ts'

export interface HomeOptions {
  /** The Home; TRANSOM_HOME, AGENT_TTY_HOME or ~/.transom when left out. */
  readonly home?: string
  /** The program that starts a host when none is running; `transom` when left out. */
  readonly program?: string
}

/** Connects to a gateway when there is a `url`, else to the host of a Home on this machine. */
export async function connect(options: HttpOptions | HomeOptions = {}): Promise<Transom> {
  if ('url' in options) return new Transom(new HttpTransport(options))
  const { env } = process
  const home =
    options.home ?? env['TRANSOM_HOME'] ?? env['AGENT_TTY_HOME'] ?? path.join(os.homedir(), '.transom')
  const transport = (await tryConnect(home)) ?? (await startAndConnect(home, options.program ?? 'transom'))
  return new Transom(transport)
}

async function startAndConnect(home: string, program: string) {
  // Unlike what looks for sessions, this makes a Home and starts its host.
  const child = spawn(program, ['home', 'list'], {
    env: { ...process.env, TRANSOM_HOME: home },
    stdio: 'ignore',
  })
  const started = await once(child, 'close').catch(() => null) // there is no such program
  const transport = started === null ? null : await tryConnect(home)
  if (transport !== null) return transport
  throw new OpError('host_unavailable', `no host serves ${home}, and "${program} home list" started none`, {
    home,
    program,
  })
}

async function tryConnect(home: string) {
  try {
    const file = path.join(home, `host-v${PROTOCOL_VERSION}.lock`)
    const { socket } = JSON.parse(fs.readFileSync(file, 'utf8')) as { socket: string }
    return await connectUnixSocket(socket, { frameBytesMax: RESPONSE_BYTES_MAX })
  } catch {
    return null // no host has announced itself, or it has ended
  }
}
