import * as fs from 'node:fs'
import * as net from 'node:net'
import { OpError } from '@transom/protocol/errors'
import { rpcFailure } from '@transom/protocol/jsonrpc'
import { errnoOf } from '../../../lib/system-error.ts'
import { AgentConnection, type AgentObserver, type AgentService } from './agent-connection.ts'
import { claimAgentSocket, inUse, unlistenedPath } from './agent-socket-path.ts'
import { localPeer } from '../../../host/local-peer.ts'

/** Serves a page's methods on a Unix socket, to processes of this user only. */
export class AgentServer {
  readonly path: string
  readonly #server: net.Server
  readonly #sockets = new Set<net.Socket>()

  static async listen(path: string, service: AgentService, observer: AgentObserver): Promise<AgentServer> {
    await claimAgentSocket(path)
    const server = new AgentServer(path, service, observer)
    const firstPath = unlistenedPath(path)
    // Nobody else may connect in the moment before the mode is set.
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

  private constructor(path: string, service: AgentService, observer: AgentObserver) {
    this.path = path
    // Half open: whoever has sent everything (as socat does) still waits for its answers.
    this.#server = net.createServer({ allowHalfOpen: true }, (socket) => {
      socket.on('error', () => {}) // the close that follows ends the connection's work
      const peer = localPeer(socket)
      if (peer === null) {
        const error = new OpError('socket_untrusted', 'this browser serves only the user it runs as')
        socket.end(`${JSON.stringify(rpcFailure(null, error))}\n`)
        return
      }
      this.#sockets.add(socket)
      socket.once('close', () => this.#sockets.delete(socket))
      new AgentConnection(socket, { peer, service, observer })
    })
  }

  get connectionCount(): number {
    return this.#sockets.size
  }

  /** Ends every connection and removes the socket. */
  async close(): Promise<void> {
    fs.rmSync(this.path, { force: true })
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
