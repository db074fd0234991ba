import { waitUntil } from '../../lib/wait-until.ts'
import type { WebFrame } from './web-frame.ts'
import type { WebPage } from './web-page.ts'

/** A page that is loading is not quiet, unless it has shown nothing new for this long: some never end loading. */
const LOADING_QUIET_MS = 5000

/** Resolves with the frame once no cell has changed for `idleMs`. */
export async function waitForQuiet(page: WebPage, idleMs: number, signal: AbortSignal): Promise<WebFrame> {
  return waitUntil<WebFrame>({
    subscribe: (onChange) => page.observe({ frame: onChange, state: onChange }),
    judge: ({ due }) => {
      // Not painted yet: the first frame starts the clock.
      if (due) return page.frame === null ? { dueMs: null } : { done: page.frame }
      return { dueMs: page.state.loading ? Math.max(idleMs, LOADING_QUIET_MS) : idleMs }
    },
    signal,
  })
}
