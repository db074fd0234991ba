import type { Transport } from '@transom/client'
import { OpError, toWireError } from '@transom/protocol/errors'
import {
  CANCEL_METHOD,
  PROGRESS_METHOD,
  SUBSCRIPTION_METHOD,
  parseRequest,
  requestIdOf,
  rpcFailure,
  type ParsedRequest,
  type RequestId,
  type RpcMessage,
} from '@transom/protocol/jsonrpc'
import type { ConnectionObserver } from './debug-log.ts'
import { dispatch, type BackgroundWork, type Handlers } from './dispatch.ts'

const IN_FLIGHT_MAX = 256 // a client that pipelines more gains nothing: one host serves one at a time

/** JSON-RPC 2.0 for one client over any transport. When the client is gone, so is everything it waited for. */
export class RpcConnection {
  readonly #transport: Transport
  readonly #handlers: Handlers
  readonly #inFlight = new Map<RequestId, AbortController>()
  readonly #background = new ConnectionWork()
  readonly #observer: ConnectionObserver | undefined
  readonly #number: number
  #drainWaiters: (() => void)[] = []
  #gone = false

  constructor(transport: Transport, handlers: Handlers, onClosed: () => void, observer?: ConnectionObserver) {
    this.#transport = transport
    this.#handlers = handlers
    this.#observer = observer
    this.#number = observer?.opened() ?? 0
    transport.listen({
      message: (message) => this.#onMessage(message),
      malformed: (problem) => this.#send(rpcFailure(null, malformedError(problem))),
      drain: () => this.#wakeDrained(),
      closed: () => {
        this.#leave()
        observer?.closed(this.#number)
        onClosed()
      },
    })
  }

  #onMessage(message: unknown): void {
    // A batch is answered one by one: the specification lets a server process it in any order, and a stream has
    // no need to hold back the first answers for the last.
    if (Array.isArray(message) && message.length > 0) {
      for (const part of message) this.#onRequest(part)
    } else {
      this.#onRequest(message)
    }
  }

  #onRequest(message: unknown): void {
    const request = parseRequest(message)
    if (request === null) {
      const error = new OpError('invalid_request', 'a request has jsonrpc "2.0", a method and an id')
      this.#send(rpcFailure(requestIdOf(message), error))
    } else if (request.method === CANCEL_METHOD) {
      this.#cancel(request.params)
    } else if (request.id !== null) {
      void this.#serve(request.id, request)
    }
    // Any other notification: JSON-RPC has no answer to it, and no operation is without one.
  }

  async #serve(id: RequestId, { method, params }: ParsedRequest): Promise<void> {
    if (this.#inFlight.size >= IN_FLIGHT_MAX) {
      const message = `${IN_FLIGHT_MAX} requests are in flight on this connection; wait for an answer`
      this.#send(rpcFailure(id, new OpError('too_many_requests', message)))
      return
    }
    if (this.#inFlight.has(id)) {
      this.#send(
        rpcFailure(id, new OpError('invalid_request', `a request with id ${id} is in flight already`)),
      )
      return
    }
    const controller = new AbortController()
    this.#inFlight.set(id, controller)
    const startMs = performance.now()
    let failure: string | null = null
    try {
      const result = await dispatch(this.#handlers, method, params, {
        // Made when it is first looked at: most requests are answered at once.
        get signal() {
          return controller.signal
        },
        notify: (notification) =>
          this.#transport.send({ jsonrpc: '2.0', method: SUBSCRIPTION_METHOD, params: notification }),
        progress: (value) =>
          void this.#transport.send({ jsonrpc: '2.0', method: PROGRESS_METHOD, params: { id, ...value } }),
        drained: () => this.#drained(),
        background: this.#background,
      })
      this.#send({ jsonrpc: '2.0', id, result })
    } catch (error) {
      failure = toWireError(error).code
      this.#send(rpcFailure(id, error))
    } finally {
      this.#inFlight.delete(id)
      const durationMs = performance.now() - startMs
      const connection = this.#number
      this.#observer?.request({ connection, id, operation: method, params, durationMs, error: failure })
    }
  }

  #cancel(params: unknown): void {
    const id = requestIdOf(params)
    if (id === null) return
    this.#inFlight.get(id)?.abort(new OpError('cancelled', 'cancelled by the caller', { id }))
  }

  #send(message: RpcMessage): void {
    this.#transport.send(message)
  }

  async #drained(): Promise<void> {
    if (this.#gone) return
    await new Promise<void>((resolve) => this.#drainWaiters.push(resolve))
  }

  #wakeDrained(): void {
    for (const wake of this.#drainWaiters.splice(0)) wake()
  }

  #leave(): void {
    this.#gone = true
    // One by one: a signal of the connection, joined to that of each request, would remember them all for its life.
    for (const request of this.#inFlight.values()) request.abort(new OpError('cancelled', 'the caller left'))
    this.#background.stopAll()
    this.#wakeDrained()
  }
}

class ConnectionWork implements BackgroundWork {
  readonly #running = new Map<number, AbortController>()
  #lastId = 0

  start(run: (id: number, signal: AbortSignal) => Promise<void>): number {
    const id = ++this.#lastId
    const controller = new AbortController()
    this.#running.set(id, controller)
    // After this turn, so that the answer with the number goes out before the first notification.
    setImmediate(() => {
      void run(id, controller.signal).finally(() => this.#running.delete(id))
    })
    return id
  }

  stop(id: number): boolean {
    const controller = this.#running.get(id)
    controller?.abort()
    return controller !== undefined
  }

  stopAll(): void {
    for (const id of this.#running.keys()) this.stop(id)
  }
}

function malformedError(problem: 'parse_error' | 'frame_too_large'): OpError {
  if (problem === 'parse_error') return new OpError('parse_error', 'this line is not JSON in UTF-8')
  return new OpError('frame_too_large', 'this line is longer than the host takes; split the request')
}
