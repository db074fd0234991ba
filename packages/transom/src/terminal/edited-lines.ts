import type { LineSpan } from './emulator.ts'

const SPANS_MAX = 64 // more prompts than any screen shows

/**
 * The lines on which a program ran a line editor. Line editors (readline, zle, fish) switch bracketed paste
 * mode on while they read a line and off before they run it, which separates their redrawing of typed text from
 * what the command prints, in the byte stream itself and so in a replay too.
 */
export class EditedLines {
  #spans: LineSpan[] = []
  #openFrom: number | null = null

  /** `line` is where the cursor is; `atStart` whether it is in the first column, as after the Enter key. */
  set(on: boolean, line: number, atStart: boolean): void {
    if (on) {
      this.#openFrom ??= line
    } else if (this.#openFrom !== null) {
      this.#spans = [...this.#spans, { from: this.#openFrom, to: atStart ? line - 1 : line }].slice(
        -SPANS_MAX,
      )
      this.#openFrom = null
    }
  }

  /** All spans; one that is still open ends at `line`. */
  upTo(line: number): readonly LineSpan[] {
    return this.#openFrom === null ? this.#spans : [...this.#spans, { from: this.#openFrom, to: line }]
  }

  /** What a checkpoint keeps. */
  get state(): EditedLinesState {
    return { spans: this.#spans, openFrom: this.#openFrom }
  }

  restore({ spans, openFrom }: EditedLinesState): void {
    this.#spans = [...spans]
    this.#openFrom = openFrom
  }
}

export interface EditedLinesState {
  readonly spans: readonly LineSpan[]
  /** Where the span begins that has not ended yet. */
  readonly openFrom: number | null
}
