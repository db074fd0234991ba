import * as fs from 'node:fs'
import * as net from 'node:net'
import { SocketTransport } from '@transom/client/unix-socket'
import { OpError } from '@transom/protocol/errors'
import { REQUEST_BYTES_MAX, rpcFailure } from '@transom/protocol/jsonrpc'
import { peerUid } from '../lib/native.ts'
import type { Handlers } from './dispatch.ts'
import { RpcConnection } from './rpc-connection.ts'

/** Serves JSON-RPC on a Unix socket, to processes of this user only. */
export class SocketServer {
  readonly #server: net.Server
  readonly #path: string
  readonly #connections = new Set<RpcConnection>()
  readonly #onCountChange: () => void

  private constructor(path: string, handlers: Handlers, onCountChange: () => void) {
    this.#path = path
    this.#onCountChange = onCountChange
    this.#server = net.createServer((socket) => this.#accept(socket, handlers))
  }

  static async listen(path: string, handlers: Handlers, onCountChange: () => void): Promise<SocketServer> {
    const server = new SocketServer(path, handlers, onCountChange)
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject)
      server.#server.listen(path, resolve)
    })
    fs.chmodSync(path, 0o600) // its folder is closed to others already
    return server
  }

  get connectionCount(): number {
    return this.#connections.size
  }

  /** No new connections; those that are there end once they have been answered. */
  async close(): Promise<void> {
    fs.rmSync(this.#path, { force: true })
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
      for (const connection of this.#connections) connection.close()
    })
  }

  #accept(socket: net.Socket, handlers: Handlers): void {
    socket.on('error', () => {}) // the close that follows ends the connection's work
    if (!isOwnUser(socket)) {
      const error = new OpError('socket_untrusted', 'this host serves only the user it runs as')
      socket.end(`${JSON.stringify(rpcFailure(null, error))}\n`)
      return
    }
    const transport = new SocketTransport(socket, {
      frameBytesMax: REQUEST_BYTES_MAX,
      pauseWhenBackedUp: true,
    })
    const connection = new RpcConnection(transport, handlers, () => {
      this.#connections.delete(connection)
      this.#onCountChange()
    })
    this.#connections.add(connection)
    this.#onCountChange()
  }
}

function isOwnUser(socket: net.Socket): boolean {
  // An edge: Node keeps the descriptor of a socket to itself.
  const handle = (socket as unknown as { _handle: { fd: number } | null })._handle
  return handle !== null && peerUid(handle.fd) === process.getuid?.()
}
