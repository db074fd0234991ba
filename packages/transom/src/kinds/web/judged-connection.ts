import * as net from 'node:net'
import { spellOperation } from '@transom/protocol/errors'
import type { HostName } from './host-pattern.ts'
import { parseAddress } from './ip-ranges.ts'
import type { ResolveName } from './name-resolver.ts'
import { isLocalhost, type Refusal, type UrlPolicy } from './url-policy.ts'
import { messageOf } from '../../lib/system-error.ts'

const CONNECT_TIMEOUT_MS = 20_000 // over all addresses of a name; browsers give up at about this time, too

/** Why there is no connection. */
export class ConnectionProblem extends Error {
  readonly kind: 'refused' | 'no_such_name' | 'unreachable' | 'timed_out'
  readonly refusal: Refusal | null

  constructor(kind: ConnectionProblem['kind'], message: string, refusal: Refusal | null = null) {
    super(message)
    this.name = 'ConnectionProblem'
    this.kind = kind
    this.refusal = refusal
  }
}

export interface Connector {
  readonly policy: UrlPolicy
  readonly resolve: ResolveName
  /** Our own listener: reaching it through itself would have no end. */
  readonly ownPort: number
}

/**
 * Connects to a host. The name is resolved here, once; each address is judged, and the connection goes to one that
 * was: a name that resolves to something else a moment later (rebinding) is not asked again.
 */
export async function connectJudged(connector: Connector, host: HostName): Promise<net.Socket> {
  const addresses = await judgedAddresses(connector, host)
  const socket = net.connect({
    host: host.name,
    port: host.port,
    allowHalfOpen: true,
    autoSelectFamily: true,
    lookup: (_name, _options, answer) =>
      answer(
        null,
        addresses.map((address) => ({ address, family: net.isIP(address) })),
      ),
  })
  await connected(socket, host)
  // The last word: where the connection has really gone.
  if (!addresses.includes(socket.remoteAddress ?? '') && refusedPeer(connector, host, socket)) {
    socket.destroy()
    throw new ConnectionProblem('unreachable', `${host.name} was reached at an address that was not judged`)
  }
  return socket
}

async function judgedAddresses({ policy, resolve, ownPort }: Connector, host: HostName): Promise<string[]> {
  const byName = policy.refuseHost(host)
  if (byName !== null) throw refused(byName)
  const all = await addressesOf(resolve, host)
  if (all.length === 0) throw new ConnectionProblem('no_such_name', `the name ${host.name} has no address`)
  const refusals = all.map((address) =>
    host.port === ownPort && isThisMachine(address) ? OWN_PROXY : policy.refuseAddress(host, address),
  )
  const judged = all.filter((_address, index) => refusals[index] === null)
  const refusal = refusals.find((found) => found !== null)
  if (judged.length === 0 && refusal !== null && refusal !== undefined) throw refused(refusal)
  return judged
}

async function addressesOf(resolve: ResolveName, { name }: HostName): Promise<readonly string[]> {
  if (net.isIP(name) !== 0) return [name]
  if (isLocalhost(name)) return ['127.0.0.1', '::1']
  try {
    return await resolve(name)
  } catch (error) {
    const message = `the name ${name} could not be resolved: ${messageOf(error)}`
    throw new ConnectionProblem('unreachable', message)
  }
}

async function connected(socket: net.Socket, host: HostName): Promise<void> {
  const timeout = AbortSignal.timeout(CONNECT_TIMEOUT_MS)
  const target = `${host.name} port ${host.port}`
  await new Promise<void>((resolve, reject) => {
    const late = new ConnectionProblem('timed_out', `${target} did not answer in ${CONNECT_TIMEOUT_MS} ms`)
    const giveUp = () => socket.destroy(late)
    timeout.addEventListener('abort', giveUp, { once: true })
    const settle = (end: () => void) => {
      timeout.removeEventListener('abort', giveUp)
      end()
    }
    socket.once('connect', () => settle(resolve))
    socket.once('error', (error) =>
      settle(() =>
        reject(
          error instanceof ConnectionProblem
            ? error
            : new ConnectionProblem('unreachable', `${target} could not be reached: ${messageOf(error)}`),
        ),
      ),
    )
  })
}

const OWN_PROXY: Refusal = {
  rule: 'own_proxy',
  reason: 'this is the proxy that the browser uses',
  remedy: null,
}

function refused(refusal: Refusal): ConnectionProblem {
  const words = refusal.next === undefined ? refusal.remedy : spellOperation(refusal.next)
  const remedy = words === null ? '' : `; ${words}`
  return new ConnectionProblem('refused', `${refusal.reason}${remedy}`, refusal)
}

function refusedPeer({ policy }: Connector, host: HostName, { remoteAddress = '' }: net.Socket): boolean {
  return policy.refuseAddress(host, remoteAddress) !== null
}

function isThisMachine(address: string): boolean {
  const bytes = parseAddress(address)
  if (bytes === null) return false
  const last = bytes.subarray(-4)
  return last[0] === 127 || last[0] === 0 // 127/8, 0.0.0.0, ::, ::1 and what maps to them
}
