import * as fs from 'node:fs'
import * as net from 'node:net'
import type { Client } from '@transom/client'
import { SocketTransport } from '@transom/client/unix-socket'
import type { LocalPrincipal } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { REQUEST_LIMITS, rpcFailure } from '@transom/protocol/jsonrpc'
import { localPeer } from '../../../host/local-peer.ts'
import { errnoOf } from '../../../lib/system-error.ts'
import { AgentConnection, type AgentObserver } from './agent-connection.ts'
import { claimAgentSocket, inUse, unlistenedPath } from './agent-socket-path.ts'

const REQUEST_BYTES_MAX = 8 << 20 // a long text to paste; no request needs more
/** What may wait in a client's socket before the next request is read. */
const UNREAD_BYTES_MAX = 4 << 20

export interface AgentServerOptions {
  /** The web session that is served. */
  readonly session: string
  /** Connects to the host as a client of this server. */
  readonly connect: (peer: LocalPrincipal) => Client
  readonly observer: AgentObserver
}

/** Serves a web session on a Unix socket as the AWI-TTY specification has it, to processes of this user only. */
export class AgentServer {
  readonly path: string
  readonly #options: AgentServerOptions
  readonly #server: net.Server
  readonly #sockets = new Set<net.Socket>()

  static async listen(path: string, options: AgentServerOptions): Promise<AgentServer> {
    await claimAgentSocket(path)
    const server = new AgentServer(path, options)
    const firstPath = unlistenedPath(path)
    // No other user may connect in the moment before the mode is set.
    const umask = process.umask(0o077)
    try {
      await new Promise<void>((resolve, reject) => {
        server.#server.once('error', reject)
        server.#server.listen(firstPath, resolve)
      })
    } finally {
      process.umask(umask)
    }
    fs.chmodSync(firstPath, 0o600)
    try {
      fs.linkSync(firstPath, path)
    } catch (error) {
      server.#server.close()
      throw errnoOf(error) === 'EEXIST' ? inUse(path) : error
    } finally {
      fs.rmSync(firstPath, { force: true })
    }
    return server
  }

  private constructor(path: string, options: AgentServerOptions) {
    this.path = path
    this.#options = options
    // Half open: a client that has sent everything (as socat does) still waits for its answers.
    this.#server = net.createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket))
  }

  /** Ends every connection and removes the socket. */
  async close(): Promise<void> {
    fs.rmSync(this.path, { force: true })
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #accept(socket: net.Socket): void {
    socket.on('error', () => {}) // the close that follows ends the connection's work
    const peer = localPeer(socket)
    if (peer === null) {
      const error = new OpError('socket_untrusted', 'this browser serves only the user it runs as')
      socket.end(`${JSON.stringify(rpcFailure(null, error))}\n`)
      return
    }
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    const transport = new SocketTransport(socket, {
      frameBytesMax: REQUEST_BYTES_MAX,
      limits: REQUEST_LIMITS,
      unreadBytesMax: UNREAD_BYTES_MAX,
      halfOpen: true,
    })
    const { connect, session, observer } = this.#options
    new AgentConnection(transport, { peer, host: connect(peer), session, observer })
  }
}
