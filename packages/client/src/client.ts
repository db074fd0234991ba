import type { OperationName, Params, Result, SubscriptionMessage } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import {
  CANCEL_METHOD,
  PROGRESS_METHOD,
  SUBSCRIPTION_METHOD,
  opErrorFrom,
  type RpcFailure,
  type RpcSuccess,
} from '@transom/protocol/jsonrpc'
import type { Transport } from './transport.ts'

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** Told how far the operation has come, for those that take long. */
  readonly onProgress?: ((value: Record<string, unknown>) => void) | undefined
}

interface Waiting {
  /** Takes the result as JSON text, when the message makes it plain where that is. */
  readonly asText: boolean
  readonly onProgress?: CallOptions['onProgress']
  resolve(result: unknown): void
  reject(reason: unknown): void
}

const RESULT_HEAD = /^\{"jsonrpc":"2\.0","id":(\d+),"result":/

class ResultText {
  readonly json: string

  constructor(json: string) {
    this.json = json
  }
}

/** Calls operations of a host over any transport, many at a time on one connection. */
export class Client {
  readonly #transport: Transport
  readonly #waiting = new Map<number, Waiting>()
  readonly #subscriptions = new Map<number, (message: SubscriptionMessage) => void>()
  /** Messages of a subscription whose number this side has not been told yet. */
  #early: SubscriptionMessage[] = []
  #lastSubscription = 0
  #nextId = 1
  #answered = false
  #closed: Error | null = null
  #onEnd: (error: Error) => void = () => {}
  readonly #end = new Promise<Error>((resolve) => (this.#onEnd = resolve))

  constructor(transport: Transport) {
    this.#transport = transport
    transport.listen({
      message: (message) => this.#onMessage(message),
      text: (text) => this.#onText(text),
      closed: (reason) => this.#onClosed(reason),
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
    return this.#request(operation, params, { ...options, asText: false })
  }

  /** As request(), with the result as JSON text: for what passes it on and need not know what it says. */
  async requestText(operation: string, params: unknown, options: CallOptions = {}): Promise<string> {
    const result = await this.#request(operation, params, { ...options, asText: true })
    return result instanceof ResultText ? result.json : JSON.stringify(result)
  }

  async #request(
    operation: string,
    params: unknown,
    { signal, onProgress, asText }: CallOptions & { asText: boolean },
  ): Promise<unknown> {
    signal?.throwIfAborted()
    if (this.#closed !== null) throw this.#closed
    const id = this.#nextId++
    const cancel = () => {
      this.#transport.send({ jsonrpc: '2.0', method: CANCEL_METHOD, params: { id } })
      this.#waiting.get(id)?.reject(signal?.reason)
    }
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      return await new Promise<unknown>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject, onProgress, asText })
        this.#transport.send({ jsonrpc: '2.0', id, method: operation, params })
      })
    } finally {
      this.#waiting.delete(id)
      signal?.removeEventListener('abort', cancel)
    }
  }

  /** Follows a session until the returned function is called. The first message is a dump of its state. */
  async subscribe(
    params: Params<'session.subscribe'>,
    onMessage: (message: SubscriptionMessage) => void,
  ): Promise<() => Promise<void>> {
    const { subscription } = await this.call('session.subscribe', params)
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

  /** Resolves with the reason when the connection is gone, after which no subscription hears anything. */
  async whenClosed(): Promise<Error> {
    return this.#end
  }

  close(): void {
    this.#transport.close()
  }

  /** Stops reading what the host sends, so that it takes this client for a slow one until resume(). */
  pause(): void {
    this.#transport.pause?.()
  }

  resume(): void {
    this.#transport.resume?.()
  }

  /** The order of keys is that of our own host; a message in another is parsed, and the result written again. */
  #onText(text: string): boolean {
    const [head = '', id = ''] = RESULT_HEAD.exec(text) ?? []
    const waiting = head === '' ? undefined : this.#waiting.get(Number(id))
    if (!waiting?.asText || !text.endsWith('}')) return false
    this.#answered = true
    waiting.resolve(new ResultText(text.slice(head.length, -1)))
    return true
  }

  #onMessage(message: unknown): void {
    if (typeof message !== 'object' || message === null) return
    this.#answered = true
    // Tolerant of a peer's extra keys; a message without the ones that count is not for us.
    if ('method' in message && message.method === SUBSCRIPTION_METHOD && 'params' in message) {
      this.#onSubscriptionMessage(message.params as SubscriptionMessage)
    } else if ('method' in message && message.method === PROGRESS_METHOD && 'params' in message) {
      const { id, ...value } = message.params as { id: number }
      this.#waiting.get(id)?.onProgress?.(value)
    } else if ('id' in message) {
      this.#onResponse(message as RpcSuccess | RpcFailure)
    }
  }

  #onSubscriptionMessage(message: SubscriptionMessage): void {
    const listener = this.#subscriptions.get(message.subscription)
    if (listener !== undefined) listener(message)
    else if (message.subscription > this.#lastSubscription) this.#early.push(message)
  }

  #onResponse(response: RpcSuccess | RpcFailure): void {
    const waiting = typeof response.id === 'number' ? this.#waiting.get(response.id) : undefined
    if ('error' in response) {
      const error = opErrorFrom(response.error)
      if (waiting !== undefined) waiting.reject(error)
      // Without an id it is about something this side sent that could not be read: nobody will be answered.
      else if (response.id === null) this.#failAll(error)
    } else {
      waiting?.resolve(response.result)
    }
  }

  #onClosed(reason: Error | null): void {
    const message = `the host closed the connection${reason === null ? '' : ` (${reason.message})`}`
    const error = new OpError('host_unavailable', message, { answered: this.#answered })
    this.#closed = error
    this.#onEnd(error)
    this.#failAll(error)
  }

  #failAll(error: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error)
  }
}
