import type { ScreencastNeed } from './screencast.ts'
import type { PageEvents } from './web-page.ts'

/** The listeners for what happens on a page. */
export class PageObservers {
  readonly #all = new Set<Partial<PageEvents>>()

  /** The callers that wait for frames, in any tab that shows the page. */
  #holders = 0

  /** How soon the next frame is needed. */
  get need(): ScreencastNeed {
    if (this.#holders > 0) return 'fast'
    return [...this.#all].some(({ frame }) => frame !== undefined) ? 'slow' : 'none'
  }

  /** Frames are waited for until the returned function is called. Idempotent: a wait may end in two ways at once. */
  hold(): () => void {
    let isHeld = true
    this.#holders++
    return () => {
      if (isHeld) this.#holders--
      isHeld = false
    }
  }

  add(events: Partial<PageEvents>): () => void {
    this.#all.add(events)
    return () => this.#all.delete(events)
  }

  tell(event: (observer: Partial<PageEvents>) => void): void {
    for (const observer of this.#all) event(observer)
  }

  /** Resolves when something is done, or a dialog opens before it: with one open it ends late, or not at all. */
  async untilDoneOrDialog(done: Promise<void>): Promise<void> {
    let stop = () => {}
    const stopped = new Promise<void>((resolve) => {
      stop = this.add({ dialog: (dialog) => dialog !== null && resolve() })
    })
    try {
      await Promise.race([done, stopped])
    } finally {
      stop()
      done.catch(() => {}) // the caller that answers the dialog is not notified of it
    }
  }
}
