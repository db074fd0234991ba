import {
  CANCEL_METHOD,
  requestIdOf,
  type RpcAnswer,
  type RpcFailure,
  type RpcMessage,
  type RpcSuccess,
} from '@transom/protocol/jsonrpc'

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined
  /** Called with how far the request has come, for those that take long. */
  readonly onProgress?: ((value: Record<string, unknown>) => void) | undefined
  /** The principal to ask for; only a host believes it, and only of a local peer. */
  readonly onBehalfOf?: object | undefined
}

interface Waiting {
  /** Takes the result as JSON text if the message shows where it is. */
  readonly asText: boolean
  readonly onProgress: RequestOptions['onProgress']
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

/** The requests that this side of a connection has sent, until they are answered. */
export class OutgoingRequests {
  readonly #send: (message: RpcMessage) => void
  readonly #errorFrom: (failure: RpcFailure['error']) => Error
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #closed: Error | null = null

  constructor(send: (message: RpcMessage) => void, errorFrom: (failure: RpcFailure['error']) => Error) {
    this.#send = send
    this.#errorFrom = errorFrom
  }

  async request(method: string, params: unknown, options: RequestOptions): Promise<unknown> {
    return this.#request(method, params, { ...options, asText: false })
  }

  async requestText(method: string, params: unknown, options: RequestOptions): Promise<string> {
    const result = await this.#request(method, params, { ...options, asText: true })
    return result instanceof ResultText ? result.json : JSON.stringify(result)
  }

  /** An answer; one that belongs to no request, or to a cancelled one, is dropped. */
  settle(answer: RpcAnswer): void {
    const waiting = typeof answer.id === 'number' ? this.#waiting.get(answer.id) : undefined
    const failure = 'error' in answer ? answer.error : null // null beside a result, as JSON-RPC 1 had it
    if (failure === null) return waiting?.resolve((answer as RpcSuccess).result)
    const error = this.#errorFrom(failure)
    if (waiting !== undefined) waiting.reject(error)
    // Without an id it is about a message of this side that could not be read: no answer to that one will come.
    else if (answer.id === null) this.failAll(error)
  }

  /** Takes an answer unparsed; false if no request waits for text. The order of keys is that of our own host. */
  takeText(text: string): boolean {
    const [head = '', id = ''] = RESULT_HEAD.exec(text) ?? []
    const waiting = head === '' ? undefined : this.#waiting.get(Number(id))
    if (!waiting?.asText || !text.endsWith('}')) return false
    waiting.resolve(new ResultText(text.slice(head.length, -1)))
    return true
  }

  /** Passes a progress report on; false if it is about no request of this side. */
  progress(params: unknown): boolean {
    const id = requestIdOf(params)
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined
    if (waiting === undefined) return false
    const { id: _id, ...value } = params as Record<string, unknown> // it has an id
    waiting.onProgress?.(value)
    return true
  }

  failAll(error: Error): void {
    for (const waiting of this.#waiting.values()) waiting.reject(error)
  }

  /** Every open request is rejected with this error, and every later one. */
  close(error: Error): void {
    this.#closed = error
    this.failAll(error)
  }

  async #request(
    method: string,
    params: unknown,
    { signal, onProgress, onBehalfOf, asText }: RequestOptions & { asText: boolean },
  ): Promise<unknown> {
    signal?.throwIfAborted()
    if (this.#closed !== null) throw this.#closed
    const id = ++this.#lastId
    const cancel = () => {
      this.#send({ jsonrpc: '2.0', method: CANCEL_METHOD, params: { id } })
      this.#waiting.get(id)?.reject(signal?.reason)
    }
    signal?.addEventListener('abort', cancel, { once: true })
    try {
      return await new Promise<unknown>((resolve, reject) => {
        this.#waiting.set(id, { resolve, reject, onProgress, asText })
        const request = { jsonrpc: '2.0', id, method, params } as const
        this.#send(onBehalfOf === undefined ? request : { ...request, on_behalf_of: onBehalfOf })
      })
    } finally {
      this.#waiting.delete(id)
      signal?.removeEventListener('abort', cancel)
    }
  }
}
