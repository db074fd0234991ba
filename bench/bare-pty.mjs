// @ts-check
/** A program on a pty and nothing else: the least that a Node program can do to run it and to get its bytes. */
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import * as tty from 'node:tty'

/**
 * @typedef {import('../packages/transom/src/kinds/terminal/pty-binding.ts').PtyBinding} PtyBinding
 * @typedef {{ command: readonly string[], env: Record<string, string>, onData: (chunk: Buffer) => void, onEnd?: () => void }} BarePtyOptions
 */

const BARRIER_RETRY_MS = 1

export class BarePty {
  #onData
  #onEnd
  #master
  #slave
  #pid
  #reader
  /** Written to the program's end after its exit: once it comes out of ours, everything before it has been read. */
  #barrier = randomBytes(16).toString('hex')
  #tail = ''
  #exited = false
  #closed = false

  /** @param {BarePtyOptions} options */
  constructor({ command, env, onData, onEnd = () => {} }) {
    this.#onData = onData
    this.#onEnd = onEnd
    const [file = '', ...args] = command
    const started = loadBinding().fork(
      file,
      args,
      Object.entries(env).map(([name, value]) => `${name}=${value}`),
      '/',
      80,
      24,
      -1,
      -1,
      true,
      '',
      () => this.#onExit(),
    )
    this.#pid = started.pid
    this.#master = started.fd
    this.#slave = fs.openSync(
      started.pty,
      fs.constants.O_RDWR | fs.constants.O_NOCTTY | fs.constants.O_NONBLOCK,
    )
    this.#reader = new tty.ReadStream(this.#master)
    this.#reader.on('data', (/** @type {Buffer} */ chunk) => this.#take(chunk))
  }

  /** @param {string} text */
  write(text) {
    fs.writeSync(this.#master, text)
  }

  /** Ends the program, if it still runs, and lets go of the pty. Idempotent. */
  close() {
    if (this.#closed) return
    this.#closed = true
    if (!this.#exited) process.kill(this.#pid, 'SIGKILL')
    this.#reader.destroy()
    fs.closeSync(this.#slave)
  }

  /** @param {Buffer} chunk */
  #take(chunk) {
    this.#onData(chunk)
    if (!this.#exited) return
    this.#tail = (this.#tail + chunk.toString('latin1')).slice(-65_536)
    if (!this.#tail.includes(this.#barrier)) return
    this.close()
    this.#onEnd()
  }

  #onExit() {
    this.#exited = true
    if (!this.#closed) this.#writeBarrier()
  }

  #writeBarrier() {
    try {
      fs.writeSync(this.#slave, this.#barrier)
    } catch {
      setTimeout(() => this.#closed || this.#writeBarrier(), BARRIER_RETRY_MS) // full: it is still being read
    }
  }
}

/** @returns {PtyBinding} */
function loadBinding() {
  const require = createRequire(createRequire(import.meta.url).resolve('@lydell/node-pty'))
  return require(`@lydell/node-pty-${process.platform}-${process.arch}/pty.node`)
}
