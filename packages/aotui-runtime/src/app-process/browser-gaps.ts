import type { DomWindow } from './dom-engine.ts'

/** What a window of a DOM engine lacks and apps expect of a browser. */
export function fillBrowserGaps(window: DomWindow, say: (text: string) => void): void {
  firePopstate(window)
  const dialogs = {
    alert: (text: unknown = '') => say(`alert: ${String(text)}`),
    // There is no one to ask: an app that needs an answer offers an operation.
    confirm: (text: unknown = '') => {
      say(`confirm: ${String(text)} (answered with no)`)
      return false
    },
    prompt: (text: unknown = '') => {
      say(`prompt: ${String(text)} (cancelled)`)
      return null
    },
  }
  for (const [name, value] of Object.entries(dialogs))
    Object.defineProperty(window, name, { configurable: true, writable: true, value })
}

/** A browser fires popstate before hashchange, also for a link to a fragment; the engines only do so for `back()`. */
function firePopstate(window: DomWindow): void {
  let isPopped = false
  window.addEventListener('popstate', () => {
    isPopped = true
  })
  window.addEventListener('hashchange', () => {
    if (!isPopped) window.dispatchEvent(new window.PopStateEvent('popstate', { state: null }))
    isPopped = false
  })
}
