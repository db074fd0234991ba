import dgram from 'node:dgram'
import dns from 'node:dns'
import net from 'node:net'
import { fromWireError } from '../contract/aotui-error.ts'
import type { FromApp, ProcessPolicy, ToApp } from '../contract/app-message.ts'
import { isPathInside, judgeConnection, splitHostPort } from '../manifest/permission.ts'
import type { DeniedError, Deny } from './denial.ts'

type Method = (this: unknown, ...args: unknown[]) => unknown
type Answer = ToApp & { type: 'net' }

/**
 * Network by host, for code that plays by the rules: every socket of Node's own modules goes through here, `fetch`
 * and `https` included. In the strict tier the process has no network at all, and a connection is a socket file that
 * the desktop's broker opened after it checked the host itself.
 */
export function guardNetwork(
  policy: ProcessPolicy,
  deny: Deny,
  send: (message: FromApp) => void,
): { onNetAnswer(answer: Answer): void } {
  const waiting = new Map<number, (answer: Answer) => void>()
  let nextSeq = 1
  const askBroker = (host: string, port: number, then: (answer: Answer) => void) => {
    const seq = nextSeq++
    waiting.set(seq, then)
    send({ type: 'net', seq, host, port })
  }
  guardConnect(policy, deny, policy.tier === 'strict' ? askBroker : undefined)
  refuseMethods(net.Server.prototype, ['listen'], () => deny('net:listen'))
  refuseMethods(dgram.Socket.prototype, ['bind', 'send', 'connect', 'addMembership'], () => deny('net:udp'))
  guardDns(policy, deny)
  return {
    onNetAnswer: (answer) => {
      waiting.get(answer.seq)?.(answer)
      waiting.delete(answer.seq)
    },
  }
}

type AskBroker = (host: string, port: number, then: (answer: Answer) => void) => void

function guardConnect(policy: ProcessPolicy, deny: Deny, askBroker: AskBroker | undefined): void {
  const { connect } = net.Socket.prototype as unknown as { connect: Method }
  const guarded: Method = function guardedConnect(...args) {
    const socket = this as net.Socket
    const { host, port, path, callback } = readTarget(args)
    if (path !== undefined) {
      if (isPathInside(path, policy.write)) return connect.apply(socket, args)
      return fail(socket, deny(`fs:write:${path}`))
    }
    const verdict = judgeConnection(policy.net, host, port)
    if ('missing' in verdict) return fail(socket, deny(verdict.missing))
    if (askBroker === undefined) return connect.apply(socket, args)
    askBroker(host, port, (answer) => {
      if (answer.path !== undefined) connect.call(socket, { path: answer.path }, callback)
      else fail(socket, brokerError(answer, deny))
    })
    return socket
  }
  net.Socket.prototype.connect = guarded as typeof net.Socket.prototype.connect
}

function brokerError(answer: Answer, deny: Deny): Error {
  if (answer.error === undefined) return new Error('the broker gave no answer')
  const error = fromWireError(answer.error)
  const { permission } = error.data
  return typeof permission === 'string' ? deny(permission, error) : error
}

/** Asynchronously, as every failed connection: the caller has not attached its `error` listener yet. */
function fail(socket: net.Socket, error: Error): net.Socket {
  process.nextTick(() => socket.destroy(error))
  return socket
}

/** The forms of `connect`: (options, cb), (port, host, cb), (path, cb), and the array that Node passes itself. */
function readTarget(args: readonly unknown[]): {
  host: string
  port: number
  path?: string
  callback?: unknown
} {
  const flat = Array.isArray(args[0]) ? (args[0] as unknown[]) : args
  const callback = flat.find((arg) => typeof arg === 'function')
  const [first, second] = flat
  if (typeof first === 'object' && first !== null) {
    const options = first as { host?: unknown; port?: unknown; path?: unknown }
    const host = typeof options.host === 'string' ? options.host : 'localhost'
    // https passes the request's path too; only without a port is it a socket file.
    if (typeof options.path === 'string' && options.port === undefined)
      return { host, port: 0, path: options.path, callback }
    return { host, port: Number(options.port), callback }
  }
  if (typeof first === 'string' && Number.isNaN(Number(first)))
    return { host: '', port: 0, path: first, callback }
  return { host: typeof second === 'string' ? second : 'localhost', port: Number(first), callback }
}

const DNS_METHODS = /^(lookup|lookupService|resolve\w*|reverse)$/

/** A name that may not be connected to may not be asked for either: a question carries data out as well. */
function guardDns(policy: ProcessPolicy, deny: Deny): void {
  const hosts = policy.net.map((text) => splitHostPort(text.split(':').slice(2).join(':')).host)
  const known = (name: string) =>
    hosts.some(
      (host) => host === '*' || host === name || (host.startsWith('*.') && name.endsWith(host.slice(1))),
    )
  for (const target of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
    const methods = target as unknown as Record<string, unknown>
    for (const name of Object.getOwnPropertyNames(methods)) {
      const original = methods[name]
      if (!DNS_METHODS.test(name) || typeof original !== 'function') continue
      methods[name] = function guardedDns(this: unknown, ...args: unknown[]) {
        const host = typeof args[0] === 'string' ? args[0].toLowerCase() : ''
        if (net.isIP(host) !== 0 || host === '' || known(host)) return (original as Method).apply(this, args)
        const error = deny(`net:http:${host}`)
        const callback = args.at(-1)
        if (typeof callback !== 'function') return Promise.reject(error)
        process.nextTick(callback, error)
        return undefined
      }
    }
  }
}

function refuseMethods(prototype: object, names: readonly string[], makeError: () => DeniedError): void {
  for (const name of names) {
    Object.defineProperty(prototype, name, {
      configurable: true,
      writable: true,
      value: () => {
        throw makeError()
      },
    })
  }
}
