import type { DecodedFrame } from './frame-decoding.ts'
import type { FrameDecoder } from './frame-decoder.ts'
import type { PageTarget } from './page-target.ts'

/** Between two frames while somebody waits for the page: more would only cost, and nobody could follow. */
const FAST_INTERVAL_MS = 40
/** While nobody does: what a recording needs. */
const SLOW_INTERVAL_MS = 500
/** How long frames come fast after an input or a snapshot: an answer of the page is there by then. */
const HURRY_MS = 1500

/** An older Chromium sends no frame for the last changes of a burst: a picture is taken this long after a frame. */
const TRAILING_MS = 250

export interface ScreencastOptions {
  readonly target: PageTarget
  readonly decoder: FrameDecoder
  readonly size: () => { readonly cols: number; readonly rows: number }
  /** Whether Chromium keeps the last frame of a burst until it may send it. */
  readonly sendsLastFrame: boolean
  /** Called for each frame that was read, in order; says whether it shows anything new. */
  readonly onFrame: (frame: DecodedFrame) => boolean
}

/**
 * The frames of one tab. Chromium sends the next one when the last is acknowledged, and only when something has
 * changed; how soon that is decides what watching costs.
 */
export class Screencast {
  readonly #options: ScreencastOptions
  readonly #stopListening: () => void
  #holders = 0
  #hurryUntilMs = 0
  #pending: { readonly ack: number; readonly receivedMs: number; timer: NodeJS.Timeout | undefined } | null =
    null
  #closed = false
  #trailingTimer: NodeJS.Timeout | undefined

  constructor(options: ScreencastOptions) {
    this.#options = options
    this.#stopListening = options.target.on('Page.screencastFrame', ({ data, sessionId }) => {
      void this.#onFrame(data, sessionId)
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
    this.#schedule()
  }

  /** Frames come fast until the returned function is called. */
  hold(): () => void {
    this.#holders++
    this.#schedule()
    return () => {
      this.#holders--
    }
  }

  /** Takes a picture of what is shown now, whether or not Chromium thinks that it changed. */
  async capture(): Promise<void> {
    await this.#read(await this.#options.target.capture({ format: 'png', optimizeForSpeed: true }))
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#pending?.timer)
    clearTimeout(this.#trailingTimer)
    this.#stopListening()
  }

  async #onFrame(data: string, ack: number): Promise<void> {
    const receivedMs = performance.now()
    const isNew = await this.#read(Buffer.from(data, 'base64'))
    if (this.#closed) return
    if (isNew && !this.#options.sendsLastFrame) this.#captureLater()
    this.#pending = { ack, receivedMs, timer: undefined }
    this.#schedule()
  }

  #captureLater(): void {
    clearTimeout(this.#trailingTimer)
    // A tab that hangs or is gone is noticed by whoever asks it next.
    this.#trailingTimer = setTimeout(() => void this.capture().catch(() => {}), TRAILING_MS)
  }

  async #read(png: Buffer): Promise<boolean> {
    const { cols, rows } = this.#options.size()
    const frame = await this.#options.decoder.decode(new Uint8Array(png), cols, rows)
    return frame !== null && !this.#closed && this.#options.onFrame(frame)
  }

  #schedule(): void {
    const pending = this.#pending
    if (pending === null) return
    const now = performance.now()
    const isFast = this.#holders > 0 || now < this.#hurryUntilMs
    const dueMs = pending.receivedMs + (isFast ? FAST_INTERVAL_MS : SLOW_INTERVAL_MS) - now
    clearTimeout(pending.timer)
    pending.timer = setTimeout(
      () => {
        this.#pending = null
        // A tab that is gone needs no acknowledgement; whoever recovers it starts another screencast.
        this.#options.target.call('Page.screencastFrameAck', { sessionId: pending.ack }).catch(() => {})
      },
      Math.max(0, dueMs),
    )
  }
}
