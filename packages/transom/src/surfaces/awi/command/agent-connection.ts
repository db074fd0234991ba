import { RpcPeer, type Transport } from '@transom/client'
import { connectUnixSocket } from '@transom/client/unix-socket'
import { ERROR_TABLE, OpError, type ErrorCode } from '@transom/protocol/errors'
import { RESPONSE_BYTES_MAX, type RpcFailure } from '@transom/protocol/jsonrpc'
import { errnoOf, messageOf } from '../../../lib/system-error.ts'
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
  readonly #peer: RpcPeer
  #onClosed: (reason: Error) => void = () => {}
  /** Called with each notification. */
  onNotification: (message: { method: string; params: unknown }) => void = () => {}
  readonly whenClosed = new Promise<Error>((resolve) => (this.#onClosed = resolve))

  static async open(socketPath: string): Promise<AgentConnection> {
    try {
      return new AgentConnection(await connectUnixSocket(socketPath, { frameBytesMax: RESPONSE_BYTES_MAX }))
    } catch (error) {
      throw connectionError(error, socketPath)
    }
  }

  constructor(transport: Transport) {
    this.#peer = new RpcPeer(transport, {
      notified: (method, params) => this.onNotification({ method, params }),
      errorFrom: (failure) => new AgentError(failure),
      closedError: () =>
        new OpError(
          'host_unavailable',
          'the browser closed the connection before it answered; it may have ended',
        ),
      closed: (error) => this.#onClosed(error),
    })
  }

  async request(method: string, params: Record<string, unknown>, signal: AbortSignal): Promise<unknown> {
    return this.#peer.request(method, params, { signal })
  }

  close(): void {
    this.#peer.close()
  }
}

function connectionError(error: unknown, socketPath: string): OpError {
  const errno = errnoOf(error)
  if (errno === 'ENOENT' || errno === 'ECONNREFUSED' || errno === 'ENOTSOCK') return noBrowser([socketPath])
  const code: ErrorCode = errno === 'EACCES' || errno === 'EPERM' ? 'socket_untrusted' : 'io_error'
  const message = `could not connect to ${socketPath}: ${messageOf(error)}`
  return new OpError(code, message, { socket: socketPath, errno }, { cause: error })
}
