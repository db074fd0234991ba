import type { OpError } from '@transom/protocol/errors'
import { parseJson, type JsonLimits, type RpcAnswer, type RpcMessage } from '@transom/protocol/jsonrpc'

/** A two-way stream of messages, in order. Three methods, so that every surface can be tested without a socket. */
export interface Transport {
  /** Returns false if the other side is slow and the message waits in memory; `drain` follows once it does not. */
  send(message: RpcMessage | readonly RpcAnswer[]): boolean
  /** Sets the listener. Nothing is delivered before, so that no message is lost. */
  listen(listener: TransportListener): void
  close(): void
  /** Stops reading from the other side, whose send buffer then fills. */
  pause?(): void
  resume?(): void
}

export interface TransportListener {
  /** Any JSON value: the listener judges whether it is a proper message. */
  message(message: unknown): void
  /** Gets the message as text, before it is parsed; returns true if it need not be parsed. */
  text?(text: string): boolean
  /** Something other than a message arrived, and the stream continues after it. */
  malformed?(error: OpError): void
  drain?(): void
  /** The other side sends nothing more, but still reads. */
  ended?(): void
  closed(reason: Error | null): void
}

/** Gives a message to a listener: parsed, or the reason why it is not taken. Answers of our own servers have no limits. */
export function deliverText(listener: TransportListener, text: string, limits: JsonLimits | undefined): void {
  let message: unknown
  try {
    message = parseJson(text, limits)
  } catch (error) {
    listener.malformed?.(error as OpError) // parseJson() throws nothing else
    return
  }
  listener.message(message)
}

export interface LinkOptions {
  /** Messages that wait for a side that does not read before send() returns false. */
  readonly queueMax?: number
}

const QUEUE_MAX_DEFAULT = 1024 // more than any test sends in one turn of the event loop

/** Two transports joined in memory: the messages that one sends arrive at the other in a later microtask. */
export function linkedTransports({ queueMax = QUEUE_MAX_DEFAULT }: LinkOptions = {}): [Transport, Transport] {
  const left = new MemoryTransport(queueMax)
  const right = new MemoryTransport(queueMax)
  left.peer = right
  right.peer = left
  return [left, right]
}

/** Stands in the queue after the last message. */
const END = Symbol('end')

class MemoryTransport implements Transport {
  peer: MemoryTransport | null = null
  readonly #queueMax: number
  #listener: TransportListener | null = null
  /** What the other side has sent and this one has not read, as a wire would carry it. */
  #queue: (string | typeof END)[] = []
  #paused = false
  #backedUp = false

  constructor(queueMax: number) {
    this.#queueMax = queueMax
  }

  send(message: RpcMessage | readonly RpcAnswer[]): boolean {
    const text = JSON.stringify(message)
    const { peer } = this
    if (peer === null) return true
    peer.#enqueue(text)
    this.#backedUp = peer.#queue.length > this.#queueMax
    return !this.#backedUp
  }

  listen(listener: TransportListener): void {
    this.#listener = listener
    this.#deliverLater()
  }

  close(): void {
    const { peer } = this
    if (peer === null) return
    this.peer = null
    peer.peer = null
    this.#queue = []
    for (const side of [peer, this]) {
      side.#paused = false // like a socket, which fails when it writes to a closed end
      side.#enqueue(END)
    }
  }

  pause(): void {
    this.#paused = true
  }

  resume(): void {
    this.#paused = false
    this.#deliverLater()
  }

  #enqueue(item: string | typeof END): void {
    this.#queue.push(item)
    this.#deliverLater()
  }

  #deliverLater(): void {
    queueMicrotask(() => this.#deliverText())
  }

  #deliverText(): void {
    while (this.#listener !== null && !this.#paused) {
      const item = this.#queue.shift()
      if (item === undefined) break
      if (item === END) this.#listener.closed(null)
      else this.#listener.message(JSON.parse(item))
    }
    const { peer } = this
    if (this.#queue.length === 0 && peer !== null) peer.#onRead()
  }

  #onRead(): void {
    if (!this.#backedUp) return
    this.#backedUp = false
    this.#listener?.drain?.()
  }
}
