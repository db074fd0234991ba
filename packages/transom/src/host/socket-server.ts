import * as fs from 'node:fs'
import * as net from 'node:net'
import type { Transport } from '@transom/client'
import { SocketTransport } from '@transom/client/unix-socket'
import type { LocalPrincipal } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { PASSED_ON_BYTES_MAX, PASSED_ON_LIMITS, rpcFailure } from '@transom/protocol/jsonrpc'
import type { ConnectionObserver } from './debug-log.ts'
import type { HostOperations } from './dispatch.ts'
import { localPeer } from './local-peer.ts'
import { RpcConnection } from './rpc-connection.ts'

export interface ServerOptions {
  readonly operations: HostOperations
  readonly onCountChange: () => void
  readonly observer: ConnectionObserver
}

/** Serves JSON-RPC on a Unix socket, to processes of this user only. */
export class SocketServer {
  readonly #server: net.Server
  readonly #path: string
  readonly #connections = new Set<RpcConnection>()
  readonly #options: ServerOptions

  private constructor(path: string, options: ServerOptions) {
    this.#path = path
    this.#options = options
    this.#server = net.createServer((socket) => this.#accept(socket))
  }

  static async listen(path: string, options: ServerOptions): Promise<SocketServer> {
    const server = new SocketServer(path, options)
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

  /** Accepts no new connections. Open ones end with the process, which shows a client that the host has ended. */
  stopListening(): void {
    fs.rmSync(this.#path, { force: true })
    this.#server.close()
  }

  /** Serves a client that was accepted, here or by another server of this process. */
  serve(transport: Transport, peer: LocalPrincipal): void {
    const { operations, onCountChange, observer } = this.#options
    const closed = () => {
      this.#connections.delete(connection)
      onCountChange()
    }
    const connection = new RpcConnection(transport, { peer, operations, closed, observer })
    this.#connections.add(connection)
    onCountChange()
  }

  #accept(socket: net.Socket): void {
    socket.on('error', () => {}) // the close that follows ends the connection's work
    const peer = localPeer(socket)
    if (peer === null) {
      const error = new OpError('socket_untrusted', 'this host serves only the user it runs as')
      socket.end(`${JSON.stringify(rpcFailure(null, error))}\n`)
      return
    }
    const options = { frameBytesMax: PASSED_ON_BYTES_MAX, limits: PASSED_ON_LIMITS }
    this.serve(new SocketTransport(socket, options), peer)
  }
}
