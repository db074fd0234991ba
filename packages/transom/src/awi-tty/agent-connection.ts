import type { Transport } from '@transom/client'
import { connectUnixSocket } from '@transom/client/unix-socket'
import { ERROR_TABLE, OpError, type ErrorCode } from '@transom/protocol/errors'
import {
  RESPONSE_BYTES_MAX,
  type RpcFailure,
  type RpcNotification,
  type RpcSuccess,
} from '@transom/protocol/jsonrpc'
import { errnoOf, messageOf } from '../lib/system-error.ts'
import { noBrowser } from './socket-path.ts'

/** What the browser answered with instead of a result, as it said it. */
export class AgentError extends Error {
  readonly rpc: RpcFailure['error']
  constructor(rpc: RpcFailure['error']) {
    super(rpc.message)
    this.name = 'AgentError'
    this.rpc = rpc
  }

  /** By the number, which is all that a server of the specification need send. */
  get exitCode(): number {
    const rows = Object.values(ERROR_TABLE)
    return rows.find(({ rpc }) => rpc === this.rpc.code)?.exit ?? ERROR_TABLE.internal.exit
  }
}

/** One connection to an agent socket. */
export class AgentConnection {
  readonly #transport: Transport
  readonly #waiting = new Map<number, { resolve(result: unknown): void; reject(reason: Error): void }>()
  #lastId = 0
  #closed: Error | null = null
  #onClosed: (reason: Error) => void = () => {}
  /** Told of each notification. */
  onNotification: (message: RpcNotification) => void = () => {}
  readonly whenClosed = new Promise<Error>((resolve) => (this.#onClosed = resolve))

  static async open(socketPath: string): Promise<AgentConnection> {
    try {
      return new AgentConnection(await connectUnixSocket(socketPath, { frameBytesMax: RESPONSE_BYTES_MAX }))
    } catch (error) {
      throw connectionError(error, socketPath)
    }
  }

  constructor(transport: Transport) {
    this.#transport = transport
    transport.listen({
      message: (message) => this.#onMessage(message),
      malformed: () => this.#end(new OpError('parse_error', 'the browser sent something that is not JSON')),
      closed: () =>
        this.#end(
          new OpError(
            'host_unavailable',
            'the browser closed the connection before it answered; it may have ended',
          ),
        ),
    })
  }

  async request(method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<unknown> {
    signal.throwIfAborted()
    if (this.#closed !== null) throw this.#closed
    const id = ++this.#lastId
    return new Promise<unknown>((resolve, reject) => {
      const abandon = () => this.#settle(id)?.reject(signal.reason as Error)
      signal.addEventListener('abort', abandon, { once: true })
      this.#waiting.set(id, { resolve, reject })
      this.#transport.send({ jsonrpc: '2.0', id, method, params })
    })
  }

  close(): void {
    this.#transport.close()
  }

  #onMessage(message: unknown): void {
    if (typeof message !== 'object' || message === null) return
    if ('method' in message) return this.onNotification(message as RpcNotification)
    const { id } = message as { id?: unknown }
    // What has no id is about a request that could not be read: there is one at a time.
    const waiting = this.#settle(typeof id === 'number' ? id : this.#lastId)
    if ('error' in message) waiting?.reject(new AgentError((message as RpcFailure).error))
    else waiting?.resolve((message as RpcSuccess).result)
  }

  #settle(id: number) {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    return waiting
  }

  #end(reason: Error): void {
    this.#closed = reason
    this.#onClosed(reason)
    for (const waiting of this.#waiting.values()) waiting.reject(reason)
    this.#waiting.clear()
  }
}

function connectionError(error: unknown, socketPath: string): OpError {
  const errno = errnoOf(error)
  if (errno === 'ENOENT' || errno === 'ECONNREFUSED' || errno === 'ENOTSOCK') return noBrowser([socketPath])
  const code: ErrorCode = errno === 'EACCES' || errno === 'EPERM' ? 'socket_untrusted' : 'io_error'
  const message = `could not connect to ${socketPath}: ${messageOf(error)}`
  return new OpError(code, message, { socket: socketPath, errno }, { cause: error })
}
