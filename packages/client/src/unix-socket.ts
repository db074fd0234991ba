import * as net from 'node:net'
import type { Duplex } from 'node:stream'
import { OpError } from '@transom/protocol/errors'
import type { JsonLimits, RpcAnswer, RpcMessage } from '@transom/protocol/jsonrpc'
import { LineSplitter } from './line-splitter.ts'
import { deliverText, type Transport, type TransportListener } from './transport.ts'

export interface SocketOptions {
  /** The longest message that is accepted from the other side. */
  readonly frameBytesMax: number
  /** For a server: what its clients may send. */
  readonly limits?: JsonLimits
  /** How much may wait in memory for a slow reader before send() returns false; by default what Node buffers. */
  readonly unreadBytesMax?: number
  /** For a server whose sockets stay writable after the other side has ended its own direction, as socat does. */
  readonly halfOpen?: boolean
  /**
   * Messages sent within one turn of the event loop after a first one go out in one write: two wake-ups of the other
   * side, not many. Not for a server: it may exit right after its last answer, and it detects a slow reader by what
   * each write returns.
   */
  readonly gathers?: boolean
}

const LINE_BREAK = new Uint8Array([0x0a])

/** Newline-delimited JSON on a connected socket. */
export class SocketTransport implements Transport {
  readonly #socket: Duplex
  readonly #options: SocketOptions
  #gathering = false

  constructor(socket: Duplex, options: SocketOptions) {
    this.#socket = socket
    this.#options = options
  }

  send(message: RpcMessage | readonly RpcAnswer[]): boolean {
    if (this.#socket.destroyed || this.#socket.writableEnded) return true // nothing reads it any more
    const taken = this.#socket.write(`${JSON.stringify(message)}\n`)
    if (this.#options.gathers) this.#gather()
    return taken || this.#socket.writableLength <= (this.#options.unreadBytesMax ?? 0)
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
    const { frameBytesMax, limits } = this.#options
    const splitter = new LineSplitter(
      frameBytesMax,
      (line) => {
        let text: string
        try {
          text = decoder.decode(line)
        } catch {
          listener.malformed?.(new OpError('parse_error', 'this message is not JSON in UTF-8'))
          return
        }
        if (!listener.text?.(text)) deliverText(listener, text, limits)
      },
      () => {
        const message = `this message has more than ${frameBytesMax} bytes; split it`
        listener.malformed?.(new OpError('frame_too_large', message, { bytes_max: frameBytesMax }))
      },
    )
    let failure: Error | null = null
    this.#socket.on('data', (chunk: Buffer) => splitter.push(chunk))
    this.#socket.on('drain', () => listener.drain?.())
    if (this.#options.halfOpen) {
      this.#socket.once('end', () => {
        splitter.push(LINE_BREAK) // a last line may lack its own
        listener.ended?.()
      })
    }
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

/** Connects to a Unix socket. Rejects with the system's error (ENOENT, ECONNREFUSED) if no process listens. */
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
