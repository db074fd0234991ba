import { ScreenModel, type Client, type ShownScreen } from '@transom/client'
import type { SubscriptionMessage } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { Canvas, type Cursor, type KeyEvent, type PersonsTerminal, type TerminalEvent } from '@transom/tui'
import { messageOf } from '../../lib/system-error.ts'
import { drawScreen } from '../live-view/draw-screen.ts'

export interface AttachOptions {
  readonly client: AttachClient
  readonly session: string
  /** How the status line names the session. */
  readonly title: string
  readonly terminal: PersonsTerminal
}

export type AttachClient = Pick<Client, 'call' | 'subscribe' | 'whenClosed'>

/** How a person's look at a session ended. */
export type AttachEnd = 'detached' | 'ended' | 'host_lost'

/** Begins a command of the viewer's own. Terminals and shells leave it alone, as telnet's users know. */
const COMMAND_KEY = 'Ctrl+]'
/** The lease outlives a dropped connection for so long: time to attach again. */
const KEEP_MS = 30_000
/** Keys that wait for the host. Past this a person types into a session that takes nothing. */
const PENDING_KEYS_MAX = 1000
const STATUS_ROWS = 1

interface Point {
  readonly row: number
  readonly col: number
}

/**
 * A session on a person's terminal: looked at, or written to under its lease. The session keeps its size: a larger one
 * is cut off and can be moved. Only cells are drawn; nothing that a program printed reaches the terminal.
 */
export class AttachView {
  readonly #options: AttachOptions
  readonly #canvas = new Canvas(1, 1)
  readonly #page = new Canvas(1, 1)
  readonly #model = new ScreenModel()
  /** The cell of the session in the upper left corner. */
  #from: Point = { row: 0, col: 0 }
  #lease: string | null = null
  #isCommand = false
  #message: string | null = null
  #keys: string[] = []
  #actions: Promise<void> = Promise.resolve()
  #finish: (end: AttachEnd) => void = () => {}

  constructor(options: AttachOptions) {
    this.#options = options
  }

  /** Shows the session until the person detaches, the session ends, or the host is lost. Gives the lease back. */
  async run(
    begin: { readonly write: boolean; readonly takeover: boolean },
    signal: AbortSignal,
  ): Promise<AttachEnd> {
    const { client, session, terminal } = this.#options
    const over = new Promise<AttachEnd>((resolve) => (this.#finish = resolve))
    signal.addEventListener('abort', () => this.#finish('detached'), { once: true })
    void client.whenClosed().then(() => this.#finish('host_lost'))
    if (begin.write) await this.#take(begin.takeover)
    await client.subscribe({ session, to: 'screen' }, (message) => this.#onMessage(message))
    terminal.listen((event) => this.#onEvent(event))
    this.#draw()
    const end = await over
    if (end === 'detached') await this.#actions.then(async () => this.#give()).catch(() => {}) // it expires by itself
    return end
  }

  #onMessage(message: SubscriptionMessage): void {
    if (message.type === 'end') return this.#finish('ended')
    if (message.type === 'error') return this.#finish('host_lost')
    if (message.type !== 'screen' && message.type !== 'rows') return
    this.#model.apply(message)
    if (this.#lease !== null) this.#followCursor()
    this.#draw()
  }

  #onEvent(event: TerminalEvent): void {
    if (event.type === 'end') return this.#finish('detached')
    if (event.type === 'resize') return this.#move({ row: 0, col: 0 })
    if (event.type === 'key') return this.#onKey(event)
    if (this.#lease === null) return
    const lease = this.#lease
    const { client, session } = this.#options
    if (event.type === 'paste')
      this.#do(async () => void (await client.call('session.paste', { session, text: event.text, lease })))
    else if (event.type === 'mouse' && event.row < this.#viewRows) {
      const at = { row: event.row + this.#from.row, col: event.col + this.#from.col }
      const button: 'left' | 'middle' | 'right' =
        event.button === 'middle' || event.button === 'right' ? event.button : 'left'
      const lines = event.wheelRows === 0 ? {} : { lines: event.wheelRows }
      const mouse = { session, action: event.action, at, button, ...lines, lease }
      this.#do(async () => {
        await client.call('session.mouse', mouse).catch(passOver('mouse_not_enabled'))
      })
    }
  }

  #onKey(event: KeyEvent): void {
    this.#message = null
    if (this.#isCommand) {
      this.#isCommand = false
      this.#onCommand(event)
    } else if (event.name === COMMAND_KEY) this.#isCommand = true
    else if (this.#lease !== null) this.#send(event.name)
    else if (!this.#pan(event.name))
      this.#message = `read-only; ${COMMAND_KEY} w to write, ${COMMAND_KEY} d to leave`
    this.#draw()
  }

  #onCommand({ name }: KeyEvent): void {
    if (name === COMMAND_KEY) return this.#lease === null ? undefined : this.#send(COMMAND_KEY)
    if (this.#pan(name)) return
    switch (name) {
      case 'd':
      case 'q':
        return this.#finish('detached')
      case 'w':
        return this.#do(async () => (this.#lease === null ? this.#take(false) : this.#give()))
      case 'W':
        return this.#do(async () => this.#take(true))
      case 'r':
        return this.#do(async () => this.#resize())
      default:
        this.#message = COMMAND_HELP
    }
  }

  /** Keys that were pressed while the host was busy go together. */
  #send(key: string): void {
    if (this.#keys.length >= PENDING_KEYS_MAX) return
    this.#keys.push(key)
    if (this.#keys.length > 1) return
    this.#do(async () => {
      const { client, session } = this.#options
      const keys = this.#keys.splice(0)
      if (this.#lease !== null) await client.call('session.keys', { session, keys, lease: this.#lease })
    })
  }

  async #take(takeover: boolean): Promise<void> {
    const { client, session } = this.#options
    const asked = { session, as: 'person', takeover, hold: true, keep_ms: KEEP_MS } as const
    this.#lease = (await client.call('session.lease_take', asked)).lease
    this.#followCursor()
  }

  async #give(): Promise<void> {
    const { client, session } = this.#options
    const lease = this.#lease
    this.#lease = null
    if (lease !== null) await client.call('session.lease_give', { session, lease })
  }

  async #resize(): Promise<void> {
    const { client, session, terminal } = this.#options
    if (this.#lease === null) throw new OpError('usage', `read-only; ${COMMAND_KEY} w to write`)
    await client.call('session.resize', {
      session,
      cols: terminal.cols,
      rows: this.#viewRows,
      lease: this.#lease,
    })
  }

  /** One after another. What fails is shown; a lost lease ends the writing. */
  #do(action: () => Promise<void>): void {
    this.#actions = this.#actions.then(action).catch((error: unknown) => {
      if (error instanceof OpError && (error.code === 'lease_changed' || error.code === 'held'))
        this.#lease = null
      this.#message = messageOf(error)
    })
    void this.#actions.then(() => this.#draw())
  }

  /** Whether a key moves the view. */
  #pan(name: string): boolean {
    const step = PANS[name]
    if (step === undefined) return false
    this.#move({ row: step.row * (step.far ? this.#viewRows : 1), col: step.col * (step.far ? 8 : 1) })
    return true
  }

  #move(by: Point): void {
    const { cols = 0, rows = 0 } = this.#model.shown ?? {}
    const { terminal } = this.#options
    const within = (value: number, max: number) => Math.max(0, Math.min(value, max))
    this.#from = {
      row: within(this.#from.row + by.row, rows - this.#viewRows),
      col: within(this.#from.col + by.col, cols - terminal.cols),
    }
    this.#draw()
  }

  #followCursor(): void {
    const { cursor } = this.#model.shown ?? {}
    if (cursor === undefined) return
    const outside = (at: number, from: number, size: number) =>
      at < from ? at - from : at >= from + size ? at - from - size + 1 : 0
    this.#move({
      row: outside(cursor.row, this.#from.row, this.#viewRows),
      col: outside(cursor.col, this.#from.col, this.#options.terminal.cols),
    })
  }

  get #viewRows(): number {
    return Math.max(1, this.#options.terminal.rows - STATUS_ROWS)
  }

  #draw(): void {
    const { terminal } = this.#options
    const { shown } = this.#model
    const canvas = this.#canvas
    const view = { row: 0, col: 0, rows: this.#viewRows, cols: terminal.cols }
    canvas.begin(terminal.cols, terminal.rows)
    if (shown !== null) {
      this.#page.begin(shown.cols, shown.rows)
      drawScreen(this.#page, this.#page.area, shown)
      canvas.copy(this.#page.grid, view, this.#from)
    }
    canvas.statusLine({ row: this.#viewRows, col: 0, rows: 1, cols: terminal.cols }, this.#status(shown))
    terminal.show(canvas.grid, shown === null ? null : this.#cursor(shown))
  }

  #cursor({ cursor }: ShownScreen): Cursor | null {
    const at = { row: cursor.row - this.#from.row, col: cursor.col - this.#from.col }
    const isSeen =
      at.row >= 0 && at.row < this.#viewRows && at.col >= 0 && at.col < this.#options.terminal.cols
    return isSeen ? { ...cursor, ...at } : null
  }

  #status(shown: ShownScreen | null): string {
    if (this.#isCommand) return COMMAND_HELP
    if (this.#message !== null) return this.#message
    const size = shown === null ? '' : `${shown.cols}x${shown.rows}`
    const { row, col } = this.#from
    const place = row === 0 && col === 0 ? '' : ` from ${row},${col}`
    const mode = this.#lease === null ? 'read-only' : 'writing'
    return `${this.#options.title}  ${mode}  ${size}${place}  ${COMMAND_KEY} d leaves, ${COMMAND_KEY} ? helps`
  }
}

const COMMAND_HELP = `d leave  w write or stop  W take over  r fit the session to this terminal  arrows move  ${COMMAND_KEY} sends it`

const PANS: Readonly<Record<string, { row: number; col: number; far?: true }>> = {
  Up: { row: -1, col: 0 },
  Down: { row: 1, col: 0 },
  Left: { row: 0, col: -1 },
  Right: { row: 0, col: 1 },
  PageUp: { row: -1, col: 0, far: true },
  PageDown: { row: 1, col: 0, far: true },
  Home: { row: 0, col: -1, far: true },
  End: { row: 0, col: 1, far: true },
}

function passOver(code: string): (error: unknown) => void {
  return (error) => {
    if (!(error instanceof OpError) || error.code !== code) throw error
  }
}
