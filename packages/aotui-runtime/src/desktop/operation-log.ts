import type { SavedLines } from '../contract/command.ts'

/** The last lines of what happened, numbered from the first one ever, so that an agent sees what is new. */
export class OperationLog {
  readonly #lines: LogLine[]
  #nextNumber: number
  readonly #linesMax: number

  constructor(linesMax: number, saved: SavedLines = { first: 1, lines: [] }) {
    this.#linesMax = linesMax
    this.#lines = saved.lines.map((text, index) => ({ number: saved.first + index, text }))
    this.#nextNumber = saved.first + saved.lines.length
  }

  /** A line that repeats the last one is counted instead: a program that fails in a loop fills no log. */
  add(text: string): void {
    const line = text.replaceAll(/\s+/g, ' ').trim().slice(0, LINE_CHARS_MAX)
    const last = this.#lines.at(-1)
    const [, body = last?.text, times = '1'] = /^(.*) \(×(\d+)\)$/.exec(last?.text ?? '') ?? []
    if (last !== undefined && body === line) {
      const text = `${line} (×${Number(times) + 1})`
      this.#lines[this.#lines.length - 1] = { number: last.number, text }
      return
    }
    this.#lines.push({ number: this.#nextNumber++, text: line })
    if (this.#lines.length > this.#linesMax) this.#lines.shift()
  }

  /** A line is the same object for as long as it reads the same. */
  get lines(): readonly LogLine[] {
    return [...this.#lines]
  }

  save(): SavedLines {
    return {
      first: this.#lines[0]?.number ?? this.#nextNumber,
      lines: this.#lines.map(({ text }) => text),
    }
  }
}

export interface LogLine {
  readonly number: number
  readonly text: string
}

const LINE_CHARS_MAX = 500
