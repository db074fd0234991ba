import {
  Canvas,
  TextField,
  type Cursor,
  type KeyEvent,
  type MouseEvent,
  type PersonsTerminal,
  type TerminalEvent,
} from '@transom/tui'
import { textWidth } from '@transom/grid'
import { ScreenModel, type Client } from '@transom/client'
import type { PageView, Params, SubscriptionMessage } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { messageOf } from '../../lib/system-error.ts'
import { drawScreen } from '../live-view/draw-screen.ts'
import { withScheme } from './address.ts'

export interface TerminalBrowserOptions {
  readonly client: Client
  /** A web session that only this browser operates. */
  readonly session: string
  readonly terminal: PersonsTerminal
}

/** Before the first frame. */
const NO_PAGE: PageView = {
  url: '',
  title: '',
  loading: true,
  can_go_back: false,
  can_go_forward: false,
  dialog: null,
}

const BAR_ROWS = 1
/** Back, forward and reload: two columns each. */
const BUTTONS = '‹ › ↻ '

/** The rows of the terminal that show the page. */
export function pageRows(terminal: PersonsTerminal): number {
  return terminal.rows - BAR_ROWS
}

/** How far a notch of the wheel goes. */
const WHEEL_ROWS = 3

/**
 * A web browser in a terminal: an address line, and the page below it. Keys and mouse go to the page, but for a few:
 * Ctrl+L edits the address, Alt+Left and Alt+Right go back and forward, Ctrl+R reloads, Ctrl+Q or Ctrl+C ends.
 */
export class TerminalBrowser {
  readonly #options: TerminalBrowserOptions
  readonly #canvas = new Canvas(1, 1)
  readonly #model = new ScreenModel()
  #field: TextField | null = null
  #message: string | null = null
  #actions: Promise<void> = Promise.resolve()
  #quit = () => {}

  constructor(options: TerminalBrowserOptions) {
    this.#options = options
  }

  /** Shows pages until the user quits, the signal aborts or the session ends. */
  async run(url: string, signal: AbortSignal): Promise<void> {
    const { client, session, terminal } = this.#options
    const over = new Promise<void>((resolve) => (this.#quit = resolve))
    signal.addEventListener('abort', () => this.#quit())
    await client.subscribe({ session, to: 'screen' }, (message) => this.#onMessage(message))
    terminal.listen((event) => this.#onEvent(event))
    this.#draw()
    this.#open(url)
    await over
  }

  /** Shows a message in place of the address until the next key. */
  say(message: string): void {
    this.#message = message
    this.#draw()
  }

  get #page(): PageView {
    return this.#model.shown?.page ?? NO_PAGE
  }

  #onMessage(message: SubscriptionMessage): void {
    if (message.type === 'end' || message.type === 'error') return this.#quit()
    if (message.type !== 'screen' && message.type !== 'rows') return
    const hadDialog = this.#page.dialog !== null
    this.#model.apply(message)
    if (hadDialog !== (this.#page.dialog !== null)) this.#field = null // of the address, or of an answered prompt
    this.#draw()
  }

  /** The field that is edited: for the address, or for the answer to a prompt. */
  get #edited(): TextField | null {
    const { dialog } = this.#page
    if (dialog === null) return this.#field
    return dialog.type === 'prompt' ? (this.#field ??= new TextField(dialog.default_prompt)) : null
  }

  #onEvent(event: TerminalEvent): void {
    const { terminal } = this.#options
    if (event.type === 'end') return this.#quit()
    if (event.type === 'resize')
      return this.#do('session.resize', { cols: terminal.cols, rows: pageRows(terminal) })
    if (event.type === 'key' && (event.name === 'Ctrl+q' || event.name === 'Ctrl+c')) return this.#quit()
    if (this.#page.dialog !== null) return this.#onDialogEvent(event)
    if (this.#field !== null) return this.#onFieldEvent(this.#field, event)
    this.#message = null
    if (event.type === 'key') this.#onKey(event)
    else if (event.type === 'paste') this.#do('session.paste', { text: event.text })
    else if (event.type === 'mouse') this.#onMouse(event)
  }

  #onKey(event: KeyEvent): void {
    switch (event.name) {
      case 'Ctrl+l':
        return this.#editAddress()
      case 'Alt+Left':
        return this.#do('web.go_back', {})
      case 'Alt+Right':
        return this.#do('web.go_forward', {})
      case 'Ctrl+r':
      case 'F5':
        return this.#do('web.reload', {})
      default:
        return this.#do('session.keys', { keys: [event.name] })
    }
  }

  #onMouse({ row, col, action, button: pressed, wheelRows }: MouseEvent): void {
    if (row < BAR_ROWS) return action === 'down' ? this.#onBarClick(col) : undefined
    const at = { row: row - BAR_ROWS, col }
    const button = pressed === 'middle' || pressed === 'right' ? pressed : 'left'
    switch (action) {
      case 'down':
      case 'up':
      case 'move':
        return this.#do('session.mouse', { action, at, button })
      case 'wheel':
        if (wheelRows !== 0) this.#do('session.mouse', { action, at, lines: wheelRows * WHEEL_ROWS })
        return undefined
      default:
        return action satisfies never
    }
  }

  #onBarClick(col: number): void {
    if (col < 2) this.#do('web.go_back', {})
    else if (col < 4) this.#do('web.go_forward', {})
    else if (col < textWidth(BUTTONS)) this.#do('web.reload', {})
    else this.#editAddress()
  }

  #editAddress(): void {
    this.#field = new TextField(this.#page.url)
    this.#draw()
  }

  #onFieldEvent(field: TextField, event: TerminalEvent): void {
    const name = event.type === 'key' ? event.name : ''
    if (name === 'Enter' || name === 'Escape') {
      this.#field = null
      if (name === 'Enter') this.#open(withScheme(field.text.trim()))
    } else field.handle(event)
    this.#draw()
  }

  /** Enter accepts and Escape dismisses. Before that, the answer to a prompt is edited. */
  #onDialogEvent(event: TerminalEvent): void {
    const field = this.#edited
    const name = event.type === 'key' ? event.name : ''
    if (name === 'Enter' || name === 'Escape') {
      this.#field = null
      const answer = name === 'Enter' ? 'accept' : 'dismiss'
      return this.#do('web.answer_dialog', { answer, text: field?.text })
    }
    if (field === null) return
    field.handle(event)
    this.#draw()
  }

  #open(url: string): void {
    this.#do('web.navigate', { url })
  }

  /** One after the other, in the order of the keys. A dialog is answered past what waits for it. */
  #do<N extends PageOperation>(operation: N, params: Omit<Params<N>, 'session'>): void {
    const { client, session } = this.#options
    const run = async () => {
      try {
        await client.request(operation, { ...params, session })
      } catch (error) {
        const isUnknown = error instanceof OpError && error.code === 'unknown_key'
        if (!isUnknown) this.say(messageOf(error)) // pages do not know every key
      }
    }
    if (this.#page.dialog !== null) void run()
    else this.#actions = this.#actions.then(run)
  }

  /** Shows the newest state. */
  #draw(): void {
    const { terminal } = this.#options
    const { cols, rows } = terminal
    const canvas = this.#canvas
    canvas.begin(cols, rows)
    const { shown } = this.#model
    if (shown !== null) drawScreen(canvas, { row: BAR_ROWS, col: 0, rows: pageRows(terminal), cols }, shown)
    terminal.show(canvas.grid, this.#drawBar(cols))
  }

  /** Returns where the cursor stands in a field that is being edited. */
  #drawBar(cols: number): Cursor | null {
    const { url, title: named, loading, dialog } = this.#page
    const field = this.#edited
    const bar = { row: 0, col: 0, rows: BAR_ROWS, cols }
    const before = dialog === null ? BUTTONS : `[${dialog.type}] ${dialog.message} `
    const after = dialog === null ? '' : ' (Enter: yes, Escape: no)'
    if (field === null) {
      const title = named === '' ? '' : ` — ${named}`
      const address = `${loading ? '… ' : ''}${url}${title}`
      const text = dialog === null ? (this.#message ?? address) : ''
      this.#canvas.statusLine(bar, before + text + after)
      return null
    }
    this.#canvas.statusLine(bar, before)
    const start = Math.min(textWidth(before), Math.max(0, cols - FIELD_COLS_MIN))
    const view = field.view(cols - start)
    this.#canvas.statusLine({ ...bar, col: start, cols: cols - start }, view.text, { right: after })
    return { row: 0, col: start + view.cursorCol, visible: true, shape: 'bar', blink: false }
  }
}

/** What is left for an answer when a question fills the line. */
const FIELD_COLS_MIN = 10

type PageOperation =
  | 'session.keys'
  | 'session.mouse'
  | 'session.paste'
  | 'session.resize'
  | 'web.answer_dialog'
  | 'web.go_back'
  | 'web.go_forward'
  | 'web.navigate'
  | 'web.reload'
