import * as fs from 'node:fs'
import * as os from 'node:os'
import type { ExitRecord } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { platform } from '../../platform/current-platform.ts'
import type { Command } from '../../platform/platform.ts'
import { errnoOf, messageOf } from '../../lib/system-error.ts'
import { DrainBarrier } from './drain-barrier.ts'
import { sampleTerminal, type TerminalSample } from './needs-input.ts'
import { loadPtyBinding } from './pty-binding.ts'
import { PtyReader } from './pty-reader.ts'
import { WriteQueue } from './write-queue.ts'

/** The exit barrier finds the pty full: asked again this often, and unblocked after this many times. */
const BARRIER_RETRY_MS = 1
const BARRIER_TRIES_BEFORE_START = 30
const BARRIER_TRIES_MAX = 2000
const START_OUTPUT = '\x11' // ^Q: lets a terminal go on that ^S had stopped

export interface PtyOptions {
  /** As it was asked for, so that it finds its own name in argv[0]; looked up on the PATH of `env`. */
  readonly program: string
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  readonly cols: number
  readonly rows: number
  readonly mark: bigint
}

export interface PtySink {
  /** The program's bytes, in order and each exactly once. The buffer is the sink's to keep. */
  output(bytes: Buffer): void
  /** How many of these bytes are passed on at once; the rest follows after the others had their turn. */
  turnLength(bytes: Buffer): number
  /** The program has ended; some of its output may still be on the way. */
  exiting(): void
  /** Comes once, after the last output. */
  exit(exit: ExitRecord): void
}

/**
 * A program on a pty, without losing a byte: the program's end of the pty is held open past its exit, so that
 * the kernel never drops what is still in it, and the exit is reported once a barrier has come through.
 */
export class PtySource {
  readonly pid: number
  readonly #sink: PtySink
  readonly #master: number
  readonly #slave: number
  readonly #reader: PtyReader
  readonly #writes: WriteQueue
  #exit: { record: ExitRecord; barrier: DrainBarrier; unwritten: Buffer; tries: number } | null = null
  #closed = false

  /** Starts the program. Blocks for about a millisecond (fork). */
  static start(options: PtyOptions, sink: PtySink): PtySource {
    return new PtySource(options, sink)
  }

  private constructor(options: PtyOptions, sink: PtySink) {
    this.#sink = sink
    const { binding, helperPath } = loadPtyBinding()
    const fork = ({ program, argv, env }: Command) =>
      binding.fork(
        program,
        [...argv],
        Object.entries(env).map(([name, value]) => `${name}=${value}`),
        options.cwd,
        options.cols,
        options.rows,
        -1,
        -1,
        true,
        helperPath,
        (code, signal) => this.#onExit({ code: signal === 0 ? code : null, signal: signalName(signal) }),
      )
    try {
      const pty = platform().withProcessMark(options.mark, options, fork)
      this.pid = pty.pid
      this.#master = pty.fd
      // Held open so that the kernel reports no hang-up, and libuv no end of file, before all has been read.
      this.#slave = fs.openSync(
        pty.pty,
        fs.constants.O_RDWR | fs.constants.O_NOCTTY | fs.constants.O_NONBLOCK,
      )
    } catch (error) {
      const message = `could not start ${options.program} on a new pty: ${messageOf(error)}`
      throw new OpError('spawn_failed', message, { program: options.program }, { cause: error })
    }
    this.#writes = new WriteQueue((bytes) => fs.writeSync(this.#master, bytes))
    this.#reader = new PtyReader(this.#master, {
      data: (bytes) => this.#onData(bytes),
      turnLength: (bytes) => sink.turnLength(bytes),
      failed: () => this.#finish(),
    })
  }

  /** Input that the program has not read. */
  get queuedBytes(): number {
    return this.#writes.bytes
  }

  dropQueued(): void {
    this.#writes.forget()
  }

  /** Throws if the program has left too much of its input unread to take `bytes` more. */
  assertRoom(bytes: number): void {
    this.#writes.assertRoom(bytes)
  }

  write(bytes: Uint8Array): void {
    this.#writes.push(bytes)
  }

  /**
   * Whether a key is read at once. If not, what was typed and not read is forgotten, as the terminal does at an
   * interrupt when it gets to see one: a program that does not read keeps it from that.
   */
  makeWayForInterrupt(): boolean {
    if (this.#closed || (this.#writes.empty && platform().unreadInputBytes(this.#slave) === 0)) return true
    this.#writes.forget()
    platform().forgetInput(this.#slave)
    return false
  }

  resize(cols: number, rows: number): void {
    if (!this.#closed) loadPtyBinding().binding.resize(this.#master, cols, rows)
  }

  /**
   * What happens to input typed now: the terminal echoes it, the program handles it, or it must stay hidden
   * (a line with echo off: a password).
   */
  inputMode(): 'echoed' | 'raw' | 'hidden' {
    if (this.#closed) return 'raw'
    const { echo, canonical } = platform().terminalAttributes(this.#slave)
    if (echo) return 'echoed'
    return canonical ? 'hidden' : 'raw'
  }

  /** Whether a process is blocked reading this terminal; null if it is closed, or not all input has reached it. */
  sample(): TerminalSample | null {
    if (this.#closed || !this.#writes.empty) return null
    return sampleTerminal(this.pid, this.#slave)
  }

  /** Stops reading: the program is stopped by the kernel once the pty is full. */
  pause(): void {
    this.#reader.pause()
  }

  resume(): void {
    this.#reader.resume()
  }

  /** Lets go of the pty, without waiting for an exit. The program gets a hang-up. Idempotent. */
  close(): void {
    if (this.#closed) return
    this.#closed = true
    this.#writes.close()
    this.#reader.close() // the master, too
    fs.closeSync(this.#slave)
  }

  #onData(chunk: Buffer): void {
    if (this.#exit === null) {
      this.#sink.output(chunk)
      this.#writes.flush() // a program that prints may have read, too
      return
    }
    const { bytes, reached } = this.#exit.barrier.take(chunk)
    if (bytes.length > 0) this.#sink.output(bytes)
    if (reached) this.#finish()
    else this.#writeBarrier()
  }

  #onExit(record: ExitRecord): void {
    const barrier = new DrainBarrier()
    this.#exit = { record, barrier, unwritten: barrier.bytes, tries: 0 }
    this.#writes.close()
    this.#sink.exiting()
    this.#writeBarrier()
  }

  #writeBarrier(): void {
    const exit = this.#exit
    if (exit === null || exit.unwritten.length === 0 || this.#closed) return
    try {
      exit.unwritten = exit.unwritten.subarray(fs.writeSync(this.#slave, exit.unwritten))
    } catch (error) {
      if (errnoOf(error) !== 'EAGAIN') return this.#finish()
    }
    if (exit.unwritten.length === 0) return
    // Full, because it is still being read (then data will come), or because ^S stopped it (then none will).
    if (!this.#reader.holding) exit.tries++
    if (exit.tries === BARRIER_TRIES_BEFORE_START) this.#startOutput()
    if (exit.tries > BARRIER_TRIES_MAX && !this.#reader.paused) return this.#finish()
    setTimeout(() => this.#writeBarrier(), BARRIER_RETRY_MS)
  }

  /** Lets the terminal go on if ^S stopped it. */
  #startOutput(): void {
    try {
      platform().forgetInput(this.#slave) // no program reads it any more, and a full terminal would not take the key
      fs.writeSync(this.#master, START_OUTPUT)
    } catch (error) {
      if (errnoOf(error) === undefined) throw error
      // The terminal is closed or accepts no input. The number of tries is bounded.
    }
  }

  #finish(): void {
    if (this.#closed) return
    const exit = this.#exit
    this.close()
    const rest = exit?.barrier.rest()
    if (rest !== undefined && rest.length > 0 && exit !== null && exit.unwritten.length > 0)
      this.#sink.output(rest)
    this.#sink.exit(exit?.record ?? { code: null, signal: null })
  }
}

const SIGNAL_NAMES = new Map(Object.entries(os.constants.signals).map(([name, number]) => [number, name]))

function signalName(signal: number): string | null {
  return signal === 0 ? null : (SIGNAL_NAMES.get(signal) ?? `SIG${signal}`)
}
