import type { TerminalModes } from '@transom/protocol'
import { canonicalText, type CanonicalText } from '../grid/canonical-text.ts'
import type { Emulator, Frame, Scrollback } from './emulator.ts'

/** An Event Log record, as far as it changes what a terminal shows. Every other record leaves the screen as it is. */
export type ScreenEvent =
  | { readonly type: 'output'; readonly bytes: Uint8Array }
  | { readonly type: 'resize'; readonly cols: number; readonly rows: number }
  | { readonly type: 'sync_release' }
  | { readonly type: 'other' }

/**
 * The derived state of a terminal session: a function of the events applied to it, live and in a replay alike.
 */
export class Screen {
  readonly #emulator: Emulator
  #seq = 0
  #canonical: { frame: Frame; text: CanonicalText } | null = null

  constructor(emulator: Emulator) {
    this.#emulator = emulator
  }

  /** The seq of the last event applied. */
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
      case 'other':
        break
      default:
        event satisfies never
    }
    this.#seq = seq
  }

  takeAnswers(): string[] {
    return this.#emulator.takeAnswers()
  }

  frame(): Frame {
    return this.#emulator.frame()
  }

  /** The text that waits match and the Screen Hash digests; computed once for each frame. */
  canonical(): CanonicalText {
    const frame = this.frame()
    if (this.#canonical?.frame !== frame) this.#canonical = { frame, text: canonicalText(frame.grid) }
    return this.#canonical.text
  }

  modes(): TerminalModes {
    return this.#emulator.modes()
  }

  scrollback(): Scrollback {
    return this.#emulator.scrollback()
  }
}
