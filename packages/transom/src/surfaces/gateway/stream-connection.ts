import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import { RpcPeer, type RpcService, type ServedRequest } from '@transom/client'
import type { Params } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { SUBSCRIPTION_METHOD } from '@transom/protocol/jsonrpc'
import type { HostCalls } from '../host-calls/host-calls.ts'
import { Subscriber, type StreamMessage } from '../host-calls/subscriber.ts'
import type { Grant } from './token-store.ts'
import { WebSocketTransport } from './web-socket-transport.ts'

const SUBSCRIPTIONS_MAX = 256 // a page with every session of a busy Home on it
/** Messages kept back until the answer is out; a batch may delay that for as long as its slowest request takes. */
const EARLY_MESSAGES_MAX = 64
/** Codes from 4000 on are an application's own; these end in the HTTP status that says the same. */
const CLOSE_UNAUTHORIZED = 4401

export interface StreamParts {
  readonly webSocket: WebSocket
  /** The socket beneath, which reports when a slow reader has caught up. */
  readonly socket: Duplex
  readonly grant: Grant
  readonly calls: HostCalls
  /** Throws `rate_limited`. */
  readonly countRequest: (grant: Grant) => void
  /** False once the token has been revoked or replaced. */
  readonly isValid: (grant: Grant) => boolean
}

/** Every operation, and subscriptions, on a WebSocket. */
export class StreamConnection implements RpcService {
  readonly name = 'gateway'
  readonly inFlightMax = 128
  readonly #parts: StreamParts
  readonly #peer: RpcPeer
  readonly #subscriber: Subscriber
  /** Counted from the request on, before the host has answered. */
  readonly #subscriptions = new Map<number, Promise<() => Promise<void>>>()
  #lastSubscription = 0

  constructor(parts: StreamParts) {
    this.#parts = parts
    this.#subscriber = new Subscriber(parts.calls, parts.grant)
    this.#peer = new RpcPeer(new WebSocketTransport(parts.webSocket, parts.socket), {
      service: this,
      closedError: () => new OpError('cancelled', 'the caller left'),
      closed: () => this.#subscriber.close(),
    })
  }

  admit(): void {
    const { webSocket, grant, isValid, countRequest } = this.#parts
    if (!isValid(grant)) {
      webSocket.close(CLOSE_UNAUTHORIZED, 'the token has been revoked')
      throw new OpError('unauthorized', 'the token has been revoked')
    }
    countRequest(grant)
  }

  async serve(request: ServedRequest): Promise<unknown> {
    const { method, params, onBehalfOf, signal } = request
    const { grant, calls } = this.#parts
    if (onBehalfOf !== undefined)
      throw new OpError('forbidden', 'on_behalf_of is for local processes; a token asks for itself')
    if (method === 'session.subscribe') {
      const checked = await calls.authorize(grant, method, params ?? {}, signal)
      return this.#subscribe(request, checked as Params<'session.subscribe'>) // the host validates
    }
    if (method === 'session.unsubscribe') return { ended: await this.#unsubscribe(params) }
    return calls.call(grant, method, params ?? {}, signal)
  }

  async #subscribe(
    request: ServedRequest,
    params: Params<'session.subscribe'>,
  ): Promise<{ subscription: number }> {
    if (this.#subscriptions.size >= SUBSCRIPTIONS_MAX)
      throw new OpError('too_many_requests', `${SUBSCRIPTIONS_MAX} subscriptions on one connection; end some`)
    const subscription = ++this.#lastSubscription
    // The answer with the number goes out before the first message, whenever that comes.
    let early: StreamMessage[] | null = []
    const listener = (message: StreamMessage) => {
      if (early === null) this.#sendStream(subscription, message)
      else if (early.push(message) === EARLY_MESSAGES_MAX) this.#subscriber.pause()
    }
    try {
      const opening = this.#subscriber.subscribe(params, listener)
      this.#subscriptions.set(subscription, opening)
      await opening
    } catch (error) {
      this.#subscriptions.delete(subscription)
      throw error
    }
    request.afterAnswer(() => {
      const waiting = early ?? []
      early = null
      this.#subscriber.resume()
      for (const message of waiting) this.#sendStream(subscription, message)
    })
    return { subscription }
  }

  async #unsubscribe(params: unknown): Promise<boolean> {
    const subscription =
      typeof params === 'object' && params !== null && 'subscription' in params ? params.subscription : null
    if (typeof subscription !== 'number')
      throw new OpError('usage', 'session.unsubscribe: subscription: a number is needed')
    const stop = await this.#subscriptions.get(subscription)
    this.#subscriptions.delete(subscription)
    await stop?.()
    return stop !== undefined
  }

  #sendStream(subscription: number, message: StreamMessage): void {
    if (message.type === 'end' || message.type === 'error') this.#subscriptions.delete(subscription)
    if (this.#peer.notify(SUBSCRIPTION_METHOD, { subscription, ...message })) return
    // The host's messages wait at the host, which answers with a fresh dump.
    this.#subscriber.pause()
    void this.#peer.drained().then(() => this.#subscriber.resume())
  }
}
