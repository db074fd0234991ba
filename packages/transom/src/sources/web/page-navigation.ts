import type { Protocol } from 'devtools-protocol'
import { OpError } from '@transom/protocol/errors'
import type { PageTarget } from './page-target.ts'

type Lifecycle = Protocol.Page.LifecycleEventEvent

/** How long Chromium may take to say that a load has begun: it waits for the answer's first bytes. */
const NAVIGATE_TIMEOUT_MS_MIN = 5000

export interface LoadOptions {
  readonly url: string
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

const NAVIGATION_TIMEOUT_MS = 30_000

export function loadOptions(url: string): LoadOptions {
  return { url, timeoutMs: NAVIGATION_TIMEOUT_MS, signal: new AbortController().signal }
}

/** Loads an address and resolves when the page says that it has loaded. */
export async function loadPage(target: PageTarget, { url, timeoutMs, signal }: LoadOptions): Promise<void> {
  const load = watchLoad(target)
  try {
    const answer = await target.call(
      'Page.navigate',
      { url },
      { timeoutMs: Math.max(timeoutMs, NAVIGATE_TIMEOUT_MS_MIN) },
    )
    if (answer.errorText !== undefined && answer.errorText !== '') throw notLoaded(url, answer)
    // Without a loader it was a step within the document, and nothing is loaded.
    if (answer.loaderId !== undefined) await load.finished(answer.loaderId, limit(signal, url, timeoutMs))
  } finally {
    load.stop()
  }
}

/** Does something that loads a page (a step through the history, a reload) and resolves when it has loaded. */
export async function loadBy(
  target: PageTarget,
  act: () => Promise<unknown>,
  options: LoadOptions,
): Promise<void> {
  const load = watchLoad(target)
  try {
    await act()
    await load.finished(null, limit(options.signal, options.url, options.timeoutMs))
  } finally {
    load.stop()
  }
}

interface LoadWatch {
  finished(loaderId: string | null, signal: AbortSignal): Promise<void>
  stop(): void
}

/** Listens from before a load begins, because its first events come before Chromium's answer. */
function watchLoad(target: PageTarget): LoadWatch {
  const seen: Lifecycle[] = []
  let wake = () => {}
  const stop = target.on('Page.lifecycleEvent', (event) => {
    if (event.frameId !== target.targetId) return
    seen.push(event)
    wake()
  })
  const stopSteps = target.on('Page.navigatedWithinDocument', ({ frameId }) => {
    if (frameId !== target.targetId) return
    seen.push({ frameId, loaderId: '', name: 'step', timestamp: 0 })
    wake()
  })
  const isFinished = (loaderId: string | null): boolean => {
    if (loaderId === null && seen.some(({ name }) => name === 'step')) return true
    const began = seen.findIndex(
      (event) => event.name === 'init' && (loaderId === null || event.loaderId === loaderId),
    )
    // Any load after it counts: a page may send the reader on to another one.
    return began >= 0 && seen.slice(began).some(({ name }) => name === 'load')
  }
  return {
    finished: async (loaderId, signal) =>
      new Promise<void>((resolve, reject) => {
        const onAbort = () => reject(signal.reason as Error)
        signal.addEventListener('abort', onAbort)
        wake = () => {
          if (!isFinished(loaderId)) return
          signal.removeEventListener('abort', onAbort)
          resolve()
        }
        if (signal.aborted) onAbort()
        wake()
      }),
    stop: () => {
      stop()
      stopSteps()
    },
  }
}

function limit(signal: AbortSignal, url: string, timeoutMs: number): AbortSignal {
  const late = new AbortController()
  const message = `${url} did not finish loading within ${timeoutMs} ms; what has come so far is shown`
  const timer = setTimeout(
    () => late.abort(new OpError('navigation_timeout', message, { url, timeout_ms: timeoutMs })),
    timeoutMs,
  )
  timer.unref()
  return AbortSignal.any([signal, late.signal])
}

function notLoaded(url: string, answer: Protocol.Page.NavigateResponse): OpError {
  const why = answer.isDownload ? 'it is a file to download, which is not supported' : answer.errorText
  return new OpError('navigation_failed', `${url} could not be loaded: ${why}`, {
    url,
    why: answer.errorText,
  })
}
