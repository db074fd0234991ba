import { toWireError } from '@transom/protocol/errors'
import { safeText } from '../../../kinds/web/page-words.ts'
import type { WebPage } from '../../../kinds/web/web-page.ts'

/** Between two frames that a subscriber is told of: it takes a snapshot when it wants the cells. */
const FRAME_EVENT_INTERVAL_MS = 100

/** Tells subscribers what happens on a page, without its content. */
export class AgentEvents {
  readonly #page: WebPage

  constructor(page: WebPage) {
    this.#page = page
  }

  subscribe(notify: (event: object) => void, signal: AbortSignal): void {
    const page = this.#page
    let { url, title, loading } = page.state
    let timer: NodeJS.Timeout | undefined
    const release = page.hold()
    const unobserve = page.observe({
      frame: () => {
        timer ??= setTimeout(() => {
          timer = undefined
          notify({ type: 'frame', seq: page.frame?.ordinal ?? 0 })
        }, FRAME_EVENT_INTERVAL_MS)
      },
      state: (state) => {
        if (state.url !== url) notify({ type: 'navigated', url: state.url })
        if (state.title !== title) notify({ type: 'title', title: safeText(state.title) })
        if (state.loading !== loading) notify({ type: 'loading', loading: state.loading })
        ;({ url, title, loading } = state)
      },
      dialog: (dialog) =>
        notify(
          dialog === null
            ? { type: 'dialog_closed' }
            : { type: 'dialog', dialog: { type: dialog.type, message: safeText(dialog.message) } },
        ),
      trouble: (error) => {
        const { code, message } = toWireError(error)
        notify({ type: 'trouble', code, message })
      },
    })
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      unobserve()
      release()
    })
  }
}
