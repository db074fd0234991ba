import type { Chromium } from './chromium.ts'
import type { FrameDecoder } from './frame-decoder.ts'

export interface ChromiumPageOptions {
  /** Starts a browser: at the beginning, and again when one has ended by itself. */
  readonly start: () => Promise<Chromium>
  readonly decoder: FrameDecoder
  readonly cols: number
  readonly rows: number
  /** Device pixels for a CSS pixel: 1 is the natural size, 1.3 a zoom of 130 %. */
  readonly scale?: number | undefined
  /** The address as it is to be opened; throws for one that a page may not open in a new window. */
  readonly checkUrl?: ((url: string) => string) | undefined
}
