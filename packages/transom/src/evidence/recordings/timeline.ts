/** No pause is longer than this at the highest speed: one picture of a film. */
export const MAX_SPEED_PAUSE_MS = 40
/** Of a longer pause, a week is kept: an animation repeats a frame each minute, and a log may name any time. */
const PAUSE_MS_MAX = 7 * 86_400_000

export interface Timing {
  /** How many times faster than it happened; `max` leaves only what the eye needs. */
  readonly speed: number | 'max'
  /** A longer pause is cut to this; null keeps all of them. */
  readonly idleLimitMs: number | null
}

export const RECORDED_TIMING: Timing = { speed: 1, idleLimitMs: null }

/** Turns the times at which things happened into times of a recording. */
export class Timeline {
  readonly #timing: Timing
  #lastMs: number
  #atMs = 0

  /** `startMs` is when the recording begins, in milliseconds since 1970. */
  constructor(timing: Timing, startMs: number) {
    this.#timing = timing
    this.#lastMs = startMs
  }

  /** The place of a moment, in milliseconds from the start. Moments come in order; one that does not counts as now. */
  at(timeMs: number): number {
    const pauseMs = Math.max(0, timeMs - this.#lastMs)
    this.#lastMs = Math.max(this.#lastMs, timeMs)
    const { speed, idleLimitMs } = this.#timing
    const limited = Math.min(pauseMs, idleLimitMs ?? PAUSE_MS_MAX)
    this.#atMs += speed === 'max' ? Math.min(limited, MAX_SPEED_PAUSE_MS) : limited / speed
    return this.#atMs
  }
}
