import { randomBytes, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import * as http from 'node:http'
import * as net from 'node:net'
import { OpError } from '@transom/protocol/errors'
import { Scope } from '../../lib/scope.ts'
import { hostOf, parseAuthority, readUrl, type HostName } from './host-pattern.ts'
import { ConnectionProblem, connectJudged } from './judged-connection.ts'
import { platform } from '../../platform/current-platform.ts'
import type { Platform } from '../../platform/platform.ts'
import { systemResolver, type ResolveName } from './name-resolver.ts'
import { forwardRequest, problemPage } from './proxy-forwarding.ts'
import { refusalError, type UrlPolicy } from './url-policy.ts'

/** Chromium opens at most 32 connections to a proxy for pages and 255 for WebSockets. */
const CONNECTIONS_MAX = 320
const HEAD_BYTES_MAX = 64 << 10 // cookies and long URLs; Chromium's own answer limit is 256 KiB
const HEAD_TIMEOUT_MS = 30_000
/** Nothing in either direction for this long: most servers ping an idle WebSocket within a minute. */
const IDLE_TIMEOUT_MS = 15 * 60_000
const PROBLEMS_KEPT_MAX = 64

export interface FilteringProxyOptions {
  readonly policy: UrlPolicy
  /** Where names come from; the machine's own resolver when left out. */
  readonly resolve?: ResolveName
  /** Returns the uid that owns a connection, or null if it cannot be known; then a password is required. */
  readonly readPeerUid?: Platform['loopbackPeerUid']
  /** Owns what is done for a connection; left out, an error in it ends the process. */
  readonly scope?: Scope | undefined
  /** Called for each connection that was refused or failed. */
  onProblem?(problem: ProxyProblem): void
}

export interface ProxyProblem {
  readonly host: HostName
  readonly kind: ConnectionProblem['kind']
  readonly message: string
  readonly rule: string | null
}

/**
 * The only way from a browser to the network: an HTTP proxy on loopback that resolves each name itself, judges the
 * address, and connects to that address. Whatever a page makes the browser ask for comes through here, one connection
 * at a time: redirects, frames, fetches, WebSockets, workers. It serves this user's processes alone.
 */
export class FilteringProxy {
  /** `127.0.0.1:port`, for `--proxy-server`. */
  readonly address: string
  /** What a browser answers with when it is asked who it is, which happens only where the kernel does not tell us. */
  readonly credentials: { readonly username: string; readonly password: string }
  readonly #options: FilteringProxyOptions
  readonly #resolve: ResolveName
  readonly #listener: net.Server
  readonly #http: http.Server
  readonly #port: number
  readonly #sockets = new Set<net.Socket>()
  readonly #known = new WeakSet<net.Socket>()
  readonly #problems = new Map<string, ConnectionProblem>()
  #isClosed = false

  static async open(options: FilteringProxyOptions): Promise<FilteringProxy> {
    // Half open: a client that has sent everything may still wait for the answer. Paused until the peer is known.
    const listener = net.createServer({ allowHalfOpen: true, pauseOnConnect: true })
    listener.maxConnections = CONNECTIONS_MAX
    listener.listen({ host: '127.0.0.1', port: 0, exclusive: true })
    await once(listener, 'listening')
    return new FilteringProxy(options, listener)
  }

  private constructor(options: FilteringProxyOptions, listener: net.Server) {
    this.#options = options
    this.#resolve = options.resolve ?? systemResolver()
    this.#listener = listener
    this.#port = (listener.address() as net.AddressInfo).port // a TCP listener's address is never a path
    this.address = `127.0.0.1:${this.#port}`
    this.credentials = { username: 'transom', password: randomBytes(24).toString('base64url') }
    this.#http = http.createServer({
      maxHeaderSize: HEAD_BYTES_MAX,
      headersTimeout: HEAD_TIMEOUT_MS,
      requestTimeout: 0,
    })
    const scope = options.scope ?? Scope.ofProcess()
    // Not tasks that the scope waits for: a name server that does not answer must not hold up the end of a session.
    // A connection that is made after the close is destroyed at once.
    const failed = scope.guard((error: unknown) => {
      throw error
    })
    this.#http.on('request', (request, response) => void this.#onRequest(request, response).catch(failed))
    this.#http.on(
      'connect',
      (request, socket: net.Socket, head) => void this.#onConnect(request, socket, head).catch(failed),
    )
    this.#http.on('clientError', (_error, socket) => socket.destroy())
    listener.on('connection', (socket) => void this.#onConnection(socket).catch(failed))
  }

  /** Why the last connection to this URL's host failed, for the caller that asked for the page; null if it did not. */
  problemAt(url: string): OpError | null {
    const parsed = readUrl(url)
    const problem = parsed === null ? undefined : this.#problems.get(keyOf(hostOf(parsed)))
    if (problem === undefined) return null
    if (problem.refusal !== null) return refusalError(url, problem.refusal)
    return new OpError('io_error', `${url} could not be loaded: ${problem.message}`, {
      url,
      problem: problem.kind,
    })
  }

  /** Ends every connection and the listener. */
  async close(): Promise<void> {
    const closed = this.#listener.listening ? once(this.#listener, 'close') : null
    this.#isClosed = true
    this.#listener.close()
    this.#http.closeAllConnections()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #onConnection(socket: net.Socket): Promise<void> {
    this.#hold(socket)
    const peerPort = socket.remotePort
    if (peerPort === undefined) return // gone already
    const connection = { peerPort, ownPort: this.#port }
    const uid = await (this.#options.readPeerUid?.(connection) ?? platform().loopbackPeerUid(connection))
    if (uid !== null && uid !== process.getuid?.()) {
      socket.destroy() // another user of this machine: not even an answer
      return
    }
    if (uid !== null) this.#known.add(socket)
    this.#http.emit('connection', socket)
    socket.resume()
  }

  async #onRequest(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    response.on('error', () => {}) // the browser has gone; its socket's close ends the rest
    const url = readUrl(request.url ?? '')
    if (!this.#isTrusted(request)) return askWho(response)
    if (url === null || url.protocol !== 'http:')
      return problemPage(response, 400, 'this is a proxy, and takes http: URLs')
    const host = hostOf(url)
    try {
      const upstream = await this.#reach(host)
      forwardRequest({ url, request, response, upstream: this.#hold(upstream) })
    } catch (error) {
      const problem = problemOf(error)
      problemPage(response, STATUS[problem.kind], `${url.href} was not loaded: ${problem.message}`)
    }
  }

  async #onConnect(request: http.IncomingMessage, socket: net.Socket, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy())
    const host = parseAuthority(request.url ?? '', 443)
    if (!this.#isTrusted(request)) return endWith(socket, `407 ${http.STATUS_CODES[407]}`, [ASK])
    if (host === null) return endWith(socket, `400 ${http.STATUS_CODES[400]}`)
    try {
      const upstream = this.#hold(await this.#reach(host))
      if (socket.destroyed) return void upstream.destroy()
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      upstream.write(head)
      joinSockets(socket, upstream)
    } catch (error) {
      const status = STATUS[problemOf(error).kind]
      endWith(socket, `${status} ${http.STATUS_CODES[status]}`)
    }
  }

  async #reach(host: HostName): Promise<net.Socket> {
    const { policy } = this.#options
    try {
      const socket = await connectJudged({ policy, resolve: this.#resolve, ownPort: this.#port }, host)
      this.#problems.delete(keyOf(host))
      return socket
    } catch (error) {
      const problem = problemOf(error)
      this.#problems.delete(keyOf(host)) // so that the map's oldest entry is the one longest not seen
      this.#problems.set(keyOf(host), problem)
      for (const key of this.#problems.keys())
        if (this.#problems.size > PROBLEMS_KEPT_MAX) this.#problems.delete(key)
      this.#options.onProblem?.({
        host,
        kind: problem.kind,
        message: problem.message,
        rule: problem.refusal?.rule ?? null,
      })
      throw problem
    }
  }

  /** Whether the peer is known to be this user's process, or sends the password. */
  #isTrusted(request: http.IncomingMessage): boolean {
    if (this.#known.has(request.socket)) return true
    const { username, password } = this.credentials
    const wanted = Buffer.from(`Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`)
    const given = Buffer.from(request.headers['proxy-authorization'] ?? '')
    return given.length === wanted.length && timingSafeEqual(given, wanted)
  }

  /** Remembers a socket until it closes, and ends it when nothing moves on it. */
  #hold(socket: net.Socket): net.Socket {
    if (this.#isClosed) socket.destroy() // it was being made while we closed
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.setTimeout(IDLE_TIMEOUT_MS, () => socket.destroy())
    return socket
  }
}

const STATUS = { refused: 403, no_such_name: 502, unreachable: 502, timed_out: 504 } as const
const ASK = 'Proxy-Authenticate: Basic realm="Transom"'

function askWho(response: http.ServerResponse): void {
  response.setHeader('Proxy-Authenticate', 'Basic realm="Transom"')
  problemPage(response, 407, 'this proxy serves one browser')
}

function endWith(socket: net.Socket, status: string, headers: readonly string[] = []): void {
  socket.end(
    [`HTTP/1.1 ${status}`, ...headers, 'Content-Length: 0', 'Connection: close', '', ''].join('\r\n'),
  )
}

/** What one side sends the other gets; the end of either is the end of both. */
function joinSockets(left: net.Socket, right: net.Socket): void {
  left.pipe(right)
  right.pipe(left)
  left.once('close', () => right.destroy())
  right.once('close', () => left.destroy())
}

function problemOf(error: unknown): ConnectionProblem {
  if (error instanceof ConnectionProblem) return error
  throw error // a bug
}

function keyOf({ name, port }: HostName): string {
  return `${name}:${port}`
}
