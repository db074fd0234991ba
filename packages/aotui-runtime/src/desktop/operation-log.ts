import type { SavedLines } from '../contract/command.ts'

/** The last lines of what happened, numbered from the first one ever, so that an agent sees what is new. */
export class OperationLog {
  #lines: string[]
  #firstNumber: number
  readonly #linesMax: number

  constructor(linesMax: number, saved: SavedLines = { first: 1, lines: [] }) {
    this.#linesMax = linesMax
    this.#lines = [...saved.lines]
    this.#firstNumber = saved.first
  }

  /** A line that repeats the last one is counted instead: a program that fails in a loop fills no log. */
  add(text: string): void {
    const line = text.replaceAll(/\s+/g, ' ').trim().slice(0, LINE_CHARS_MAX)
    const last = this.#lines.at(-1)
    const [, body = last, times = '1'] = /^(.*) \(×(\d+)\)$/.exec(last ?? '') ?? []
    if (last !== undefined && body === line) {
      this.#lines[this.#lines.length - 1] = `${line} (×${Number(times) + 1})`
      return
    }
    this.#lines.push(line)
    if (this.#lines.length > this.#linesMax) {
      this.#lines.shift()
      this.#firstNumber++
    }
  }

  get lines(): readonly { number: number; text: string }[] {
    return this.#lines.map((text, index) => ({ number: this.#firstNumber + index, text }))
  }

  save(): SavedLines {
    return { first: this.#firstNumber, lines: [...this.#lines] }
  }
}

const LINE_CHARS_MAX = 500
