import type { Snapshot, SubscriptionMessage } from '@transom/protocol'

export type ScreenMessage = Extract<SubscriptionMessage, { type: 'screen' | 'rows' }>

/** A terminal's modes change without a message, so they are not part of it. */
export type ShownScreen = Omit<Snapshot, 'modes'>

/** What a session shows, from a subscription to its screen: one dump, then what changes. */
export class ScreenModel {
  #shown: ShownScreen | null = null

  /** Null before the first message. A value: the next message makes another one. */
  get shown(): ShownScreen | null {
    return this.#shown
  }

  apply(message: ScreenMessage): void {
    if (message.type === 'screen') {
      const { modes: _modes, ...shown } = message.snapshot
      this.#shown = shown
      return
    }
    if (this.#shown === null) return // a dump comes first
    const { type: _type, subscription: _subscription, rows: changed, ...now } = message
    const lines = [...this.#shown.lines]
    for (const { row, line } of changed) lines[row] = line
    this.#shown = { ...this.#shown, ...now, lines }
  }
}
