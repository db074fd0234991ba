import type { Client } from '@transom/client'
import { delegationOf, type Params, type Principal, type SubscriptionMessage } from '@transom/protocol'
import { OpError, toWireError } from '@transom/protocol/errors'
import type { HostCalls } from './host-calls.ts'

/** What a host sends to a subscriber, without the number that the host has given the subscription. */
export type StreamMessage = DistributiveOmit<SubscriptionMessage, 'subscription'>
type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/**
 * The subscriptions of one caller, on connections of its own: they can be paused for a caller that reads slowly,
 * which the host answers with a fresh dump, and they end with the caller.
 */
export class Subscriber {
  readonly #calls: HostCalls
  readonly #principal: Principal
  /** By the socket of the host; '' for the Home's own. */
  readonly #clients = new Map<string, Promise<Client>>()
  #paused = false
  #closed = false

  constructor(calls: HostCalls, principal: Principal) {
    this.#calls = calls
    this.#principal = principal
  }

  /** Follows a session until the returned function is called. */
  async subscribe(
    params: Params<'session.subscribe'>,
    onMessage: (message: StreamMessage) => void,
  ): Promise<() => Promise<void>> {
    try {
      return await this.#subscribeAt(null, params, onMessage)
    } catch (error) {
      if (!(error instanceof OpError) || error.code !== 'session_elsewhere') throw error
      return this.#subscribeAt(error, params, onMessage)
    }
  }

  /** The caller reads too slowly. */
  pause(): void {
    if (this.#paused) return
    this.#paused = true
    this.#forEach((client) => client.pause())
  }

  resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#forEach((client) => client.resume())
  }

  close(): void {
    this.#closed = true
    this.#forEach((client) => client.close())
  }

  async #subscribeAt(
    elsewhere: OpError | null,
    params: Params<'session.subscribe'>,
    onMessage: (message: StreamMessage) => void,
  ): Promise<() => Promise<void>> {
    const client = await this.#client(elsewhere)
    let over = false
    const listener = ({ subscription: _number, ...message }: SubscriptionMessage) => {
      over ||= message.type === 'end' || message.type === 'error'
      onMessage(message)
    }
    const stop = await client.subscribe(params, listener, { onBehalfOf: delegationOf(this.#principal) })
    void client.whenClosed().then((reason) => {
      if (!over && !this.#closed) onMessage({ type: 'error', error: toWireError(reason) })
    })
    return async () => {
      over = true
      await stop()
    }
  }

  async #client(elsewhere: OpError | null): Promise<Client> {
    const key = elsewhere === null ? '' : String(elsewhere.details['socket'])
    const opening = this.#clients.get(key) ?? this.#open(key, elsewhere)
    this.#clients.set(key, opening)
    return opening
  }

  async #open(key: string, elsewhere: OpError | null): Promise<Client> {
    try {
      const client = await this.#calls.openConnection(elsewhere)
      void client.whenClosed().then(() => this.#clients.delete(key))
      if (this.#paused) client.pause()
      if (this.#closed) client.close()
      return client
    } catch (error) {
      this.#clients.delete(key)
      throw error
    }
  }

  #forEach(act: (client: Client) => void): void {
    for (const opening of this.#clients.values()) {
      opening.then(act, () => {}) // the caller that opened it has the error
    }
  }
}
