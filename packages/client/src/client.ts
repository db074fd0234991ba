import type { OperationName, Params, Result, SubscriptionMessage } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { SUBSCRIPTION_METHOD } from '@transom/protocol/jsonrpc'
import type { RequestOptions } from './outgoing-requests.ts'
import { RpcPeer } from './rpc-peer.ts'
import type { Transport } from './transport.ts'

export type CallOptions = RequestOptions

/** Calls operations of a host over any transport, many at a time on one connection. */
export class Client {
  readonly #peer: RpcPeer
  readonly #subscriptions = new Map<number, (message: SubscriptionMessage) => void>()
  /** Messages of a subscription whose number this side does not know yet. */
  #early: SubscriptionMessage[] = []
  #lastSubscription = 0
  #onEnd: (error: Error) => void = () => {}
  readonly #end = new Promise<Error>((resolve) => (this.#onEnd = resolve))

  constructor(transport: Transport) {
    this.#peer = new RpcPeer(transport, {
      notified: (method, params) => {
        // Tolerant of a host's extra keys and of notifications that this version does not know.
        if (method !== SUBSCRIPTION_METHOD || typeof params !== 'object' || params === null) return
        this.#onSubscriptionMessage(params as SubscriptionMessage)
      },
      closedError,
      closed: (error) => this.#onEnd(error),
    })
  }

  /** Calls an operation. Aborting `signal` cancels it at the host, too, and rejects with the signal's reason. */
  async call<N extends OperationName>(
    operation: N,
    params: Params<N>,
    options: CallOptions = {},
  ): Promise<Result<N>> {
    // The host has validated what it sends against the same table.
    return (await this.request(operation, params, options)) as Result<N>
  }

  /** As call(), for an operation that is known only by name. */
  async request(operation: string, params: unknown, options: CallOptions = {}): Promise<unknown> {
    return this.#peer.request(operation, params, options)
  }

  /** As request(), with the result as JSON text: for callers that pass it on unread. */
  async requestText(operation: string, params: unknown, options: CallOptions = {}): Promise<string> {
    return this.#peer.requestText(operation, params, options)
  }

  /** Follows a session until the returned function is called. The first message is a dump of its state. */
  async subscribe(
    params: Params<'session.subscribe'>,
    onMessage: (message: SubscriptionMessage) => void,
    options: CallOptions = {},
  ): Promise<() => Promise<void>> {
    const { subscription } = await this.call('session.subscribe', params, options)
    return this.#listen(subscription, onMessage)
  }

  /** Follows the sessions of the Home until the returned function is called. The first message lists the active ones. */
  async subscribeHome(
    onMessage: (message: SubscriptionMessage) => void,
    options: CallOptions = {},
  ): Promise<() => Promise<void>> {
    const { subscription } = await this.call('home.subscribe', {}, options)
    return this.#listen(subscription, onMessage)
  }

  #listen(subscription: number, onMessage: (message: SubscriptionMessage) => void): () => Promise<void> {
    this.#subscriptions.set(subscription, onMessage)
    this.#lastSubscription = Math.max(this.#lastSubscription, subscription)
    const early = this.#early.filter((message) => message.subscription === subscription)
    this.#early = this.#early.filter((message) => message.subscription !== subscription)
    for (const message of early) onMessage(message)
    return async () => {
      this.#subscriptions.delete(subscription)
      await this.call('session.unsubscribe', { subscription })
    }
  }

  /** Resolves with the reason once the connection is closed, after which no subscription receives anything. */
  async whenClosed(): Promise<Error> {
    return this.#end
  }

  close(): void {
    this.#peer.close()
  }

  /** Stops reading what the host sends, so that the host treats this client as a slow one until resume(). */
  pause(): void {
    this.#peer.pause()
  }

  resume(): void {
    this.#peer.resume()
  }

  #onSubscriptionMessage(message: SubscriptionMessage): void {
    const listener = this.#subscriptions.get(message.subscription)
    if (listener !== undefined) listener(message)
    else if (message.subscription > this.#lastSubscription) this.#early.push(message)
  }
}

function closedError(reason: Error | null, answered: boolean): OpError {
  const message = `the host closed the connection${reason === null ? '' : ` (${reason.message})`}`
  return new OpError('host_unavailable', message, { answered })
}
