import type { WebFrame } from './web-frame.ts'
import type { WebPage } from './web-page.ts'

/** A page that is loading is not quiet, unless it has shown nothing new for this long: some never end loading. */
const LOADING_QUIET_MS = 5000

/** Resolves with the frame once no cell has changed for `idleMs`. */
export async function waitForQuiet(page: WebPage, idleMs: number, signal: AbortSignal): Promise<WebFrame> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined
    const finish = () => {
      if (page.frame === null) return // not painted yet: the first frame starts the clock
      stop()
      resolve(page.frame)
    }
    const begin = () => {
      clearTimeout(timer)
      timer = setTimeout(finish, page.state.loading ? Math.max(idleMs, LOADING_QUIET_MS) : idleMs)
    }
    const onAbort = () => {
      stop()
      reject(signal.reason as Error)
    }
    const unobserve = page.observe({ frame: begin, state: begin })
    const stop = () => {
      clearTimeout(timer)
      unobserve()
      signal.removeEventListener('abort', onAbort)
    }
    signal.addEventListener('abort', onAbort)
    begin()
  })
}
