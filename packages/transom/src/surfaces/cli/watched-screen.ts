import { findInText } from '@transom/grid'
import type { Snapshot, SubscriptionMessage } from '@transom/protocol'

type ScreenLine = Snapshot['lines'][number]

/** The screen of a session, built from a subscription: one dump, then changed rows. */
export class WatchedScreen {
  bells = 0
  seq = 0
  #cols = 0
  #rows: ScreenLine[] = []

  apply(message: Extract<SubscriptionMessage, { type: 'screen' | 'rows' }>): void {
    if (message.type === 'screen') {
      const { snapshot } = message
      this.#cols = snapshot.cols
      this.#rows = [...snapshot.lines]
      this.bells = snapshot.bells
      this.seq = snapshot.seq
      return
    }
    for (const { row, line } of message.rows) this.#rows[row] = line
    this.bells = message.bells
    this.seq = message.seq
  }

  /** The line that shows `text`, wrapped rows joined; null if none does. */
  lineWith(text: string): string | null {
    for (const rows of this.#lines()) {
      // A row comes without its trailing blanks. Where the line goes on below they belong to it, unless the last
      // cell is empty because a wide character did not fit: either reading counts.
      for (const pad of [true, false]) {
        const line = rows.map((row, index) => this.#rowText(row, pad && index < rows.length - 1)).join('')
        if (!findInText(line, text).next().done) return line
      }
    }
    return null
  }

  #lines(): ScreenLine[][] {
    const lines: ScreenLine[][] = []
    for (const row of this.#rows) {
      const above = lines.at(-1)
      if (row.wrapped && above !== undefined) above.push(row)
      else lines.push([row])
    }
    return lines
  }

  #rowText({ text, cells }: ScreenLine, pad: boolean): string {
    if (!pad) return text
    const last = cells?.findLast((run) => run.text.trim() !== '')
    if (last === undefined) return text.padEnd(this.#cols)
    const shown = last.col + last.width - (last.text.length - last.text.trimEnd().length)
    return text + ' '.repeat(Math.max(0, this.#cols - shown))
  }
}
