import type { PageView, TerminalModes } from '@transom/protocol'
import type { CanonicalText } from '@transom/grid'
import type { LogRecord } from '../log/record.ts'
import type { Frame, Scrollback } from '../terminal/emulator.ts'

/** The derived state of a session: a function of the records applied to it, live and in a replay alike. */
export interface Projection {
  /** The seq of the last record applied. */
  readonly seq: number
  /** Takes the next record. One that it does not know leaves what is shown as it is. */
  apply(record: LogRecord): void
  frame(): Frame
  /** The text that waits match and the Screen Hash digests; computed once for each frame. */
  canonical(): CanonicalText
  /** The whole state, to begin with in place of the records so far; null where it cannot be saved. */
  checkpoint(): Uint8Array | null
  readonly views: ProjectedViews
}

/** What only some kinds of session show beside their cells. */
export interface ProjectedViews {
  readonly modes?: () => TerminalModes
  readonly page?: () => PageView
  readonly scrollback?: () => Scrollback
}
