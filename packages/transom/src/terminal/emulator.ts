import type { CursorState, TerminalModes } from '@transom/protocol'
import type { Grid } from '@transom/grid'

/** An Event Log record, as far as it changes what a terminal shows. */
export type TerminalEvent =
  | { readonly type: 'output'; readonly bytes: Uint8Array }
  | { readonly type: 'resize'; readonly cols: number; readonly rows: number }
  | { readonly type: 'sync_release' }
  | { readonly type: 'other' }

/** What a session shows after some prefix of its log: an immutable value. */
export interface Frame {
  readonly grid: Grid
  /** The same cells with their text alone: where a web page shows graphics they are empty. */
  readonly text: Grid
  readonly cursor: CursorState
  readonly title: string
  /** How often the program has rung the bell (BEL outside of a sequence). */
  readonly bells: number
  /** The absolute number of the top row: counts every line that ever scrolled off, so that a line keeps its number. */
  readonly firstLine: number
  /** Absolute lines on which the program ran a line editor (bracketed paste mode was on), oldest first. */
  readonly editedLines: readonly LineSpan[]
  /** By row: the seq of the record that wrote to it last, if only to draw the same again. A row that moves keeps it. */
  readonly written: Float64Array
}

export interface LineSpan {
  readonly from: number
  /** Inclusive. */
  readonly to: number
}

export interface Scrollback {
  /** The lines above the screen, oldest first. */
  readonly grid: Grid
  readonly truncated: boolean
}

/**
 * Bytes in, Grid out. No clock and no I/O: the same bytes in any chunks, with the same resizes between them,
 * give the same Frame.
 */
export interface Emulator {
  readonly cols: number
  readonly rows: number
  /** `seq` is the record that the bytes come from. */
  write(bytes: Uint8Array, seq?: number): void
  /** How many of these bytes can be written before others should get their turn: at least one, almost always all. */
  turnLength(bytes: Uint8Array): number
  resize(cols: number, rows: number): void
  /** Whether a synchronized update (mode 2026) is open: frame() then shows the screen from before it. */
  readonly syncActive: boolean
  /** Ends an open synchronized update, as its own end would. */
  releaseSync(): void
  /** What the program is owed for the queries in the bytes so far; empties the list. */
  takeAnswers(): string[]
  frame(): Frame
  /** Where the cursor is, also during a synchronized update, without the cost of a frame: an absolute line, and a column. */
  place(): { line: number; col: number }
  /** The live modes, also during a synchronized update: keys are encoded from them. */
  modes(): TerminalModes
  scrollback(): Scrollback
  /** The whole state as bytes: an emulator that is restored from them goes on as if there had been no break. */
  checkpoint(): Uint8Array
}
