import * as fs from 'node:fs'
import type { Grid } from '@transom/grid'
import { colorDepth } from '../color-depth.ts'
import { InputReader } from '../input-reader.ts'
import type { PersonsTerminal, TerminalEvent } from '../persons-terminal.ts'
import { ScreenWriter, type Cursor } from '../screen-writer.ts'

export interface OwnTerminalOptions {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether clicks, drags and the wheel are reported. */
  readonly mouse?: boolean
  /** Whether a paste is reported as one event instead of as keys. */
  readonly paste?: boolean
  /** A smaller terminal is taken for one of this size. */
  readonly colsMin?: number
  readonly rowsMin?: number
}

/** How long an Escape may be the beginning of a sequence: one that is sent in two packets takes less. */
const ESCAPE_MS = 50
/** Before output is tried again that a terminal in non-blocking mode did not take. */
const RETRY_MS = 10
const STDOUT = 1
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const
/** Ends a sequence that was cut off. */
const CANCEL = '\u0018'

/**
 * The terminal that this process runs in, taken over for a full-screen program. It is given back by `restore`, and
 * when the process ends in any way that lets it run code: by itself, by an uncaught error or by a signal.
 */
export class OwnTerminal implements PersonsTerminal {
  readonly #options: OwnTerminalOptions
  readonly #reader = new InputReader()
  readonly #writer: ScreenWriter
  readonly #decoder = new TextDecoder()
  /** The newest frame, until it is written. */
  #frame: { readonly grid: Grid; readonly cursor: Cursor | null } | null = null
  #isWriting = false
  #listener: ((event: TerminalEvent) => void) | null = null
  #isTaken = true
  /** Removes every listener. */
  readonly #stops: (() => void)[] = []
  #escapeTimer: NodeJS.Timeout | undefined

  private constructor(options: OwnTerminalOptions) {
    this.#options = options
    const { cols, rows } = this
    this.#writer = new ScreenWriter({ cols, rows, colors: colorDepth(options.env), synchronized: true })
  }

  /** Switches to the alternate screen and raw keys. Both ends have to be a terminal. */
  static take(options: OwnTerminalOptions): OwnTerminal {
    const terminal = new OwnTerminal(options)
    terminal.#watch()
    terminal.#enter()
    return terminal
  }

  get cols(): number {
    return Math.max(process.stdout.columns, this.#options.colsMin ?? 1)
  }

  get rows(): number {
    return Math.max(process.stdout.rows, this.#options.rowsMin ?? 1)
  }

  /**
   * Shows a Grid from the top left corner. While the terminal is busy with an earlier one, only the newest is kept:
   * a slow terminal skips frames, and neither holds up this process nor fills its memory.
   */
  show(grid: Grid, cursor: Cursor | null = null): void {
    this.#frame = { grid, cursor }
    this.#draw()
  }

  listen(listener: (event: TerminalEvent) => void): void {
    this.#listener = listener
    const end = () => this.#emit({ type: 'end' })
    this.#on(process.stdin, 'end', end)
    this.#on(process.stdin, 'error', end)
    this.#on(process.stdin, 'data', (chunk) => this.#read(chunk))
    process.stdin.resume()
  }

  /** Restores the terminal. Idempotent. */
  restore(): void {
    if (!this.#isTaken) return
    this.#isTaken = false
    clearTimeout(this.#escapeTimer)
    for (const stop of this.#stops) stop()
    process.stdin.pause()
    try {
      process.stdin.setRawMode(false)
      fs.writeSync(STDOUT, `${this.#isWriting ? CANCEL : ''}${this.#leaving}`)
    } catch (error) {
      if (!isGone(error)) throw error
    }
  }

  get #entering(): string {
    const { mouse = false, paste = false } = this.#options
    return `\u001b[?1049h\u001b[?7l${mouse ? '\u001b[?1002h\u001b[?1006h' : ''}${paste ? '\u001b[?2004h' : ''}`
  }

  get #leaving(): string {
    const { mouse = false, paste = false } = this.#options
    const modes = `${paste ? '\u001b[?2004l' : ''}${mouse ? '\u001b[?1006l\u001b[?1002l' : ''}`
    return `\u001b[?2026l\u001b[m${modes}\u001b[?7h\u001b[0 q\u001b[?25h\u001b[?1049l`
  }

  #enter(): void {
    process.stdin.setRawMode(false) // after a stop Node takes the mode for set that the shell has changed
    process.stdin.setRawMode(true)
    fs.writeSync(STDOUT, this.#entering)
  }

  #on(emitter: NodeJS.EventEmitter, event: string, listener: (value: Uint8Array) => void): void {
    emitter.on(event, listener)
    this.#stops.push(() => emitter.off(event, listener))
  }

  /** Follows what happens to the terminal and to this process. */
  #watch(): void {
    this.#on(process.stdout, 'resize', () => {
      const { cols, rows } = this
      this.#writer.resize(cols, rows)
      this.#emit({ type: 'resize', cols, rows })
    })
    // Before Node prints the error: on the alternate screen it would be lost.
    this.#on(process, 'uncaughtExceptionMonitor', () => this.restore())
    this.#on(process, 'exit', () => this.restore())
    this.#on(process, 'SIGCONT', () => {
      this.#enter()
      this.#writer.forget()
      this.#emit({ type: 'resize', cols: this.cols, rows: this.rows })
    })
    for (const signal of SIGNALS) this.#on(process, signal, () => this.#onSignal(signal))
  }

  /** A program that handles a signal itself decides when it ends. Others end as they would without this. */
  #onSignal(signal: (typeof SIGNALS)[number]): void {
    if (process.listenerCount(signal) > 1) return
    this.restore()
    process.kill(process.pid, signal)
  }

  #read(chunk: Uint8Array): void {
    clearTimeout(this.#escapeTimer)
    this.#emit(...this.#reader.read(this.#decoder.decode(chunk, { stream: true })))
    if (!this.#reader.isWaiting || !this.#isTaken) return
    this.#escapeTimer = setTimeout(() => this.#emit(...this.#reader.flush()), ESCAPE_MS)
  }

  #emit(...events: TerminalEvent[]): void {
    for (const event of events) if (this.#isTaken) this.#listener?.(event)
  }

  #draw(): void {
    if (this.#frame === null || this.#isWriting || !this.#isTaken) return
    const { grid, cursor } = this.#frame
    this.#frame = null
    const text = this.#writer.draw(grid, cursor)
    if (text !== '') this.#write(new TextEncoder().encode(text))
  }

  /** On a thread of its own: Node's standard output would hold up the whole process while a terminal takes nothing. */
  #write(bytes: Uint8Array): void {
    this.#isWriting = true
    fs.write(STDOUT, bytes, (error, written) => {
      if (!this.#isTaken) return
      const rest = error === null ? bytes.subarray(written) : bytes
      if (error?.code === 'EAGAIN') setTimeout(() => this.#write(rest), RETRY_MS)
      else if (error !== null) this.#emit({ type: 'end' })
      else if (rest.length > 0) this.#write(rest)
      else {
        this.#isWriting = false
        this.#draw()
      }
    })
  }
}

/** Whether the terminal has been closed: nothing is left to be restored. */
function isGone(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : ''
  return code === 'EIO' || code === 'EPIPE' || code === 'EBADF' || code === 'ENOTTY' || code === 'EAGAIN'
}
