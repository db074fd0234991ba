import { ERROR_TABLE, OpError, isErrorCode, type WireError } from '@transom/protocol/errors'
import {
  CANCEL_METHOD,
  SUBSCRIPTION_METHOD,
  rpcFailure,
  type RequestId,
  type RpcMessage,
  type RpcRequest,
} from '@transom/protocol/jsonrpc'
import type { Transport, TransportListener } from './transport.ts'

export interface HttpOptions {
  /** Of the gateway: `http://127.0.0.1:7317`. */
  readonly url: string
  readonly token: string
}

/** A gateway over plain HTTP: a request for each call, Server-Sent Events for a subscription. Needs only `fetch`. */
export class HttpTransport implements Transport {
  readonly #options: HttpOptions
  readonly #inFlight = new Map<RequestId, AbortController>()
  readonly #streams = new Map<number, AbortController>()
  #listener: TransportListener | null = null
  #lastSubscription = 0

  constructor(options: HttpOptions) {
    this.#options = options
  }

  listen(listener: TransportListener): void {
    this.#listener = listener
  }

  send(message: RpcMessage): boolean {
    if ('id' in message && 'method' in message) void this.#answer(message)
    else if ('method' in message && message.method === CANCEL_METHOD) this.#cancel(message.params)
    return true
  }

  close(): void {
    for (const controller of [...this.#inFlight.values(), ...this.#streams.values()]) controller.abort()
    this.#listener?.closed(null)
    this.#listener = null
  }

  async #answer(request: RpcRequest): Promise<void> {
    const { id } = request
    const controller = new AbortController()
    this.#inFlight.set(id, controller)
    try {
      const result = await this.#carryOut(request, controller)
      this.#listener?.message({ jsonrpc: '2.0', id, result })
    } catch (error) {
      if (!controller.signal.aborted) this.#listener?.message(rpcFailure(id, error))
    } finally {
      this.#inFlight.delete(id)
    }
  }

  async #carryOut({ method, params }: RpcRequest, controller: AbortController): Promise<unknown> {
    if (method === 'session.subscribe') return this.#subscribe(params as Record<string, unknown>)
    if (method === 'session.unsubscribe') {
      const { subscription } = params as { subscription: number }
      this.#streams.get(subscription)?.abort()
      return { ended: this.#streams.delete(subscription) }
    }
    const response = await this.#fetch(`/v1/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(params ?? {}),
      signal: controller.signal,
    })
    return response.json()
  }

  async #subscribe(params: Record<string, unknown>): Promise<{ subscription: number }> {
    const subscription = ++this.#lastSubscription
    const controller = new AbortController()
    const query = new URLSearchParams(
      Object.entries(params).map(([key, value]): [string, string] => [key, String(value)]),
    )
    const response = await this.#fetch(`/v1/subscribe?${query.toString()}`, { signal: controller.signal })
    this.#streams.set(subscription, controller)
    void this.#read(response, subscription, controller.signal)
    return { subscription }
  }

  async #read(response: Response, subscription: number, signal: AbortSignal): Promise<void> {
    const decoder = new TextDecoder()
    let rest = ''
    try {
      for await (const chunk of response.body ?? []) {
        const frames = `${rest}${decoder.decode(chunk as Uint8Array, { stream: true })}`.split('\n\n')
        rest = frames.pop() ?? ''
        for (const frame of frames) this.#onFrame(frame, subscription)
      }
    } catch (error) {
      if (signal.aborted) return
      const failure = { type: 'error', error: toWire(unreachable(this.#options.url, error)) }
      this.#notify(subscription, failure)
    }
  }

  #onFrame(frame: string, subscription: number): void {
    const data = /^data: (.*)$/m.exec(frame)?.[1]
    if (data !== undefined) this.#notify(subscription, JSON.parse(data) as object) // else a sign of life
  }

  #notify(subscription: number, message: object): void {
    const params = { subscription, ...message }
    this.#listener?.message({ jsonrpc: '2.0', method: SUBSCRIPTION_METHOD, params })
  }

  #cancel(params: unknown): void {
    const { id } = params as { id: RequestId } // our own client sends it
    this.#inFlight.get(id)?.abort()
  }

  async #fetch(path: string, init: RequestInit): Promise<Response> {
    const { url, token } = this.#options
    let response: Response
    try {
      const headers = { ...(init.headers as Record<string, string>), authorization: `Bearer ${token}` }
      response = await fetch(new URL(path, url), { ...init, headers })
    } catch (error) {
      throw unreachable(url, error)
    }
    if (response.ok) return response
    throw errorOf((await response.json().catch(() => ({}))) as { error?: WireError }, response.status)
  }
}

function errorOf({ error }: { error?: WireError }, status: number): OpError {
  if (error !== undefined && isErrorCode(error.code))
    return new OpError(error.code, error.message, error.details)
  return new OpError('internal', `the gateway answered with ${status}`, { status })
}

function unreachable(url: string, cause: unknown): OpError {
  return new OpError(
    'host_unavailable',
    `no gateway answers at ${url}; start "transom serve"`,
    { url },
    { cause },
  )
}

function toWire({ code, message, details }: OpError): WireError {
  return { code, message, retryable: ERROR_TABLE[code].retryable, details }
}
