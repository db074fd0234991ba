import { Unicode11Addon } from '@xterm/addon-unicode11'
import { Terminal } from '@xterm/headless'
import type { TerminalEvent } from './emulator.ts'
import { Utf8Carry } from './utf8-carry.ts'
import { SCROLLBACK_LINES_MAX } from './xterm-emulator.ts'

/** Each byte scrolls one line at the most, so that no piece can fill a scrollback that has just been emptied. */
const PIECE_BYTES = SCROLLBACK_LINES_MAX / 2
/** A program that prints without line breaks: the line goes out in parts of this size. */
const LINE_CHARS_MAX = 1 << 20

interface Row {
  readonly isWrapped: boolean
  translateToString(trimRight: boolean): string
}

interface Rows {
  readonly length: number
  get(index: number): Row | undefined
  onTrim(listener: (count: number) => void): unknown
}

interface Internals {
  readonly _inputHandler: { parse(bytes: Uint8Array): unknown }
  readonly buffers: { readonly normal: { readonly lines: Rows; readonly ybase: number } }
}

/**
 * All the lines that a terminal showed and scrolled off, in plain text and in memory of a fixed size: a line is
 * written when it leaves the scrollback, and at the end what is left of scrollback and screen. Rows that wrap are
 * joined. The terminal is set up as the live one, so that the two end up with the same screen.
 */
export class TextHistory {
  readonly #terminal: Terminal
  readonly #internals: Internals
  readonly #carry = new Utf8Carry()
  readonly #write: (text: string) => void
  /** The rows that `#onTrim` listens to: a reset of the terminal makes new ones. */
  #rows: Rows
  /** The row that leaves next. Held, because it is out of the list by the time its leaving is announced. */
  #oldest: Row | undefined
  #resizing = false
  /** The line that the next row may go on; null before the first row. */
  #line: string | null = null
  #blankLines = 0

  constructor(cols: number, rows: number, write: (text: string) => void) {
    this.#terminal = new Terminal({
      cols,
      rows,
      scrollback: SCROLLBACK_LINES_MAX,
      allowProposedApi: true,
      logLevel: 'off',
    })
    this.#terminal.loadAddon(new Unicode11Addon())
    this.#terminal.unicode.activeVersion = '11'
    this.#write = write
    // An edge: the library's own types hide its core.
    this.#internals = (this.#terminal as unknown as { _core: Internals })._core
    this.#rows = this.#follow()
    this.#terminal.parser.registerEscHandler({ final: 'c' }, () => {
      this.#takeScrollback() // RIS: the rows go without a word
      return false
    })
  }

  apply(event: TerminalEvent): void {
    switch (event.type) {
      case 'output':
        for (let at = 0; at < event.bytes.length; at += PIECE_BYTES)
          this.#parse(event.bytes.subarray(at, at + PIECE_BYTES))
        break
      case 'resize':
        this.#resize(event.cols, event.rows)
        break
      case 'sync_release':
      case 'other':
        break
      default:
        event satisfies never
    }
  }

  /** Writes what is still on the screen and above it. */
  end(): void {
    this.#takeScrollback()
    const { active } = this.#terminal.buffer
    for (let index = active.baseY; index < active.length; index++) this.#take(active.getLine(index))
    this.#endLine()
  }

  #parse(bytes: Uint8Array): void {
    this.#internals._inputHandler.parse(this.#carry.take(bytes))
    if (this.#rows !== this.#internals.buffers.normal.lines) this.#rows = this.#follow()
    this.#oldest = this.#rows.get(0)
  }

  #follow(): Rows {
    const { lines } = this.#internals.buffers.normal
    lines.onTrim((count) => {
      if (!this.#resizing && lines === this.#rows) this.#onTrim(lines, count)
    })
    this.#oldest = lines.get(0)
    return lines
  }

  #onTrim(lines: Rows, count: number): void {
    if (count === 1) this.#take(this.#oldest)
    // Several at once are cut off the start, and still lie before it.
    else for (let index = -count; index < 0; index++) this.#take(lines.get(index))
    this.#oldest = lines.get(0)
  }

  #takeScrollback(): void {
    const { lines, ybase } = this.#internals.buffers.normal
    for (let index = 0; index < ybase; index++) this.#take(lines.get(index))
  }

  /** Another width gives a line another number of rows, and the oldest may have to go: they are told by counting lines. */
  #resize(cols: number, rows: number): void {
    const before = this.#lines()
    const goesOn = this.#rows.get(0)?.isWrapped ?? false
    this.#resizing = true
    this.#terminal.resize(cols, rows)
    this.#resizing = false
    this.#oldest = this.#rows.get(0)
    const after = this.#lines()
    const goneCount = Math.max(0, before.length - after.length)
    for (const [index, line] of before.slice(0, goneCount).entries())
      this.#takeText(line, index === 0 && goesOn)
    // Of the line at the edge only the first rows may have gone.
    const edge = before[goneCount] ?? ''
    const rest = after[0] ?? ''
    if (this.#oldest?.isWrapped && edge.length > rest.length && edge.endsWith(rest))
      this.#takeText(edge.slice(0, edge.length - rest.length), goneCount === 0 && goesOn)
  }

  /** The lines of the normal screen and its scrollback, without the blank ones at the end. */
  #lines(): string[] {
    const { lines } = this.#internals.buffers.normal
    const texts: string[] = []
    for (let index = 0; index < lines.length; index++) {
      const row = lines.get(index)
      const text = row?.translateToString(true) ?? ''
      if (row?.isWrapped && texts.length > 0) texts.push((texts.pop() ?? '') + text)
      else texts.push(text)
    }
    while (texts.at(-1)?.trimEnd() === '') texts.pop()
    return texts
  }

  #take(row: Row | undefined): void {
    if (row !== undefined) this.#takeText(row.translateToString(true), row.isWrapped)
  }

  #takeText(text: string, goesOn: boolean): void {
    if (!goesOn) this.#endLine()
    this.#line = (this.#line ?? '') + text
    if (this.#line.length > LINE_CHARS_MAX) {
      this.#flushBlankLines()
      this.#write(safe(this.#line))
      this.#line = ''
    }
  }

  #endLine(): void {
    if (this.#line !== null) this.#writeLine(this.#line)
    this.#line = null
  }

  /** Blank lines wait for one that is not: the end of a screen is mostly blank. */
  #writeLine(line: string): void {
    const text = safe(line.trimEnd())
    if (text === '') {
      this.#blankLines++
      return
    }
    this.#flushBlankLines()
    this.#write(`${text}\n`)
  }

  #flushBlankLines(): void {
    if (this.#blankLines > 0) this.#write('\n'.repeat(this.#blankLines))
    this.#blankLines = 0
  }
}

/** The emulator leaves no control characters in a cell; should it, they do not reach a viewer's terminal. */
function safe(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd')
}
