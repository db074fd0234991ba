import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import { deliverText, type Transport, type TransportListener } from '@transom/client'
import { REQUEST_LIMITS, type RpcAnswer, type RpcMessage } from '@transom/protocol/jsonrpc'

const CLOSE_UNSUPPORTED_DATA = 1003
/** Two of these without a sign of life, and the other side is taken for gone. */
const HEARTBEAT_MS = 20_000

/** JSON on a WebSocket, one message a frame. */
export class WebSocketTransport implements Transport {
  readonly #webSocket: WebSocket
  /** The socket beneath, which reports when a slow reader has caught up. */
  readonly #socket: Duplex

  constructor(webSocket: WebSocket, socket: Duplex) {
    this.#webSocket = webSocket
    this.#socket = socket
  }

  send(message: RpcMessage | readonly RpcAnswer[]): boolean {
    if (this.#webSocket.readyState !== WebSocket.OPEN) return true // nothing reads it any more
    this.#webSocket.send(JSON.stringify(message))
    return !this.#socket.writableNeedDrain
  }

  listen(listener: TransportListener): void {
    const webSocket = this.#webSocket
    let alive = true
    const heartbeat = setInterval(() => {
      if (!alive) return webSocket.terminate()
      alive = false
      webSocket.ping()
    }, HEARTBEAT_MS)
    webSocket.on('pong', () => (alive = true))
    webSocket.on('message', (data, isBinary) => {
      if (isBinary) webSocket.close(CLOSE_UNSUPPORTED_DATA, 'messages are text')
      else deliverText(listener, (data as Buffer).toString(), REQUEST_LIMITS) // ws gives one buffer by default
    })
    webSocket.on('error', () => {}) // a frame that breaks the protocol, or a lost connection: the close follows
    webSocket.on('close', () => {
      clearInterval(heartbeat)
      listener.closed(null)
    })
    this.#socket.on('drain', () => listener.drain?.())
  }

  close(): void {
    this.#webSocket.close()
  }

  pause(): void {
    this.#webSocket.pause()
  }

  resume(): void {
    this.#webSocket.resume()
  }
}
