import type { DomWindow } from './dom-engine.ts'
import { withinTime } from './within-time.ts'

/**
 * Follows a change of the address's fragment: the engines report it some turns later, and an app that routes by it has
 * not done its work before. Call the result after the action; it gives a promise if the address changed.
 */
export function watchNavigation(window: DomWindow, limitMs: number): () => Promise<unknown> | undefined {
  const [beforePage, beforeFragment] = window.location.href.split('#')
  let report: () => void = () => undefined
  const reported = new Promise<void>((resolve) => {
    report = resolve
  })
  window.addEventListener('hashchange', report)
  return () => {
    const [page, fragment] = window.location.href.split('#')
    // Only another fragment of the same page is reported; pushState fires nothing.
    if (fragment === beforeFragment || page !== beforePage) {
      window.removeEventListener('hashchange', report)
      return undefined
    }
    return withinTime(reported, limitMs, () => new Error('no hashchange'))
      .catch(() => undefined) // pushState may change the fragment, too
      .finally(() => window.removeEventListener('hashchange', report))
  }
}
