import type { EventRecord, PageView } from '@transom/protocol'

/** Between two frame events to a client. It takes a snapshot if it wants the cells. */
const FRAME_EVENT_INTERVAL_MS = 100

/** Sends a client the events of a session's page, from its Event Log, without the page's content. */
export class AgentEvents {
  readonly #notify: (event: object) => void
  #url: string
  #title: string
  #loading: boolean
  #frameSeq = 0
  #timer: NodeJS.Timeout | undefined

  constructor({ url, title, loading }: PageView, notify: (event: object) => void) {
    this.#url = url
    this.#title = title
    this.#loading = loading
    this.#notify = notify
  }

  take({ type, seq, fields = {} }: EventRecord): void {
    switch (type) {
      case 'web_frame':
        this.#frameSeq = seq
        this.#timer ??= setTimeout(() => this.#tellFrame(), FRAME_EVENT_INTERVAL_MS)
        break
      case 'web_navigation':
        this.#onNavigation(fields as Pick<PageView, 'url' | 'loading'>)
        break
      case 'web_title':
        if (fields['title'] !== this.#title) this.#notify({ type: 'title', title: fields['title'] })
        this.#title = String(fields['title'])
        break
      case 'web_dialog':
        this.#onDialog(fields['dialog'] as PageView['dialog'])
        break
      case 'web_trouble':
        this.#notify({ type: 'trouble', code: fields['code'], message: fields['message'] })
        break
      default: // of a session, and not of its page
    }
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  #tellFrame(): void {
    this.#timer = undefined
    this.#notify({ type: 'frame', seq: this.#frameSeq })
  }

  #onNavigation({ url, loading }: Pick<PageView, 'url' | 'loading'>): void {
    if (url !== this.#url) this.#notify({ type: 'navigated', url })
    if (loading !== this.#loading) this.#notify({ type: 'loading', loading })
    this.#url = url
    this.#loading = loading
  }

  #onDialog(dialog: PageView['dialog']): void {
    if (dialog === null) this.#notify({ type: 'dialog_closed' })
    else this.#notify({ type: 'dialog', dialog: { type: dialog.type, message: dialog.message } })
  }
}
