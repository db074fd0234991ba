import type { TerminalEvent } from './emulator.ts'
import { VtEmulator } from './vt/vt-emulator.ts'

/** A program that prints without line breaks: the line goes out in parts of this size. */
const LINE_CHARS_MAX = 1 << 20

/**
 * All the lines that a terminal showed and scrolled off, in plain text and in memory of a fixed size: a line is
 * written when it leaves the scrollback, and at the end what is left of scrollback and screen. Rows that wrap are
 * joined.
 */
export class TextHistory {
  readonly #emulator: VtEmulator
  readonly #write: (text: string) => void
  /** The line that the next row may go on; null before the first row. */
  #line: string | null = null
  #blankLines = 0

  constructor(cols: number, rows: number, write: (text: string) => void) {
    this.#write = write
    this.#emulator = new VtEmulator(cols, rows)
    this.#emulator.onDrop((text, goesOn) => this.#take(text, goesOn))
  }

  apply(event: TerminalEvent): void {
    switch (event.type) {
      case 'output':
        this.#emulator.write(event.bytes)
        this.#emulator.takeAnswers()
        break
      case 'resize':
        this.#emulator.resize(event.cols, event.rows)
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
    this.#emulator.dropScrollback()
    this.#emulator.releaseSync()
    const { grid } = this.#emulator.frame()
    for (let row = 0; row < grid.rows; row++)
      this.#take(grid.textOf(row, 0, grid.usedCols(row)), grid.isWrapped(row))
    this.#endLine()
  }

  #take(text: string, goesOn: boolean): void {
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
