import type { Frame } from '../../terminal/emulator.ts'
import type { RecordedEvent, RecordingReader, RecordingStart } from './recorded-events.ts'

const LAST_FRAME_MS = 1500 // the end is what most people want to see; then it begins again

/** Takes the frames of an animation in order, each with how long it is shown. */
export type ShowFrame = (frame: Frame, durationMs: number) => Promise<void>

/** Turns what happened into frames: one for each change, and no more than the rate allows. */
export class AnimationRecorder implements RecordingReader {
  readonly needsScreen = true
  readonly #intervalMs: number
  readonly #show: ShowFrame
  #current: Frame | null = null
  #shownAtMs = 0

  constructor(framesPerSecond: number, show: ShowFrame) {
    this.#intervalMs = 1000 / framesPerSecond
    this.#show = show
  }

  start({ screen }: RecordingStart): void {
    this.#current = screen.frame()
  }

  async event({ screen, atMs }: RecordedEvent): Promise<void> {
    const frame = screen.frame()
    if (frame === this.#current) return
    // What comes within one interval is seen as one change.
    if (this.#current !== null && atMs - this.#shownAtMs >= this.#intervalMs) {
      await this.#show(this.#current, atMs - this.#shownAtMs)
      this.#shownAtMs = atMs
    }
    this.#current = frame
  }

  async end(durationMs: number): Promise<void> {
    if (this.#current !== null)
      await this.#show(this.#current, Math.max(LAST_FRAME_MS, durationMs - this.#shownAtMs))
  }
}
