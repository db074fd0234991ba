import { OpError } from '@transom/protocol/errors'
import type { WebFrame } from './web-frame.ts'
import type { WebPage } from './web-page.ts'

/** Resolves with the frame once no cell has changed for `idleMs`. */
export async function waitForQuiet(page: WebPage, idleMs: number, signal: AbortSignal): Promise<WebFrame> {
  signal.throwIfAborted()
  return new Promise((resolve, reject) => {
    const finish = () => {
      stop()
      if (page.frame === null)
        reject(new OpError('snapshot_unavailable', 'the page has not been painted yet'))
      else resolve(page.frame)
    }
    const onAbort = () => {
      stop()
      reject(signal.reason as Error)
    }
    let timer = setTimeout(finish, idleMs)
    const unobserve = page.observe({
      frame: () => {
        clearTimeout(timer)
        timer = setTimeout(finish, idleMs)
      },
    })
    const stop = () => {
      clearTimeout(timer)
      unobserve()
      signal.removeEventListener('abort', onAbort)
    }
    signal.addEventListener('abort', onAbort)
  })
}
