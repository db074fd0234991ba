import type { PageView, TerminalModes } from '@transom/protocol'
import type { CanonicalText } from '../grid/canonical-text.ts'
import type { Frame, Scrollback, TerminalEvent } from '../terminal/emulator.ts'

/** An Event Log record, as far as it changes what a session shows. Every other record leaves the screen as it is. */
export type ScreenEvent =
  | TerminalEvent
  | { readonly type: 'web_frame'; readonly bytes: Uint8Array }
  | { readonly type: 'web_page'; readonly page: Partial<PageView> }

/**
 * The derived state of a session of whatever kind: a function of the events applied to it, live and in a replay
 * alike.
 */
export interface Screen {
  /** The seq of the last event applied. */
  readonly seq: number
  apply(seq: number, event: ScreenEvent): void
  frame(): Frame
  /** The text that waits match and the Screen Hash digests; computed once for each frame. */
  canonical(): CanonicalText
  /** Null for what is no terminal. */
  modes(): TerminalModes | null
  /** Null for what is no web page. */
  page(): PageView | null
  /** Null where nothing scrolls off. */
  scrollback(): Scrollback | null
  /** The present state in bytes, from which createScreen() makes an equal screen; null where there is no way yet. */
  checkpoint(): Uint8Array | null
  /** What the program is owed for its queries; empties the list. */
  takeAnswers(): string[]
}
