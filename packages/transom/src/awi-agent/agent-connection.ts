import type * as net from 'node:net'
import { LineSplitter } from '@transom/client'
import { AGENT_METHODS, type AgentMethod } from '@transom/protocol'
import { OpError, toWireError } from '@transom/protocol/errors'
import { rpcFailure, type RequestId, type RpcMessage } from '@transom/protocol/jsonrpc'

const REQUEST_BYTES_MAX = 8 << 20 // a long text to paste; no request needs more
const IN_FLIGHT_MAX = 64
/** Snapshots that one connection may take: this many at once, and as many each second. */
const SNAPSHOTS_PER_SECOND = 200
/** What may wait in a client's socket before the next request is read. */
const UNREAD_BYTES_MAX = 4 << 20
/** The method of the notifications that `subscribe_events` starts. */
export const EVENT_METHOD = 'event'

export interface AgentCall {
  readonly method: AgentMethod
  /** Checked against the method's schema. */
  readonly params: unknown
  readonly signal: AbortSignal
  /** Sends an event to this client until it is gone. */
  readonly notify: (event: object) => void
}

/** What the methods do. */
export interface AgentService {
  call(call: AgentCall): Promise<object>
}

/** Whom a connection tells of itself, for `--debug`. */
export interface AgentObserver {
  opened(): number
  request(request: {
    connection: number
    id: RequestId | null
    method: string
    durationMs: number
    error: string | null
  }): void
  closed(connection: number): void
}

/** JSON-RPC 2.0 for one client of an agent socket, one message a line. */
export class AgentConnection {
  readonly #socket: net.Socket
  readonly #service: AgentService
  readonly #observer: AgentObserver
  readonly #number: number
  readonly #gone = new AbortController()
  #inFlight = 0
  #ended = false
  #subscribed = false
  #snapshotsLeft = SNAPSHOTS_PER_SECOND
  #countedMs = performance.now()

  constructor(socket: net.Socket, service: AgentService, observer: AgentObserver) {
    this.#socket = socket
    this.#service = service
    this.#observer = observer
    this.#number = observer.opened()
    const decoder = new TextDecoder('utf-8', { fatal: true })
    const splitter = new LineSplitter(
      REQUEST_BYTES_MAX,
      (line) => this.#onLine((bytes) => decoder.decode(bytes), line),
      () => this.#fail(null, new OpError('frame_too_large', 'this line is longer than the browser takes')),
    )
    socket.on('data', (chunk: Buffer) => splitter.push(chunk))
    socket.on('drain', () => socket.resume())
    socket.once('end', () => {
      splitter.push(Buffer.from('\n')) // a last line without its line break is one, too
      this.#ended = true
      this.#endWhenDone()
    })
    socket.once('close', () => {
      this.#gone.abort(new OpError('cancelled', 'the caller left'))
      observer.closed(this.#number)
    })
  }

  #onLine(decode: (line: Uint8Array) => string, line: Uint8Array): void {
    let message: unknown
    try {
      message = JSON.parse(decode(line))
    } catch {
      this.#fail(null, new OpError('parse_error', 'this line is not JSON in UTF-8'))
      return
    }
    const batch = Array.isArray(message) && message.length > 0 ? (message as unknown[]) : [message]
    for (const part of batch) void this.#serve(part)
  }

  async #serve(message: unknown): Promise<void> {
    const request = parseRequest(message)
    if (request === null) {
      const error = new OpError('invalid_request', 'a request has jsonrpc "2.0", a method and an id')
      this.#fail(idOf(message), error)
      return
    }
    const { id, method } = request
    const startMs = performance.now()
    let failure: string | null = null
    this.#inFlight++
    try {
      const result = await this.#call(method, request.params)
      if (id !== null) this.#send({ jsonrpc: '2.0', id, result })
    } catch (error) {
      failure = toWireError(error).code
      if (id !== null) this.#fail(id, error)
    } finally {
      this.#inFlight--
      const durationMs = performance.now() - startMs
      this.#observer.request({ connection: this.#number, id, method, durationMs, error: failure })
      this.#endWhenDone()
    }
  }

  async #call(method: string, params: unknown): Promise<object> {
    if (!isAgentMethod(method)) {
      const message = `no method is named ${JSON.stringify(method.slice(0, 100))}; get_capabilities lists those that there are`
      throw new OpError('unknown_operation', message, { method: method.slice(0, 100) })
    }
    if (this.#inFlight > IN_FLIGHT_MAX) {
      throw new OpError('too_many_requests', `${IN_FLIGHT_MAX} requests are in flight; wait for an answer`)
    }
    if (method === 'snapshot') this.#countSnapshot()
    const checked = AGENT_METHODS[method].safeParse(params ?? {})
    if (!checked.success) {
      const problems = checked.error.issues.map(
        ({ path, message }) => `${path.join('.') || 'params'}: ${message}`,
      )
      throw new OpError('usage', `${method}: ${problems.join('; ')}`, { method, problems })
    }
    if (method === 'subscribe_events') this.#subscribed = true
    return this.#service.call({
      method,
      params: checked.data,
      signal: this.#gone.signal,
      notify: (event) => this.#notify(event),
    })
  }

  /** A bucket that refills: a client that polls without a pause takes the browser's time from the others. */
  #countSnapshot(): void {
    const now = performance.now()
    const refill = ((now - this.#countedMs) / 1000) * SNAPSHOTS_PER_SECOND
    this.#snapshotsLeft = Math.min(SNAPSHOTS_PER_SECOND, this.#snapshotsLeft + refill)
    this.#countedMs = now
    if (this.#snapshotsLeft < 1) {
      const message = `more than ${SNAPSHOTS_PER_SECOND} snapshots a second on one connection; wait_for and subscribe_events tell of changes`
      throw new OpError('rate_limited', message, { per_second: SNAPSHOTS_PER_SECOND })
    }
    this.#snapshotsLeft--
  }

  #fail(id: RequestId | null, error: unknown): void {
    this.#send(rpcFailure(id, error))
  }

  #send(message: RpcMessage): void {
    if (this.#socket.destroyed || this.#socket.writableEnded) return
    this.#socket.write(`${JSON.stringify(message)}\n`)
    if (this.#socket.writableLength > UNREAD_BYTES_MAX) this.#socket.pause() // it does not read its answers
  }

  /** A client that does not read its events misses some; it never slows the page. */
  #notify(event: object): void {
    if (this.#socket.writableLength > UNREAD_BYTES_MAX) return
    this.#send({ jsonrpc: '2.0', method: EVENT_METHOD, params: event })
  }

  #endWhenDone(): void {
    if (this.#ended && this.#inFlight === 0 && !this.#subscribed) this.#socket.end()
  }
}

export function isAgentMethod(method: string): method is AgentMethod {
  return Object.hasOwn(AGENT_METHODS, method)
}

interface Request {
  readonly id: RequestId | null
  readonly method: string
  readonly params: unknown
}

function parseRequest(message: unknown): Request | null {
  if (typeof message !== 'object' || message === null) return null
  if (!('jsonrpc' in message) || message.jsonrpc !== '2.0') return null
  if (!('method' in message) || typeof message.method !== 'string') return null
  const id = idOf(message)
  if ('id' in message && id === null) return null
  return { id, method: message.method, params: 'params' in message ? message.params : undefined }
}

function idOf(message: unknown): RequestId | null {
  if (typeof message !== 'object' || message === null || !('id' in message)) return null
  return typeof message.id === 'string' || typeof message.id === 'number' ? message.id : null
}
