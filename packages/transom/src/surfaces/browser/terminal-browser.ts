import { eastAsianWidth } from 'get-east-asian-width'
import { messageOf } from '../../lib/system-error.ts'
import type { WebPage } from '../../kinds/web/web-page.ts'
import { withScheme } from './address.ts'
import { ansiRow, type ColorDepth } from './ansi-rows.ts'
import { TerminalInputReader, type TerminalInput } from './terminal-input.ts'
import { TextField } from './text-field.ts'

/** The terminal that a person sits at. */
export interface PersonsTerminal {
  readonly colors: ColorDepth
  size(): { cols: number; rows: number }
  /** False when it takes no more just now; `onDrain` tells when it does. */
  write(text: string): boolean
  onInput(listener: (text: string) => void): void
  onResize(listener: () => void): void
  onDrain(listener: () => void): void
}

export interface TerminalBrowserOptions {
  readonly page: WebPage
  readonly terminal: PersonsTerminal
  /** The URL as it is opened; throws for one that may not be. */
  checkUrl(url: string): string
  /** Why a page was not loaded, when it was kept from being; null when it was not. */
  problemAt(url: string): Error | null
}

const BAR_ROWS = 1
const BACK = '‹'
const FORWARD = '›'
const RELOAD = '↻'
const BAR_PREFIX_COLS = 6 // "‹ › ↻ "

/** Full screen, mouse with drags, paste in one piece; and all of it taken back. */
export const ENTER_SCREEN = '\u001b[?1049h\u001b[2J\u001b[?25l\u001b[?1002h\u001b[?1006h\u001b[?2004h'
export const LEAVE_SCREEN = '\u001b[0m\u001b[?2004l\u001b[?1006l\u001b[?1002l\u001b[?25h\u001b[?1049l'

/**
 * A web browser in a terminal: an address line, and the page below it. Keys and mouse go to the page, but for a few:
 * Ctrl+L edits the address, Alt+Left and Alt+Right go back and forward, Ctrl+R reloads, Ctrl+Q or Ctrl+C ends.
 */
export class TerminalBrowser {
  readonly #options: TerminalBrowserOptions
  readonly #reader = new TerminalInputReader()
  #drawn: string[] = []
  #field: TextField | null = null
  #message: string | null = null
  #isBlocked = false
  #actions: Promise<void> = Promise.resolve()
  #quit = () => {}

  constructor(options: TerminalBrowserOptions) {
    this.#options = options
  }

  /** Shows pages until the person quits, or the signal says so. */
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
    terminal.onInput((text) => {
      for (const input of this.#reader.read(text)) this.#onInput(input)
    })
    terminal.onResize(() => {
      this.#drawn = []
      this.#do(async () => page.setViewport(terminal.size().cols, terminal.size().rows - BAR_ROWS))
    })
    terminal.onDrain(() => {
      this.#isBlocked = false
      this.#draw()
    })
    this.#draw()
    this.#open(url)
    await over
    stop()
  }

  #onInput(input: TerminalInput): void {
    if (input.type === 'key' && (input.name === 'Ctrl+q' || input.name === 'Ctrl+c')) return this.#quit()
    if (this.#options.page.dialog !== null) return this.#onDialogInput(input)
    if (this.#field !== null) return this.#onFieldInput(this.#field, input)
    this.#message = null
    switch (input.type) {
      case 'key':
        return this.#onKey(input)
      case 'paste':
        return this.#do(async () => this.#options.page.paste(input.text))
      case 'mouse':
        return this.#onMouse(input)
      default:
        return input satisfies never
    }
  }

  #onKey({ name, press }: Extract<TerminalInput, { type: 'key' }>): void {
    const { page } = this.#options
    switch (name) {
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
        return this.#do(async () => page.press([press]))
    }
  }

  #onMouse(input: Extract<TerminalInput, { type: 'mouse' }>): void {
    const { page } = this.#options
    if (input.row < BAR_ROWS) return input.action === 'down' ? this.#onBarClick(input.col) : undefined
    const cell = { row: input.row - BAR_ROWS, col: input.col }
    const { button } = input
    switch (input.action) {
      case 'down':
        return this.#do(async () => page.mouseDown(cell, { button }))
      case 'up':
        return this.#do(async () => page.mouseUp(cell, { button }))
      case 'move':
        return this.#do(async () => page.mouseMove(cell, { button }))
      case 'wheel':
        return this.#do(async () => page.scroll(input.delta, cell))
      default:
        return input.action satisfies never
    }
  }

  #onBarClick(col: number): void {
    const { page } = this.#options
    if (col < 2) this.#do(async () => page.goBack())
    else if (col < 4) this.#do(async () => page.goForward())
    else if (col < BAR_PREFIX_COLS) this.#do(async () => page.reload())
    else this.#editAddress()
  }

  #editAddress(): void {
    this.#field = new TextField(this.#options.page.state.url)
    this.#draw()
  }

  #onFieldInput(field: TextField, input: TerminalInput): void {
    if (input.type === 'paste') field.insert(input.text)
    if (input.type === 'key') {
      if (input.name === 'Enter' || input.name === 'Escape') {
        this.#field = null
        if (input.name === 'Enter') this.#open(withScheme(field.text.trim()))
      } else if (!field.edit(input.name)) typeInto(field, input)
    }
    this.#draw()
  }

  /** Enter agrees and Escape does not; in between, the answer to a prompt is typed. */
  #onDialogInput(input: TerminalInput): void {
    const { page } = this.#options
    const field = this.#field
    if (input.type === 'key' && (input.name === 'Enter' || input.name === 'Escape')) {
      const isAgreed = input.name === 'Enter'
      this.#field = null
      return this.#do(async () => page.answerDialog(isAgreed, field?.text))
    }
    if (field === null) return
    if (input.type === 'paste') field.insert(input.text)
    else if (input.type === 'key' && !field.edit(input.name)) typeInto(field, input)
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

  /** Writes the rows that have changed. A slow terminal gets the newest state when it is ready again. */
  #draw(): void {
    if (this.#isBlocked) return
    const { page, terminal } = this.#options
    const { cols, rows } = terminal.size()
    const grid = page.frame?.grid
    const shown = [this.#bar(cols)]
    for (let row = 0; row < rows - BAR_ROWS; row++) {
      const isThere = grid !== undefined && row < grid.rows && grid.cols <= cols
      shown.push(isThere ? ansiRow(grid, row, terminal.colors) : '\u001b[0m\u001b[K')
    }
    let text = ''
    for (const [row, line] of shown.entries()) {
      if (this.#drawn[row] !== line) text += `\u001b[${row + 1};1H${line}`
    }
    this.#drawn = shown
    const cursor = this.#field === null ? '\u001b[?25l' : `\u001b[1;${this.#fieldCol(cols)}H\u001b[?25h`
    if (text !== '' || this.#field !== null) this.#isBlocked = !terminal.write(text + cursor)
  }

  #bar(cols: number): string {
    const { state, dialog } = this.#options.page
    const say = (text: string) => `\u001b[0;7m${fitted(text, cols)}\u001b[0m`
    if (dialog !== null) {
      const answer = this.#field === null ? '' : ` ${this.#field.text}`
      return say(`[${dialog.type}] ${dialog.message}${answer}  (Enter: yes, Escape: no)`)
    }
    const start = `${BACK} ${FORWARD} ${RELOAD} `
    if (this.#field !== null) return say(start + this.#field.text)
    if (this.#message !== null) return say(`${start}${this.#message}`)
    const title = state.title === '' ? '' : ` — ${state.title}`
    return say(`${start}${state.loading ? '… ' : ''}${state.url}${title}`)
  }

  #fieldCol(cols: number): number {
    return Math.min(cols, BAR_PREFIX_COLS + (this.#field?.cursor ?? 0) + 1)
  }
}

function typeInto(field: TextField, { press }: Extract<TerminalInput, { type: 'key' }>): void {
  if (press.kind === 'character' && !press.ctrl && !press.alt) field.insert(press.character)
}

/** A page's words in one line of the terminal: no controls, not longer than it. */
function fitted(text: string, cols: number): string {
  let line = ''
  let width = 0
  for (const character of text.replaceAll(CONTROLS, ' ')) {
    const more = /\p{M}/u.test(character) ? 0 : eastAsianWidth(character.codePointAt(0) ?? 0)
    if (width + more > cols) break
    line += character
    width += more
  }
  return line + ' '.repeat(cols - width)
}

/** C0, DEL and C1, and marks that change the direction of what follows. */
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
