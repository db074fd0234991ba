import { OpError, toWireError, type ErrorCode } from '@transom/protocol/errors'
import {
  CANCEL_METHOD,
  PROGRESS_METHOD,
  parseRequest,
  requestIdOf,
  rpcFailure,
  type ParsedRequest,
  type RequestId,
  type RpcAnswer,
  type RpcFailure,
  type RpcMessage,
} from '@transom/protocol/jsonrpc'

/** A request of the other side while it is being served. */
export interface ServedRequest {
  /** Null for a notification, which is carried out and never answered. */
  readonly id: RequestId | null
  readonly method: string
  readonly params: unknown
  /** The principal that the caller asks for, as it came: whether to believe it is for the service to decide. */
  readonly onBehalfOf: unknown
  /** Aborts if the caller cancels the request or closes the connection. */
  readonly signal: AbortSignal
  /** Reports to the caller how far the request has come. A slow caller misses some. */
  progress(value: object): void
  /** Calls `run` after the answer has been sent: for notifications that must not overtake it. */
  afterAnswer(run: () => void): void
}

export interface ServedReport {
  readonly request: ServedRequest
  readonly durationMs: number
  /** Null if it was carried out. */
  readonly error: ErrorCode | null
}

/** What a peer does with the requests of the other side. */
export interface RpcService {
  /** What error messages call this side: "host". */
  readonly name: string
  /** How many requests of one connection are served at the same time, and how many one batch may hold. */
  readonly inFlightMax: number
  /** Returns the result, or throws the error to answer with. */
  serve(request: ServedRequest): unknown
  /** Throws to refuse a request before anything else is done for it. */
  admit?(): void
  /** Called after each request that was served. */
  served?(report: ServedReport): void
  /** Whether a connection stays open although the other side has ended its sending direction. */
  staysOpen?(): boolean
}

type Send = (message: RpcMessage | readonly RpcAnswer[]) => void

interface Answered {
  /** Null for a notification. */
  readonly answer: RpcAnswer | null
  readonly served: Served | null
}

const NO_SERVICE: RpcService = {
  name: 'client',
  inFlightMax: 16, // refused at once, so that there is never more than one
  serve: ({ method }) => {
    throw new OpError('unknown_operation', `this side serves no requests (got ${JSON.stringify(method)})`)
  },
}

/** Serves the requests that the other side of a connection sends, one by one or in batches. */
export class IncomingRequests {
  readonly #service: RpcService
  readonly #send: Send
  readonly #onDone: () => void
  readonly #byId = new Map<RequestId, Served>()
  readonly #inFlight = new Set<Served>()
  /** Requests and batches whose answer has not been sent. */
  #openCount = 0

  constructor(service: RpcService | null, send: Send, onDone: () => void) {
    this.#service = service ?? NO_SERVICE
    this.#send = send
    this.#onDone = onDone
  }

  /** Whether everything that was asked has been answered. */
  get isIdle(): boolean {
    return this.#openCount === 0
  }

  /** Whether a batch has a size that is served. Checked before anything looks at its parts. */
  accepts(batch: readonly unknown[]): boolean {
    return batch.length > 0 && batch.length <= this.#service.inFlightMax
  }

  batchRefusal(batch: readonly unknown[]): RpcFailure {
    const { inFlightMax } = this.#service
    const message = `a batch holds from 1 to ${inFlightMax} requests (got ${batch.length})`
    return rpcFailure(null, new OpError('invalid_request', message, { requests: batch.length, inFlightMax }))
  }

  serve(message: unknown): void {
    this.#openCount++
    void this.#answer(message).then((answered) => {
      this.#reply(answered.answer)
      this.#finish([answered])
    })
  }

  /** All answers go out together, after the last; a batch of notifications has none. */
  serveBatch(messages: readonly unknown[]): void {
    this.#openCount++
    void Promise.all(messages.map(async (message) => this.#answer(message))).then((answered) => {
      const answers = answered.flatMap(({ answer }) => (answer === null ? [] : [answer]))
      this.#reply(answers.length === 0 ? null : answers)
      this.#finish(answered)
    })
  }

  /** The caller has left. */
  abortAll(): void {
    // One by one: a signal of the connection, joined to that of each request, would remember them all for its life.
    for (const served of this.#inFlight) served.abort(new OpError('cancelled', 'the caller left'))
  }

  #reply(answer: RpcAnswer | readonly RpcAnswer[] | null): void {
    if (answer === null) return
    try {
      this.#send(answer)
    } catch (error) {
      // A result that JSON cannot express: a bug of the service, and no reason to leave the caller waiting.
      const failed = (one: RpcAnswer) => rpcFailure(one.id, error)
      this.#send(isBatch(answer) ? answer.map(failed) : failed(answer))
    }
  }

  #finish(answered: readonly Answered[]): void {
    this.#openCount--
    for (const { served } of answered) served?.wasAnswered()
    this.#onDone()
  }

  /** Never rejects. */
  async #answer(message: unknown): Promise<Answered> {
    const request = parseRequest(message)
    if (request === null) {
      const error = new OpError('invalid_request', 'a request has jsonrpc "2.0", a method and an id')
      return { answer: rpcFailure(requestIdOf(message), error), served: null }
    }
    if (request.method === CANCEL_METHOD && request.id === null) {
      this.#cancel(request.params)
      return { answer: null, served: null }
    }
    const { id } = request
    const served = new Served(request, this.#send)
    try {
      this.#admit(id)
      const result = await this.#serve(served)
      return { answer: id === null ? null : { jsonrpc: '2.0', id, result }, served }
    } catch (error) {
      return { answer: id === null ? null : rpcFailure(id, error), served }
    }
  }

  #admit(id: RequestId | null): void {
    const { inFlightMax } = this.#service
    this.#service.admit?.()
    if (this.#inFlight.size >= inFlightMax) {
      const message = `${inFlightMax} requests are in flight on this connection; wait for an answer`
      throw new OpError('too_many_requests', message)
    }
    if (id !== null && this.#byId.has(id))
      throw new OpError('invalid_request', `a request with id ${id} is in flight already`)
  }

  async #serve(request: Served): Promise<unknown> {
    const { id } = request
    this.#inFlight.add(request)
    if (id !== null) this.#byId.set(id, request)
    const startMs = performance.now()
    let failure: ErrorCode | null = null
    try {
      return await this.#service.serve(request)
    } catch (error) {
      failure = toWireError(error).code
      throw error
    } finally {
      this.#inFlight.delete(request)
      if (id !== null) this.#byId.delete(id)
      this.#service.served?.({ request, durationMs: performance.now() - startMs, error: failure })
    }
  }

  #cancel(params: unknown): void {
    const id = requestIdOf(params)
    if (id === null) return
    this.#byId.get(id)?.abort(new OpError('cancelled', 'cancelled by the caller', { id }))
  }
}

/** A class and not an object literal: a literal with a getter and a spread took longer than the rest of a request. */
class Served implements ServedRequest {
  readonly id: RequestId | null
  readonly method: string
  readonly params: unknown
  readonly onBehalfOf: unknown
  readonly #send: Send
  readonly #controller = new AbortController()
  #afterAnswer: (() => void)[] | null = null

  constructor({ id, method, params, onBehalfOf }: ParsedRequest, send: Send) {
    this.id = id
    this.method = method
    this.params = params
    this.onBehalfOf = onBehalfOf
    this.#send = send
  }

  /** Node makes it when it is first looked at: most requests are answered at once. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  progress(value: object): void {
    const { id } = this
    if (id !== null) this.#send({ jsonrpc: '2.0', method: PROGRESS_METHOD, params: { id, ...value } })
  }

  afterAnswer(run: () => void): void {
    this.#afterAnswer ??= []
    this.#afterAnswer.push(run)
  }

  abort(reason: OpError): void {
    this.#controller.abort(reason)
  }

  wasAnswered(): void {
    for (const run of this.#afterAnswer ?? []) run()
  }
}

function isBatch(answer: RpcAnswer | readonly RpcAnswer[]): answer is readonly RpcAnswer[] {
  return Array.isArray(answer)
}
