import type { Scope } from '../../lib/scope.ts'
import type { DecodedFrame } from './frame-decoding.ts'
import type { FrameDecoder } from './frame-decoder.ts'
import type { PageTarget } from './page-target.ts'

/** Between two frames while a caller waits for the page. A person could not follow a higher rate. */
const FAST_INTERVAL_MS = 40
/** While no caller waits, but an observer receives every frame: the rate that a recording needs. */
const SLOW_INTERVAL_MS = 500
/** How long frames come fast after an input or a snapshot: an answer of the page is there by then. */
const HURRY_MS = 1500

/**
 * How long after an input every frame is requested at once. The frame that shows the effect of a key must not be
 * delayed by one that shows a blink of the caret, or by the effect of the key before.
 */
const EAGER_MS = 200

/** How long a look waits for a picture; a page that does not answer by then shows what it showed. */
const LOOK_TIMEOUT_MS = 1000

/** A new size takes its way through the browser: for so long at most pictures are of the old one. */
const RESIZE_MS_MAX = 2000

/** An older Chromium does not heed maxFramesInFlight, and sends this many before one is acknowledged. */
const OLDER_FRAMES_IN_FLIGHT = 3

/**
 * An older Chromium sends no frame for the last changes of a burst: a picture is taken this long after a frame. On a busy
 * machine a newer one now and then sends none for the effect of an input, though every frame is acknowledged (seen after
 * a dialog was answered): a picture is taken this long after the last input, too.
 */
const TRAILING_MS = 250

/**
 * The same for what a page changes by itself while a caller waits for it: a picture is taken when no frame has come for
 * this long, and then each time after twice as long.
 */
const MISSED_FIRST_MS = 1000
const MISSED_MAX_MS = 8000

export type ScreencastNeed = 'fast' | 'slow' | 'none'

export interface ScreencastOptions {
  readonly target: PageTarget
  readonly decoder: FrameDecoder
  readonly size: () => { readonly cols: number; readonly rows: number }
  /** Who receives frames: a caller that waits for them, an observer, or no one. */
  readonly need: () => ScreencastNeed
  /** Whether Chromium keeps the last frame of a burst until it may send it, and sends one at a time; older ones do not. */
  readonly sendsLastFrame: boolean
  /** Called for each frame that was read, in order; returns whether it shows anything new. */
  readonly onFrame: (frame: DecodedFrame) => boolean
}

/** Frames that were read and are not acknowledged yet; there is nothing to cancel while the next one is not needed. */
interface PendingFrames {
  readonly acks: readonly number[]
  /** When the first of them came. */
  readonly receivedMs: number
  cancel: (() => void) | undefined
}

/**
 * The frames of one tab. Chromium sends the next one when the last is acknowledged, and only when something has
 * changed; the delay before the acknowledgement decides what watching costs. Without a watcher, a frame is not
 * acknowledged and no other comes, so an animated page is not read at all until a caller looks.
 */
export class Screencast {
  readonly #options: ScreencastOptions
  readonly #stopListening: () => void
  #hurryUntilMs = 0
  #eagerUntilMs = 0
  #pending: PendingFrames | null = null
  #received = 0
  #closed = false
  #cancelTrailing = () => {}
  #cancelSettling = () => {}
  #cancelMissed = () => {}

  constructor(options: ScreencastOptions) {
    this.#options = options
    this.#stopListening = options.target.on('Page.screencastFrame', ({ data, sessionId }) => {
      this.#scope.run(async () => this.#onFrame(data, sessionId))
    })
  }

  async start(): Promise<void> {
    await this.#options.target.call('Page.startScreencast', {
      format: 'png',
      everyNthFrame: 1,
      maxFramesInFlight: 1,
      sendLastFrame: true, // else the last frame of a burst would be missing
    })
  }

  /** Frames come fast for a while. */
  hurry(): void {
    this.#hurryUntilMs = performance.now() + HURRY_MS
    this.wake()
  }

  /** An input is about to be made: its effect is looked for at once. */
  expect(): void {
    this.#eagerUntilMs = performance.now() + EAGER_MS
    this.hurry()
  }

  /** An input was made: frames come fast, and what they end with is looked at, also if the last one is missing. */
  settle(): void {
    this.hurry()
    this.#cancelSettling()
    if (!this.#closed) this.#cancelSettling = this.#afterTrailing()
  }

  /** Whether frames are to come, and how fast, may be another matter now. */
  wake(): void {
    const slept = this.#pending !== null && this.#pending.cancel === undefined
    this.#schedule()
    this.#lookForMissed()
    if (slept && !this.#options.sendsLastFrame) this.#captureLater()
  }

  /** Sees to it that what was read last is what is shown now: at once, unless frames had not come fast. */
  async look(): Promise<void> {
    const isBehind = this.#pending !== null && !this.#isFast
    this.hurry()
    if (isBehind) await this.capture(LOOK_TIMEOUT_MS).catch(() => {}) // a page that hangs shows what it showed
  }

  /** Takes a picture of what is shown now, whether or not Chromium thinks that it changed. */
  async capture(timeoutMs?: number): Promise<void> {
    const options = { format: 'png', optimizeForSpeed: true } as const
    const receivedBefore = this.#received
    const giveUpMs = performance.now() + RESIZE_MS_MAX
    let read: 'new' | 'same' | 'other size'
    do read = this.#show(await this.#decode(await this.#options.target.capture(options, timeoutMs)))
    while (read === 'other size' && !this.#closed && performance.now() < giveUpMs)
    // A frame that came meanwhile may be newer than the picture, which has just taken its place for good.
    if (this.#received !== receivedBefore) this.#captureLater()
  }

  close(): void {
    this.#closed = true
    this.#pending?.cancel?.()
    this.#cancelTrailing()
    this.#cancelSettling()
    this.#cancelMissed()
    this.#stopListening()
  }

  async #onFrame(data: string, ack: number): Promise<void> {
    const receivedMs = performance.now()
    this.#received++
    this.#lookForMissed()
    if (this.#options.sendsLastFrame) this.#cancelTrailing() // this frame is newer than any picture
    let frame: DecodedFrame | null
    try {
      frame = await this.#decode(Buffer.from(data, 'base64'))
    } catch {
      return // the frame is lost; if the thread that reads frames has ended, the next caller gets the error
    }
    if (this.#closed) return
    if (this.#show(frame) === 'new' && !this.#options.sendsLastFrame) this.#captureLater()
    this.#keep(ack, receivedMs)
    this.#schedule()
  }

  /**
   * An acknowledgement is what the next frame is sent for: a second frame in flight must not be the reason for one.
   * More come only when a page is replaced, whose own last frames may not have been acknowledged.
   */
  #keep(ack: number, receivedMs: number): void {
    const earlier = this.#pending
    const inFlightMax = this.#options.sendsLastFrame ? 1 : OLDER_FRAMES_IN_FLIGHT
    if (earlier !== null && earlier.acks.length < inFlightMax) {
      earlier.cancel?.()
      this.#pending = { ...earlier, acks: [...earlier.acks, ack], cancel: undefined }
      return
    }
    if (earlier !== null) this.#acknowledge(earlier)
    this.#pending = { acks: [ack], receivedMs, cancel: undefined }
  }

  #captureLater(): void {
    this.#cancelTrailing()
    if (!this.#closed) this.#cancelTrailing = this.#afterTrailing()
  }

  /** Takes a picture after a while; returns how to cancel that. The next caller notices a tab that hangs or has closed. */
  #afterTrailing(): () => void {
    return this.#scope.timeout(TRAILING_MS, () => void this.capture().catch(() => {}))
  }

  #lookForMissed(afterMs = MISSED_FIRST_MS): void {
    this.#cancelMissed()
    if (this.#closed || this.#options.need() !== 'fast') return
    this.#cancelMissed = this.#scope.timeout(afterMs, () => {
      const again = () => this.#lookForMissed(Math.min(2 * afterMs, MISSED_MAX_MS))
      this.capture().then(again, again) // the next caller notices a tab that hangs or has closed
    })
  }

  async #decode(png: Buffer): Promise<DecodedFrame | null> {
    const { cols, rows } = this.#options.size()
    return this.#options.decoder.decode(new Uint8Array(png), cols, rows)
  }

  #show(frame: DecodedFrame | null): 'new' | 'same' | 'other size' {
    if (frame === null) return 'other size'
    return !this.#closed && this.#options.onFrame(frame) ? 'new' : 'same'
  }

  get #scope(): Scope {
    return this.#options.target.cdp.scope
  }

  get #isFast(): boolean {
    return this.#options.need() === 'fast' || performance.now() < this.#hurryUntilMs
  }

  get #intervalMs(): number {
    if (performance.now() < this.#eagerUntilMs) return 0
    return this.#isFast ? FAST_INTERVAL_MS : SLOW_INTERVAL_MS
  }

  #schedule(): void {
    const pending = this.#pending
    if (pending === null) return
    pending.cancel?.()
    pending.cancel = undefined
    if (!this.#isFast && this.#options.need() === 'none') return
    const dueMs = pending.receivedMs + this.#intervalMs - performance.now()
    pending.cancel = this.#scope.timeout(Math.max(0, dueMs), () => this.#acknowledge(pending))
  }

  #acknowledge(pending: PendingFrames): void {
    pending.cancel?.()
    if (this.#pending === pending) this.#pending = null
    for (const sessionId of pending.acks) {
      // A closed tab needs no acknowledgement; recovery starts another screencast.
      this.#options.target.call('Page.screencastFrameAck', { sessionId }).catch(() => {})
    }
  }
}
