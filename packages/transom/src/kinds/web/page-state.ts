import { OpError, next, quote } from '@transom/protocol/errors'
import { CdpError } from './cdp-client.ts'
import { TITLE_BINDING } from './page-style.ts'
import type { PageTarget } from './page-target.ts'
import type { PageDialog, PageState } from './web-page.ts'

export const EMPTY_STATE: PageState = {
  url: 'about:blank',
  title: '',
  loading: false,
  canGoBack: false,
  canGoForward: false,
}

const TITLE_CHARS_MAX = 4096 // as Chromium keeps of one

export interface StateSink {
  state(change: Partial<PageState>): void
  dialog(dialog: PageDialog | null): void
  /** The page wants a window of its own. */
  windowOpened(url: string): void
}

/** Keeps the state of a tab, apart from its cells, up to date from Chromium's events. */
export function watchState(target: PageTarget, sink: StateSink): void {
  const { cdp, targetId } = target
  const readHistory = () => {
    readState(target)
      .then((state) => sink.state(state))
      .catch(() => {}) // a closed tab has no history
  }
  target.on('Runtime.bindingCalled', ({ name, payload }) => {
    if (name === TITLE_BINDING) sink.state({ title: payload.slice(0, TITLE_CHARS_MAX) })
  })
  target.on('Page.frameNavigated', ({ frame }) => {
    if (frame.parentId !== undefined) return
    sink.state({ url: frame.url + (frame.urlFragment ?? '') })
    readHistory()
  })
  target.on('Page.navigatedWithinDocument', ({ frameId, url }) => {
    if (frameId !== targetId) return
    sink.state({ url })
    readHistory()
  })
  target.on('Page.frameStartedLoading', ({ frameId }) => {
    if (frameId === targetId) sink.state({ loading: true })
  })
  target.on('Page.frameStoppedLoading', ({ frameId }) => {
    if (frameId !== targetId) return
    sink.state({ loading: false })
    readHistory()
  })
  target.on('Page.javascriptDialogOpening', ({ type, message, defaultPrompt }) =>
    sink.dialog({ type, message, defaultPrompt: defaultPrompt ?? '' }),
  )
  target.on('Page.javascriptDialogClosed', () => sink.dialog(null))
  cdp.on('Target.targetCreated', ({ targetInfo }) => {
    if (targetInfo.type !== 'page' || targetInfo.openerId !== targetId) return
    cdp.call('Target.closeTarget', { targetId: targetInfo.targetId }).catch(() => {}) // it has closed itself
  })
  target.on('Page.windowOpen', ({ url }) => {
    if (/^https?:/.test(url)) sink.windowOpened(url)
  })
}

/** The state of the current page, from the history. */
export async function readState(target: PageTarget): Promise<Partial<PageState>> {
  const { currentIndex, entries } = await target.call('Page.getNavigationHistory')
  const entry = entries[currentIndex]
  return {
    canGoBack: currentIndex > 0,
    canGoForward: currentIndex < entries.length - 1,
    ...(entry === undefined ? {} : { url: entry.url, title: shownTitle(entry.title, entry.url) }),
  }
}

/** Null if Chromium refuses to answer: the tab has moved on to another page, which reports itself. */
export async function unlessLeft<T>(asked: Promise<T>): Promise<T | null> {
  return asked.catch((error: unknown) => {
    if (error instanceof CdpError) return null
    throw error
  })
}

/** Chromium gives a page without a title its address for one. */
function shownTitle(title: string, url: string): string {
  const bare = url.replace(/^https?:\/\//, '')
  return title === url || title === bare || title === bare.replace(/\/$/, '') ? '' : title
}

/** Nothing can be asked of a page that waits for an answer itself. */
export function dialogOpen({ type, message }: PageDialog): OpError {
  const answer = next({ call: 'web.answer_dialog', params: {}, does: 'answers it' })
  const details = { dialog: { type }, ...quote(message), ...answer }
  return new OpError('page_unresponsive', `the page has a dialog open (${type})`, details)
}
