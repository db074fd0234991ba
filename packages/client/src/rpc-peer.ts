import { OpError } from '@transom/protocol/errors'
import {
  PROGRESS_METHOD,
  isRpcResponse,
  opErrorFrom,
  parseRequest,
  rpcFailure,
  type RpcAnswer,
  type RpcFailure,
  type RpcMessage,
} from '@transom/protocol/jsonrpc'
import { IncomingRequests, type RpcService } from './incoming-requests.ts'
import { OutgoingRequests, type RequestOptions } from './outgoing-requests.ts'
import type { Transport } from './transport.ts'

export interface RpcPeerOptions {
  /** Serves the requests of the other side; without one each is answered with `unknown_operation`. */
  readonly service?: RpcService
  /** Called with each notification if there is no service. */
  readonly notified?: (method: string, params: unknown) => void
  /** The error to reject a request with if the other side answers it with a failure. */
  readonly errorFrom?: (failure: RpcFailure['error']) => Error
  /** The error to reject open requests with; `answered` is false if the other side never sent a message. */
  readonly closedError: (reason: Error | null, answered: boolean) => OpError
  readonly closed?: (error: Error) => void
}

/**
 * One end of a JSON-RPC 2.0 connection over any transport. Both ends are the same: each may send requests,
 * notifications and batches of them, and answers the requests of the other with the service it was given.
 *
 * A peer with a service stops reading requests while its send buffer is full, so that answers cannot pile up.
 */
export class RpcPeer {
  readonly #transport: Transport
  readonly #options: RpcPeerOptions
  readonly #incoming: IncomingRequests
  readonly #outgoing: OutgoingRequests
  #drainWaiters: (() => void)[] = []
  #backedUp = false
  /** Whether the other side has ever sent a message. */
  #answered = false
  /** The other side sends nothing more, but still reads. */
  #halfClosed = false
  #closed = false

  constructor(transport: Transport, options: RpcPeerOptions) {
    this.#transport = transport
    this.#options = options
    const send = (message: RpcMessage | readonly RpcAnswer[]) => this.#send(message)
    this.#incoming = new IncomingRequests(options.service ?? null, send, () => this.#closeIfDone())
    this.#outgoing = new OutgoingRequests(send, options.errorFrom ?? opErrorFrom)
    transport.listen({
      message: (message) => this.#onMessage(message),
      text: (text) => this.#onText(text),
      malformed: (error) => this.#onMalformed(error),
      drain: () => this.#onDrain(),
      ended: () => {
        this.#halfClosed = true
        this.#closeIfDone()
      },
      closed: (reason) => this.#onClosed(reason),
    })
  }

  /** Sends a request. Aborting the signal cancels it at the other side and rejects with the signal's reason. */
  async request(method: string, params: unknown, options: RequestOptions = {}): Promise<unknown> {
    return this.#outgoing.request(method, params, options)
  }

  /** As request(), with the result as JSON text: for callers that pass it on unread. */
  async requestText(method: string, params: unknown, options: RequestOptions = {}): Promise<string> {
    return this.#outgoing.requestText(method, params, options)
  }

  /** Sends a notification; returns false while the other side reads too slowly. */
  notify(method: string, params: unknown): boolean {
    return this.#send({ jsonrpc: '2.0', method, params })
  }

  /** Whether messages wait in memory for the other side to read. */
  get backedUp(): boolean {
    return this.#backedUp
  }

  /** Resolves once notify() may be called again after it returned false, or the connection is closed. */
  async drained(): Promise<void> {
    if (!this.#closed) await new Promise<void>((resolve) => this.#drainWaiters.push(resolve))
  }

  close(): void {
    this.#transport.close()
  }

  /** Stops reading, which the other side notices as a full send buffer, until resume(). */
  pause(): void {
    this.#transport.pause?.()
  }

  resume(): void {
    this.#transport.resume?.()
  }

  #onText(text: string): boolean {
    const taken = this.#outgoing.takeText(text)
    this.#answered ||= taken
    return taken
  }

  #onMessage(message: unknown): void {
    this.#answered = true
    if (!Array.isArray(message)) this.#onSingle(message)
    else if (this.#options.service === undefined || this.#incoming.accepts(message)) this.#onBatch(message)
    else this.#send(this.#incoming.batchRefusal(message))
  }

  #onBatch(messages: readonly unknown[]): void {
    const requests: unknown[] = []
    for (const message of messages) {
      if (isRpcResponse(message)) this.#outgoing.settle(message)
      else if (!this.#isForListener(message)) requests.push(message)
    }
    if (requests.length > 0) this.#incoming.serveBatch(requests)
  }

  #onSingle(message: unknown): void {
    if (isRpcResponse(message)) this.#outgoing.settle(message)
    else if (!this.#isForListener(message)) this.#incoming.serve(message)
  }

  /** Handles what concerns a peer's own requests, and, without a service, every notification. */
  #isForListener(message: unknown): boolean {
    const request = parseRequest(message)
    // Answering a message that is no request with an error could fail requests of this side at a foreign server.
    if (request === null) return this.#options.service === undefined
    if (request.id !== null) return false
    if (request.method === PROGRESS_METHOD && this.#outgoing.progress(request.params)) return true
    if (this.#options.service !== undefined) return false
    this.#options.notified?.(request.method, request.params)
    return true
  }

  #onMalformed(error: OpError): void {
    if (this.#options.service !== undefined) this.#send(rpcFailure(null, error))
    const what = error.code === 'parse_error' ? 'a message that is not JSON' : 'a message that is too long'
    // It may have been the answer to any of them.
    this.#outgoing.failAll(new OpError(error.code, `the other side sent ${what}`))
  }

  #send(message: RpcMessage | readonly RpcAnswer[]): boolean {
    const ready = this.#transport.send(message)
    if (!ready && !this.#backedUp) {
      this.#backedUp = true
      if (this.#options.service !== undefined) this.#transport.pause?.()
    }
    return ready
  }

  #onDrain(): void {
    if (this.#backedUp && this.#options.service !== undefined) this.#transport.resume?.()
    this.#backedUp = false
    for (const wake of this.#drainWaiters.splice(0)) wake()
  }

  #closeIfDone(): void {
    const service = this.#options.service
    if (!this.#halfClosed || !this.#incoming.isIdle || service?.staysOpen?.()) return
    this.#transport.close()
  }

  #onClosed(reason: Error | null): void {
    if (this.#closed) return
    this.#closed = true
    const error = this.#options.closedError(reason, this.#answered)
    this.#incoming.abortAll()
    this.#outgoing.close(error)
    for (const wake of this.#drainWaiters.splice(0)) wake()
    this.#options.closed?.(error)
  }
}
