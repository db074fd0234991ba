import type { TerminalModes } from '@transom/protocol'
import { canonicalText, type CanonicalText } from '../grid/canonical-text.ts'
import type { Emulator, Frame, Scrollback } from '../terminal/emulator.ts'
import type { Screen, ScreenEvent } from './screen.ts'

/** Nobody looks further up for what was shown a moment ago. */
const FOUND_ROWS_MAX = 4

/** What a terminal shows. */
export class TerminalScreen implements Screen {
  readonly #emulator: Emulator
  #seq = 0
  #canonical: { frame: Frame; text: CanonicalText } | null = null

  constructor(emulator: Emulator) {
    this.#emulator = emulator
  }

  get seq(): number {
    return this.#seq
  }

  get syncActive(): boolean {
    return this.#emulator.syncActive
  }

  apply(seq: number, event: ScreenEvent): void {
    switch (event.type) {
      case 'output':
        this.#emulator.write(event.bytes)
        break
      case 'resize':
        this.#emulator.resize(event.cols, event.rows)
        break
      case 'sync_release':
        this.#emulator.releaseSync()
        break
      case 'web_frame':
      case 'web_page':
      case 'other':
        break
      default:
        event satisfies never
    }
    this.#seq = seq
  }

  /** The emulator cannot write its state down. */
  checkpoint(): null {
    return null
  }

  takeAnswers(): string[] {
    return this.#emulator.takeAnswers()
  }

  frame(): Frame {
    return this.#emulator.frame()
  }

  /** Where the cursor is now, for what needs no frame. */
  place(): { line: number; col: number; cols: number } {
    return { ...this.#emulator.place(), cols: this.#emulator.cols }
  }

  /** Where a text stands at the end of one of the rows above the cursor, the nearest first; null when it does not. */
  findAbove(text: string): { rows: number; col: number } | null {
    const { grid, cursor } = this.frame()
    for (let row = cursor.row - 1; row >= 0 && row >= cursor.row - FOUND_ROWS_MAX; row--) {
      const end = grid.usedCols(row)
      for (let col = end - text.length; col >= 0; col--)
        if (grid.textOf(row, col, end).trimEnd() === text) return { rows: cursor.row - row, col }
    }
    return null
  }

  canonical(): CanonicalText {
    const frame = this.frame()
    if (this.#canonical?.frame !== frame) this.#canonical = { frame, text: canonicalText(frame.grid) }
    return this.#canonical.text
  }

  modes(): TerminalModes {
    return this.#emulator.modes()
  }

  page(): null {
    return null
  }

  scrollback(): Scrollback {
    return this.#emulator.scrollback()
  }
}
