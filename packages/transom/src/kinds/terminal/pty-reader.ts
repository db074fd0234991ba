import type { OnReadOpts, SocketConstructorOpts } from 'node:net'
import * as tty from 'node:tty'
import { platform } from '../../platform/current-platform.ts'

/**
 * How much is taken from one program before the others get their turn: about half a millisecond, most of it the time
 * that a flooding program needs to print it.
 */
const READ_TURN_BYTES = 8 << 10
/**
 * A read that gives less has caught up with the program. To go on would keep a processor busy with small reads, which
 * the other programs and the kernel's own work for the pty need: an echo beside a flood took three times as long.
 */
const FULL_READ_BYTES = 2 << 10
/** No pty holds more for one read: Linux gives 4 KiB, macOS 1 KiB. */
const READ_BYTES_MAX = 64 << 10

const EMPTY = Buffer.alloc(0)

/** One for all ptys: what is read has left it before the next read. Made with the first of them. */
let buffer: Buffer | null = null

export interface PtyReaderSink {
  /** The buffer is the sink's to keep. */
  data(bytes: Buffer): void
  /** How many of these bytes it takes at once, at least one: those that follow come in a later turn. */
  turnLength(bytes: Buffer): number
  /** Nothing more can be read. */
  failed(): void
}

const readTerminal = (fd: number, into: Uint8Array) => platform().readTerminal(fd, into)

/**
 * Reads the master of a pty, everything that is there at a time: what the kernel gives in pieces of 4 KiB and less
 * becomes one piece, so that what is done for each is done less often.
 */
export class PtyReader {
  readonly #fd: number
  readonly #sink: PtyReaderSink
  readonly #read: typeof readTerminal
  readonly #stream: tty.ReadStream
  /** What was read and is not passed on yet. */
  #held: Buffer = EMPTY
  #resting = false
  #paused = false
  #closed = false

  constructor(fd: number, sink: PtyReaderSink, read = readTerminal) {
    this.#fd = fd
    this.#sink = sink
    this.#read = read
    buffer ??= Buffer.allocUnsafeSlow(READ_TURN_BYTES + READ_BYTES_MAX)
    const onread: OnReadOpts = { buffer, callback: (length, bytes) => this.#onRead(length, bytes) }
    // Documented for connections only, and taken by every stream of a handle.
    const options: SocketConstructorOpts & { onread: OnReadOpts } = { onread }
    this.#stream = new tty.ReadStream(fd, options)
    this.#stream.on('error', () => {
      const held = this.#held
      this.#held = EMPTY
      if (held.length > 0) sink.data(held)
      sink.failed()
    })
    this.#stream.resume()
  }

  get paused(): boolean {
    return this.#paused
  }

  /** Whether it has more for the sink without reading. */
  get holding(): boolean {
    return this.#held.length > 0
  }

  pause(): void {
    this.#paused = true
    this.#stream.pause()
  }

  resume(): void {
    this.#paused = false
    this.#goOn()
  }

  /** Closes the master, too. */
  close(): void {
    this.#closed = true
    this.#stream.destroy()
  }

  /** Returns whether to go on at once: libuv would read a flooding pty 32 times in a row. */
  #onRead(firstLength: number, bytes: Uint8Array): boolean {
    let length = firstLength
    while (length < READ_TURN_BYTES) {
      const more = this.#read(this.#fd, bytes.subarray(length))
      length += more
      if (more < FULL_READ_BYTES) break
    }
    const all = Buffer.from(bytes.subarray(0, length))
    const taken = this.#sink.turnLength(all)
    this.#held = all.subarray(taken)
    const isTurnOver = length >= READ_TURN_BYTES || this.holding
    if (isTurnOver) this.#rest()
    this.#sink.data(all.subarray(0, taken))
    return !isTurnOver && !this.#paused && !this.#closed
  }

  #rest(): void {
    this.#resting = true
    setImmediate(() => {
      this.#resting = false
      if (!this.#paused) this.#goOn()
    })
  }

  #goOn(): void {
    if (this.#resting || this.#closed) return
    if (this.holding) this.#passOn()
    else this.#stream.resume()
  }

  /** The next of what was read. */
  #passOn(): void {
    const held = this.#held
    const taken = this.#sink.turnLength(held)
    this.#held = held.subarray(taken)
    this.#rest()
    this.#sink.data(held.subarray(0, taken))
  }
}
