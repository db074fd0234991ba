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
import { OpError } from '@transom/protocol/errors'
import { messageOf } from '../../lib/system-error.ts'
import type { WebPage } from '../../kinds/web/web-page.ts'
import { parseKeys, type KeyPress } from '../../terminal/key-names.ts'
import { withScheme } from './address.ts'

export interface TerminalBrowserOptions {
  readonly page: WebPage
  readonly terminal: PersonsTerminal
  /** The URL as it is opened; throws for one that may not be. */
  checkUrl(url: string): string
  /** Why the guard refused to load a page; null if it did not. */
  problemAt(url: string): Error | null
}

const BAR_ROWS = 1
/** Back, forward and reload: two columns each. */
const BUTTONS = '‹ › ↻ '

/** How far a notch of the wheel goes. */
const WHEEL_ROWS = 3

/**
 * A web browser in a terminal: an address line, and the page below it. Keys and mouse go to the page, but for a few:
 * Ctrl+L edits the address, Alt+Left and Alt+Right go back and forward, Ctrl+R reloads, Ctrl+Q or Ctrl+C ends.
 */
export class TerminalBrowser {
  readonly #options: TerminalBrowserOptions
  readonly #canvas = new Canvas(1, 1)
  #field: TextField | null = null
  #message: string | null = null
  #actions: Promise<void> = Promise.resolve()
  #quit = () => {}

  constructor(options: TerminalBrowserOptions) {
    this.#options = options
  }

  /** Shows pages until the user quits, or the signal aborts. */
  async run(url: string, signal: AbortSignal): Promise<void> {
    const { page, terminal } = this.#options
    const over = new Promise<void>((resolve) => (this.#quit = resolve))
    signal.addEventListener('abort', () => this.#quit())
    const stop = page.observe({
      frame: () => this.#draw(),
      state: () => this.#draw(),
      dialog: (dialog) => {
        this.#field = dialog?.type === 'prompt' ? new TextField(dialog.defaultPrompt) : null
        this.#draw()
      },
      trouble: (error) => this.#say(messageOf(error)),
    })
    terminal.listen((event) => this.#onEvent(event))
    this.#draw()
    this.#open(url)
    await over
    stop()
  }

  #onEvent(event: TerminalEvent): void {
    const { page, terminal } = this.#options
    if (event.type === 'end') return this.#quit()
    if (event.type === 'resize')
      return this.#do(async () => page.setViewport(terminal.cols, terminal.rows - BAR_ROWS))
    if (event.type === 'key' && (event.name === 'Ctrl+q' || event.name === 'Ctrl+c')) return this.#quit()
    if (page.dialog !== null) return this.#onDialogEvent(event)
    if (this.#field !== null) return this.#onFieldEvent(this.#field, event)
    this.#message = null
    if (event.type === 'key') this.#onKey(event)
    else if (event.type === 'paste') this.#do(async () => page.paste(event.text))
    else if (event.type === 'mouse') this.#onMouse(event)
  }

  #onKey(event: KeyEvent): void {
    const { page } = this.#options
    switch (event.name) {
      case 'Ctrl+l':
        return this.#editAddress()
      case 'Alt+Left':
        return this.#do(async () => page.goBack())
      case 'Alt+Right':
        return this.#do(async () => page.goForward())
      case 'Ctrl+r':
      case 'F5':
        return this.#do(async () => page.reload())
      default:
        return this.#do(async () => page.press(pressesOf(event)))
    }
  }

  #onMouse({ row, col, action, button: pressed, wheelRows }: MouseEvent): void {
    const { page } = this.#options
    if (row < BAR_ROWS) return action === 'down' ? this.#onBarClick(col) : undefined
    const cell = { row: row - BAR_ROWS, col }
    const button = pressed === 'middle' || pressed === 'right' ? pressed : 'left'
    switch (action) {
      case 'down':
        return this.#do(async () => page.mouseDown(cell, { button }))
      case 'up':
        return this.#do(async () => page.mouseUp(cell, { button }))
      case 'move':
        return this.#do(async () => page.mouseMove(cell, { button }))
      case 'wheel':
        return wheelRows === 0 ? undefined : this.#do(async () => page.scroll(wheelRows * WHEEL_ROWS, cell))
      default:
        return action satisfies never
    }
  }

  #onBarClick(col: number): void {
    const { page } = this.#options
    if (col < 2) this.#do(async () => page.goBack())
    else if (col < 4) this.#do(async () => page.goForward())
    else if (col < textWidth(BUTTONS)) this.#do(async () => page.reload())
    else this.#editAddress()
  }

  #editAddress(): void {
    this.#field = new TextField(this.#options.page.state.url)
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
    const { page } = this.#options
    const field = this.#field
    const name = event.type === 'key' ? event.name : ''
    if (name === 'Enter' || name === 'Escape') {
      this.#field = null
      return this.#do(async () => page.answerDialog(name === 'Enter', field?.text))
    }
    if (field === null) return
    field.handle(event)
    this.#draw()
  }

  #open(text: string): void {
    this.#do(async () => {
      const { page } = this.#options
      const url = this.#options.checkUrl(text)
      try {
        await page.navigate(url)
      } finally {
        const problem = this.#options.problemAt(page.state.url) ?? this.#options.problemAt(url)
        if (problem !== null) this.#say(messageOf(problem))
      }
    })
  }

  /** One after the other, in the order of the keys. A dialog is answered past what waits for it. */
  #do(action: () => Promise<unknown>): void {
    const run = async () => {
      try {
        await action()
      } catch (error) {
        this.#say(messageOf(error))
      }
    }
    if (this.#options.page.dialog !== null) void run()
    else this.#actions = this.#actions.then(run)
  }

  #say(message: string): void {
    this.#message = message
    this.#draw()
  }

  /** Shows the newest state. */
  #draw(): void {
    const { page, terminal } = this.#options
    const { cols, rows } = terminal
    const canvas = this.#canvas
    canvas.begin(cols, rows)
    if (page.frame !== null)
      canvas.copy(page.frame.grid, { row: BAR_ROWS, col: 0, rows: rows - BAR_ROWS, cols })
    terminal.show(canvas.grid, this.#drawBar(cols))
  }

  /** Returns where the cursor stands in a field that is being edited. */
  #drawBar(cols: number): Cursor | null {
    const { state, dialog } = this.#options.page
    const field = this.#field
    const bar = { row: 0, col: 0, rows: BAR_ROWS, cols }
    const before = dialog === null ? BUTTONS : `[${dialog.type}] ${dialog.message} `
    const after = dialog === null ? '' : ' (Enter: yes, Escape: no)'
    if (field === null) {
      const title = state.title === '' ? '' : ` — ${state.title}`
      const address = `${state.loading ? '… ' : ''}${state.url}${title}`
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

/** The key presses that a page gets for a key; none for a key that pages do not know. */
function pressesOf({ name }: KeyEvent): KeyPress[] {
  try {
    return parseKeys([name])
  } catch (error) {
    if (error instanceof OpError && error.code === 'unknown_key') return []
    throw error
  }
}
