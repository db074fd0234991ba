import type { RpcMessage } from '@transom/protocol/jsonrpc'

/** A two-way stream of messages, in order. Three methods, so that every surface can be tested without a socket. */
export interface Transport {
  /** False when the other side is slow and the message waits in memory; `drain` tells when it no longer does. */
  send(message: RpcMessage): boolean
  /** Sets who is told. Messages that came before are not lost: nothing is delivered until this is called. */
  listen(listener: TransportListener): void
  close(): void
  /** Stops reading from the other side, which then finds this one slow; for what passes messages on. */
  pause?(): void
  resume?(): void
}

export interface TransportListener {
  /** Any JSON value: whether it is a proper message is for the listener to say. */
  message(message: unknown): void
  /** The message as text, before it is parsed; true when that was all that was wanted of it. */
  text?(text: string): boolean
  /** Something arrived that is no message, and the stream goes on after it. */
  malformed?(problem: 'parse_error' | 'frame_too_large'): void
  drain?(): void
  closed(reason: Error | null): void
}

/** Two transports joined in memory: what one sends the other receives, a turn of the event loop later. */
export function linkedTransports(): [Transport, Transport] {
  const left = new MemoryTransport()
  const right = new MemoryTransport()
  left.peer = right
  right.peer = left
  return [left, right]
}

class MemoryTransport implements Transport {
  peer: MemoryTransport | null = null
  #listener: TransportListener | null = null
  #early: unknown[] = []

  send(message: RpcMessage): boolean {
    const copy: unknown = JSON.parse(JSON.stringify(message)) // what a wire would make of it
    const { peer } = this
    if (peer !== null) queueMicrotask(() => peer.#receive(copy))
    return true
  }

  listen(listener: TransportListener): void {
    this.#listener = listener
    for (const message of this.#early.splice(0)) listener.message(message)
  }

  close(): void {
    const { peer } = this
    this.peer = null
    if (peer === null) return
    peer.peer = null
    queueMicrotask(() => {
      peer.#listener?.closed(null)
      this.#listener?.closed(null)
    })
  }

  #receive(message: unknown): void {
    if (this.#listener === null) this.#early.push(message)
    else this.#listener.message(message)
  }
}
