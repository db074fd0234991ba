import * as net from 'node:net'
import type { RpcMessage } from '@transom/protocol/jsonrpc'
import { LineSplitter } from './line-splitter.ts'
import type { Transport, TransportListener } from './transport.ts'

export interface SocketOptions {
  /** The longest message that is accepted from the other side. */
  readonly frameBytesMax: number
  /** A server stops reading requests from a client that does not read its answers, so that they cannot pile up. */
  readonly pauseWhenBackedUp?: boolean
  /**
   * What is sent within one turn of the event loop behind a first message goes out in one write: two wake-ups of the
   * other side, not many. Not for a server: it may leave right after its last answer, and tells a slow reader by what a
   * write says at once.
   */
  readonly gathers?: boolean
}

/** Newline-delimited JSON on a connected socket. */
export class SocketTransport implements Transport {
  readonly #socket: net.Socket
  readonly #options: SocketOptions
  #gathering = false

  constructor(socket: net.Socket, options: SocketOptions) {
    this.#socket = socket
    this.#options = options
  }

  send(message: RpcMessage): boolean {
    if (this.#socket.destroyed) return true // nobody waits for it any more
    const taken = this.#socket.write(`${JSON.stringify(message)}\n`)
    if (this.#options.gathers) this.#gather()
    if (!taken && this.#options.pauseWhenBackedUp) this.#socket.pause()
    return taken
  }

  #gather(): void {
    if (this.#gathering) return
    this.#gathering = true
    this.#socket.cork()
    setImmediate(() => {
      this.#gathering = false
      this.#socket.uncork()
    })
  }

  listen(listener: TransportListener): void {
    const decoder = new TextDecoder('utf-8', { fatal: true })
    const splitter = new LineSplitter(
      this.#options.frameBytesMax,
      (line) => {
        let message: unknown
        try {
          const text = decoder.decode(line)
          if (listener.text?.(text)) return
          message = JSON.parse(text)
        } catch {
          listener.malformed?.('parse_error') // not UTF-8 or not JSON
          return
        }
        listener.message(message)
      },
      () => listener.malformed?.('frame_too_large'),
    )
    let failure: Error | null = null
    this.#socket.on('data', (chunk: Buffer) => splitter.push(chunk))
    this.#socket.on('drain', () => {
      this.#socket.resume()
      listener.drain?.()
    })
    this.#socket.on('error', (error) => (failure = error))
    this.#socket.on('close', () => listener.closed(failure))
  }

  close(): void {
    this.#socket.end()
  }

  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }
}

/** Connects to a Unix socket. Rejects with the system's error (ENOENT, ECONNREFUSED) when nobody listens. */
export async function connectUnixSocket(path: string, options: SocketOptions): Promise<SocketTransport> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(path)
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.off('error', reject)
      resolve(new SocketTransport(socket, { gathers: true, ...options }))
    })
  })
}
