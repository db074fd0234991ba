import type { RecordedEvent } from './recorded-events.ts'

const LOOK_EVERY_MS = 50 // of the recording: what flashes by faster cannot be read either
const CHARS_MAX = 1_000_000 // with the page's own cast beside it, still a page that a browser searches at once

/** The lines that a recording shows, each with the time when it appeared. */
export class SearchIndex {
  readonly lines: [atMs: number, text: string][] = []
  truncated = false
  #shown = new Set<string>()
  #chars = 0
  #nextLookMs = 0
  #pending: RecordedEvent | null = null

  take(event: RecordedEvent): void {
    this.#pending = event
    if (event.atMs >= this.#nextLookMs) this.#look(event)
  }

  end(): void {
    if (this.#pending !== null) this.#look(this.#pending)
  }

  #look({ screen, atMs }: RecordedEvent): void {
    this.#pending = null
    this.#nextLookMs = atMs + LOOK_EVERY_MS
    const shown = new Set(screen.canonical().lines.map(({ text }) => text.trim()))
    for (const text of shown) {
      if (text === '' || this.#shown.has(text)) continue
      if (this.#chars + text.length > CHARS_MAX) {
        this.truncated = true
        break
      }
      this.#chars += text.length
      this.lines.push([Math.ceil(atMs), text]) // not before it: a player that goes there shows the line
    }
    this.#shown = shown
  }
}
