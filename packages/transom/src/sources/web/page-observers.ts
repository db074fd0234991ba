import type { PageEvents } from './web-page.ts'

/** Who is told of what happens on a page. */
export class PageObservers {
  readonly #all = new Set<Partial<PageEvents>>()

  /** Whether anybody wants every frame. */
  get wantFrames(): boolean {
    return [...this.#all].some(({ frame }) => frame !== undefined)
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
      done.catch(() => {}) // whoever answers the dialog does not ask for it
    }
  }
}
