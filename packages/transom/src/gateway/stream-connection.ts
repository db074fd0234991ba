import type { Duplex } from 'node:stream'
import { WebSocket, type RawData } from 'ws'
import type { Params } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import {
  CANCEL_METHOD,
  SUBSCRIPTION_METHOD,
  parseRequest,
  requestIdOf,
  rpcFailure,
  type ParsedRequest,
  type RequestId,
  type RpcMessage,
} from '@transom/protocol/jsonrpc'
import type { GatewayCalls } from './gateway-calls.ts'
import { Subscriber, type StreamMessage } from './subscriber.ts'
import type { Grant } from './token-store.ts'

const IN_FLIGHT_MAX = 128
const SUBSCRIPTIONS_MAX = 256 // a page with every session of a busy Home on it
/** Two of these without a sign of life, and the other side is taken for gone. */
const HEARTBEAT_MS = 20_000
/** Codes from 4000 on are an application's own; these end in the HTTP status that says the same. */
const CLOSE_UNAUTHORIZED = 4401
const CLOSE_UNSUPPORTED_DATA = 1003

export interface StreamParts {
  readonly webSocket: WebSocket
  /** The socket beneath, which tells when a slow reader has caught up. */
  readonly socket: Duplex
  readonly grant: Grant
  readonly calls: GatewayCalls
  /** Throws `rate_limited`. */
  readonly countRequest: (grant: Grant) => void
  /** False once the token has been revoked or replaced. */
  readonly isValid: (grant: Grant) => boolean
}

/** JSON-RPC 2.0 on a WebSocket, one message a frame: every operation, and subscriptions. */
export class StreamConnection {
  readonly #parts: StreamParts
  readonly #subscriber: Subscriber
  readonly #inFlight = new Map<RequestId, AbortController>()
  readonly #subscriptions = new Map<number, () => Promise<void>>()
  readonly #heartbeat: NodeJS.Timeout
  #lastSubscription = 0
  #alive = true

  constructor(parts: StreamParts) {
    this.#parts = parts
    this.#subscriber = new Subscriber(parts.calls)
    const { webSocket, socket } = parts
    webSocket.on('message', (data, isBinary) => this.#onMessage(data, isBinary))
    webSocket.on('pong', () => (this.#alive = true))
    webSocket.on('error', () => {}) // a frame that breaks the protocol, or a lost connection: the close follows
    webSocket.on('close', () => this.#leave())
    socket.on('drain', () => {
      this.#subscriber.resume()
      webSocket.resume()
    })
    this.#heartbeat = setInterval(() => this.#beat(), HEARTBEAT_MS)
  }

  /** To be called when tokens have changed. */
  checkToken(): boolean {
    const { webSocket, grant, isValid } = this.#parts
    if (isValid(grant)) return true
    webSocket.close(CLOSE_UNAUTHORIZED, 'the token has been revoked')
    return false
  }

  close(): void {
    this.#parts.webSocket.close(1001, 'the gateway is leaving')
    this.#parts.webSocket.terminate()
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    const { webSocket } = this.#parts
    if (isBinary) return webSocket.close(CLOSE_UNSUPPORTED_DATA, 'messages are text')
    if (!this.checkToken()) return
    let message: unknown
    try {
      message = JSON.parse((data as Buffer).toString()) // ws gives one buffer unless told otherwise
    } catch {
      this.#send(rpcFailure(null, new OpError('parse_error', 'this message is not JSON')))
      return
    }
    const request = parseRequest(message)
    if (request === null) {
      const error = new OpError('invalid_request', 'a request has jsonrpc "2.0", a method and an id')
      this.#send(rpcFailure(requestIdOf(message), error))
    } else if (request.method === CANCEL_METHOD) {
      this.#cancel(requestIdOf(request.params))
    } else if (request.id !== null) {
      void this.#serve(request.id, request)
    }
  }

  async #serve(id: RequestId, request: ParsedRequest): Promise<void> {
    const controller = new AbortController()
    try {
      this.#parts.countRequest(this.#parts.grant)
      if (this.#inFlight.has(id))
        throw new OpError('invalid_request', `a request with id ${id} is in flight already`)
      if (this.#inFlight.size >= IN_FLIGHT_MAX) {
        const message = `${IN_FLIGHT_MAX} requests are in flight on this connection; wait for an answer`
        throw new OpError('too_many_requests', message)
      }
    } catch (error) {
      this.#send(rpcFailure(id, error))
      return
    }
    this.#inFlight.set(id, controller)
    try {
      const result = await this.#carryOut(id, request, controller.signal)
      if (result !== undefined) this.#send({ jsonrpc: '2.0', id, result })
    } catch (error) {
      this.#send(rpcFailure(id, error))
    } finally {
      this.#inFlight.delete(id)
    }
  }

  /** The result; undefined when the answer has been sent already. */
  async #carryOut(id: RequestId, { method, params }: ParsedRequest, signal: AbortSignal): Promise<unknown> {
    const { grant, calls } = this.#parts
    if (method === 'session.subscribe') {
      const checked = await calls.authorize(grant, method, params ?? {}, signal)
      await this.#subscribe(id, checked as Params<'session.subscribe'>) // the host validates
      return undefined
    }
    if (method === 'session.unsubscribe') return { ended: await this.#unsubscribe(params) }
    return calls.call(grant, method, params ?? {}, signal)
  }

  async #subscribe(id: RequestId, params: Params<'session.subscribe'>): Promise<void> {
    if (this.#subscriptions.size >= SUBSCRIPTIONS_MAX)
      throw new OpError('too_many_requests', `${SUBSCRIPTIONS_MAX} subscriptions on one connection; end some`)
    const subscription = ++this.#lastSubscription
    // The answer with the number goes out before the first message, whenever that comes.
    let early: StreamMessage[] | null = []
    const stop = await this.#subscriber.subscribe(params, (message) => {
      if (early === null) this.#sendStream(subscription, message)
      else early.push(message)
    })
    this.#subscriptions.set(subscription, stop)
    this.#send({ jsonrpc: '2.0', id, result: { subscription } })
    const waiting: readonly StreamMessage[] = early
    early = null
    for (const message of waiting) this.#sendStream(subscription, message)
  }

  async #unsubscribe(params: unknown): Promise<boolean> {
    const subscription =
      typeof params === 'object' && params !== null && 'subscription' in params ? params.subscription : null
    if (typeof subscription !== 'number')
      throw new OpError('usage', 'session.unsubscribe: subscription: a number is needed')
    const stop = this.#subscriptions.get(subscription)
    this.#subscriptions.delete(subscription)
    await stop?.()
    return stop !== undefined
  }

  #sendStream(subscription: number, message: StreamMessage): void {
    if (message.type === 'end' || message.type === 'error') this.#subscriptions.delete(subscription)
    this.#send({ jsonrpc: '2.0', method: SUBSCRIPTION_METHOD, params: { subscription, ...message } })
  }

  #send(message: RpcMessage): void {
    const { webSocket, socket } = this.#parts
    if (webSocket.readyState !== WebSocket.OPEN) return
    webSocket.send(JSON.stringify(message))
    if (!socket.writableNeedDrain) return
    this.#subscriber.pause()
    webSocket.pause() // who does not read answers gets no more questions answered
  }

  #cancel(id: RequestId | null): void {
    if (id === null) return
    this.#inFlight.get(id)?.abort(new OpError('cancelled', 'cancelled by the caller', { id }))
  }

  #beat(): void {
    const { webSocket } = this.#parts
    if (!this.#alive) return webSocket.terminate()
    this.#alive = false
    webSocket.ping()
  }

  #leave(): void {
    clearInterval(this.#heartbeat)
    this.#subscriber.close()
    for (const controller of this.#inFlight.values())
      controller.abort(new OpError('cancelled', 'the caller left'))
  }
}
