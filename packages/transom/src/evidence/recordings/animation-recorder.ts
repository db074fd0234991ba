import { OpError, next } from '@transom/protocol/errors'
import type { Frame } from '../../terminal/emulator.ts'
import type { RecordedEvent, RecordingReader, RecordingStart } from './recorded-events.ts'

const LAST_FRAME_MS = 1500 // the end is what most people want to see; then it begins again

/** Longer than anyone watches. A picture that is shown for long is written again and again, at a video's every frame. */
const ANIMATION_MS_MAX = 24 * 60 * 60 * 1000

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
    if (atMs > ANIMATION_MS_MAX) throw tooLong()
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

function tooLong(): OpError {
  const message = 'this recording lasts longer than a day, which is too long for pictures'
  const steps = next(
    { set: { idle_limit_ms: 1000 }, does: 'cut the pauses' },
    { set: { from_seq: null, to_seq: null }, does: 'record a part' },
  )
  return new OpError('usage', message, { duration_ms_max: ANIMATION_MS_MAX, ...steps })
}
