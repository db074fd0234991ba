import type { Grid } from '@transom/grid'
import type { InputEvent } from './input-events.ts'
import type { Cursor } from './screen-writer.ts'

/** `end`: the terminal is closed, or its input has ended. */
export type TerminalEvent = InputEvent | { readonly type: 'end' }

/** A terminal that a person sits at, as a full-screen program sees it. */
export interface PersonsTerminal {
  readonly cols: number
  readonly rows: number
  /** Shows a Grid from the top left corner. Only the newest one is sure to be seen. */
  show(grid: Grid, cursor?: Cursor | null): void
  /** Begins to read. What was typed before is read then. */
  listen(listener: (event: TerminalEvent) => void): void
}
