import * as fs from 'node:fs'
import * as http from 'node:http'
import * as https from 'node:https'
import type { Socket } from 'node:net'
import * as path from 'node:path'
import { getRequestListener } from '@hono/node-server'
import { OpError } from '@transom/protocol/errors'
import { platform } from '../../platform/current-platform.ts'
import { messageOf } from '../../lib/system-error.ts'
import type { McpEndpoint } from '../mcp/mcp-endpoint.ts'
import { Admission } from './admission.ts'
import { Connections, type ConnectionLimits } from './connections.ts'
import { asksForWebSocket, declineUpgrade, refuseConnect, normalizeTarget } from './request-forms.ts'
import { CallMetrics } from '../host-calls/call-metrics.ts'
import { HostCalls } from '../host-calls/host-calls.ts'
import { gatewayMetrics } from './gateway-metrics.ts'
import type { HostConnector } from '../host-calls/host-pool.ts'
import { createHttpApp } from './http-app.ts'
import { claimUnixSocket, ownHosts, type ListenAddress } from './listen-address.ts'
import { LoginCodes } from './login-codes.ts'
import { operationOf, serveOperation } from './operation-route.ts'
import { StreamSlots, type StreamLimits } from './stream-slots.ts'
import { StreamUpgrades } from './stream-upgrades.ts'
import { TOKENS_FILE, type TokenStore } from './token-store.ts'
import { ViewerLogins } from './viewer-logins.ts'

export interface GatewayLimits extends ConnectionLimits, StreamLimits {
  /** Requests with one token; a program that waits for each answer stays far below. */
  readonly requestsPerSecond: number
  /** A header or a body that comes in drops: who needs longer is not a client. */
  readonly headersTimeoutMs: number
  readonly requestTimeoutMs: number
}

export const GATEWAY_LIMITS: GatewayLimits = {
  requestsPerSecond: 2000,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  connectionsMax: 768, // with a host connection for each stream this stays below the common limit of 1024 files
  connectionsPerTokenMax: 384, // the other half is for other tokens
  streamsMax: 256, // each has a connection to the host, which takes a few hundred without noticing
  streamsPerTokenMax: 64, // a stream carries 256 subscriptions: more are many clients, which deserve tokens of their own
}

const CHECK_TIMEOUTS_EVERY_MS = 1000
const HEADERS_BYTES_MAX = 16 << 10
const KEEP_ALIVE_MS = 15_000
const CHECK_LOGINS_EVERY_MS = 60_000

export interface GatewayOptions {
  readonly home: string
  readonly address: ListenAddress
  readonly allowHosts: readonly string[]
  readonly allowOrigins: readonly string[]
  readonly connector: HostConnector
  readonly tokens: TokenStore
  readonly limits: GatewayLimits
  readonly createMcp: (calls: HostCalls) => McpEndpoint
  /** Null if debug output is off. */
  readonly debug: ((line: string) => void) | null
}

interface Listener {
  readonly server: http.Server
  readonly port: number
  readonly connections: Connections
}

/** HTTP, WebSocket and MCP for the sessions of one Home. */
export class Gateway {
  readonly url: string
  readonly #server: http.Server
  readonly #calls: HostCalls
  readonly #slots: StreamSlots
  readonly #mcp: McpEndpoint
  readonly #watcher: fs.FSWatcher
  readonly #expiry: NodeJS.Timeout

  static async listen(options: GatewayOptions): Promise<Gateway> {
    const server = createServer(options.address, options.limits)
    const connections = new Connections(options.limits, (port) => platform().localPeerUids(port))
    server.on('connection', (socket: Socket) => connections.add(socket))
    const port = await startListening(server, options.address)
    return new Gateway({ server, port, connections }, options)
  }

  private constructor({ server, port, connections }: Listener, options: GatewayOptions) {
    const { address, tokens, limits, debug } = options
    this.#server = server
    this.url = urlOf(address, port)
    const hosts = ownHosts(address, port, options.allowHosts)
    const rules = { scheme: address.scheme, hosts, allowedOrigins: new Set(options.allowOrigins) }
    const admission = new Admission({
      rules,
      tokens,
      codes: new LoginCodes(options.home),
      logins: new ViewerLogins(),
      connections,
      port,
      requestsPerSecond: limits.requestsPerSecond,
    })
    const callMetrics = new CallMetrics()
    const calls = new HostCalls(options.connector, callMetrics)
    const slots = new StreamSlots(limits)
    this.#calls = calls
    this.#slots = slots
    this.#mcp = options.createMcp(calls)
    const app = createHttpApp({
      calls,
      admission,
      slots,
      debug,
      metrics: (signal) => gatewayMetrics({ calls, callMetrics, slots, signal }),
      mcp: this.#mcp,
    })
    const listener = getRequestListener(app.fetch)
    server.on('request', (request, response) => {
      normalizeTarget(request)
      const operation = operationOf(request)
      if (operation === null) void listener(request, response)
      else void serveOperation({ calls, admission, debug }, operation, request, response)
    })
    const upgrades = new StreamUpgrades({ admission, calls, slots, debug })
    server.on('upgrade', (request, socket, head) => {
      normalizeTarget(request)
      if (asksForWebSocket(request)) upgrades.accept(request, socket, head)
      else declineUpgrade(server, { request, socket, head })
    })
    server.on('connect', (_request, socket) => refuseConnect(socket, rules))
    // Each request checks its token; a silent stream would not notice that its token was revoked.
    const closeInvalid = () => slots.closeInvalid((grant) => admission.isValid(grant))
    this.#watcher = fs.watch(options.home, (_event, file) => {
      if (file === TOKENS_FILE) closeInvalid()
    })
    this.#expiry = setInterval(closeInvalid, CHECK_LOGINS_EVERY_MS).unref()
  }

  async close(): Promise<void> {
    this.#watcher.close()
    clearInterval(this.#expiry)
    this.#slots.closeAll()
    await this.#mcp.close()
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
    this.#calls.close()
  }
}

function createServer(address: ListenAddress, limits: GatewayLimits): http.Server {
  const options: http.ServerOptions = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(CHECK_TIMEOUTS_EVERY_MS, limits.headersTimeoutMs),
    keepAliveTimeout: KEEP_ALIVE_MS,
    maxHeaderSize: HEADERS_BYTES_MAX,
  }
  return address.tls === null
    ? http.createServer(options)
    : https.createServer({ ...options, ...address.tls })
}

/** Returns the port; 0 for a Unix socket. */
async function startListening(server: http.Server, { at }: ListenAddress): Promise<number> {
  if ('path' in at) await claimUnixSocket(at.path)
  const umask = process.umask(0o177) // a Unix socket is this user's alone from its first moment on
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(at, resolve)
    })
  } catch (error) {
    const where = 'path' in at ? path.resolve(at.path) : `${at.host}:${at.port}`
    const message = `cannot listen at ${where}: ${messageOf(error)}; choose another with --listen`
    throw new OpError('address_refused', message, { address: where }, { cause: error })
  } finally {
    process.umask(umask)
  }
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

function urlOf({ scheme, at }: ListenAddress, port: number): string {
  if ('path' in at) return `unix:${at.path}`
  return `${scheme}://${at.host.includes(':') ? `[${at.host}]` : at.host}:${port}`
}
