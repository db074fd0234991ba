import * as fs from 'node:fs'
import * as net from 'node:net'
import { OpError } from '@transom/protocol/errors'
import { messageOf } from '../../lib/system-error.ts'
import { hostNames } from './origin-guard.ts'

export const LISTEN_DEFAULT = '127.0.0.1:7317'

export interface ListenRequest {
  /** HOST:PORT; port 0 lets the system choose. */
  readonly listen?: string
  /** The path of a Unix socket, instead. */
  readonly unix?: string
  readonly tls_cert?: string
  readonly tls_key?: string
  readonly insecure_without_tls?: boolean
}

export interface ListenAddress {
  readonly scheme: 'http' | 'https'
  readonly tls: { readonly cert: Buffer; readonly key: Buffer } | null
  readonly at: { readonly path: string } | { readonly host: string; readonly port: number }
}

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1']

/** Where to listen. Another machine can reach a gateway only through TLS, unless a flag allows it without. */
export function listenAddress(request: ListenRequest): ListenAddress {
  const tls = readTls(request)
  const scheme = tls === null ? 'http' : 'https'
  if (request.unix !== undefined) {
    if (request.listen !== undefined)
      throw new OpError('usage', 'give --listen or --unix, not both', { unix: request.unix })
    return { scheme, tls, at: { path: request.unix } }
  }
  const spelled = request.listen ?? LISTEN_DEFAULT
  const [, bracketed, name, digits = ''] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(spelled) ?? []
  const host = bracketed ?? name
  const port = Number(digits)
  if (host === undefined || port > 65535) {
    const message = `--listen takes HOST:PORT, as in ${LISTEN_DEFAULT} or [::1]:7317 (got ${JSON.stringify(spelled)})`
    throw new OpError('usage', message, { listen: spelled })
  }
  if (tls === null && !isLoopback(host) && !request.insecure_without_tls) {
    const message = `${host} can be reached from other machines, and without TLS whoever listens in between has the token; give --tls-cert and --tls-key, or --insecure-without-tls if that is what you want`
    throw new OpError('address_refused', message, { listen: spelled })
  }
  return { scheme, tls, at: { host, port } }
}

/** What the Host header of a request to this address may say. */
export function ownHosts(
  { scheme, at }: ListenAddress,
  port: number,
  allowed: readonly string[],
): Set<string> {
  // A Unix socket cannot be reached by DNS rebinding; clients send "localhost" or a configured name.
  if ('path' in at) return new Set(['localhost', ...allowed.map((name) => name.toLowerCase())])
  const names = isLoopback(at.host) ? LOOPBACK_NAMES : [at.host, ...LOOPBACK_NAMES]
  const own = hostNames(scheme, [...names, ...allowed.filter((name) => !hasPort(name))], port)
  for (const name of allowed) if (hasPort(name)) own.add(name.toLowerCase())
  return own
}

export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true
  const family = net.isIP(host)
  return (family === 4 && host.startsWith('127.')) || (family === 6 && /^(0*:)*:?0*1$/.test(host))
}

/** Removes the socket of a gateway that has ended, and nothing else. */
export async function claimUnixSocket(path: string): Promise<void> {
  const stat = fs.lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return
  const isServed = stat.isSocket() && (await answers(path))
  if (!stat.isSocket() || isServed) {
    const why = isServed ? 'a program listens there' : 'it is something else than a socket'
    throw new OpError('address_refused', `cannot listen at ${path}: ${why}; choose another path`, { path })
  }
  fs.unlinkSync(path)
}

async function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}

function hasPort(name: string): boolean {
  return /:\d+$/.test(name) && (!name.includes('::') || name.startsWith('['))
}

function readTls({ tls_cert, tls_key }: ListenRequest): ListenAddress['tls'] {
  if (tls_cert === undefined && tls_key === undefined) return null
  if (tls_cert === undefined || tls_key === undefined)
    throw new OpError('usage', '--tls-cert and --tls-key belong together; give both')
  return { cert: readFile(tls_cert), key: readFile(tls_key) }
}

function readFile(file: string): Buffer {
  try {
    return fs.readFileSync(file)
  } catch (error) {
    const message = `cannot read ${JSON.stringify(file)}: ${messageOf(error)}`
    throw new OpError('file_not_read', message, { file }, { cause: error })
  }
}
