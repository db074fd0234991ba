import type { Protocol } from 'devtools-protocol'
import { OpError } from '@transom/protocol/errors'
import type { PageTarget } from './page-target.ts'

type Lifecycle = Protocol.Page.LifecycleEventEvent

/** How long Chromium may take to report that a load has begun: it waits for the answer's first bytes. */
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

/** Loads an address and resolves when the page reports that it has loaded. */
export async function loadPage(target: PageTarget, { url, timeoutMs, signal }: LoadOptions): Promise<void> {
  const load = watchLoad(target)
  try {
    const answer = await beginLoad(target, url, Math.max(timeoutMs, NAVIGATE_TIMEOUT_MS_MIN))
    if (answer.errorText !== undefined && answer.errorText !== '') throw notLoaded(url, answer)
    // Without a loader it was a step within the document, and nothing is loaded.
    if (answer.loaderId === undefined) return
    await Promise.all([
      load.finished(answer.loaderId, limit(target, { url, timeoutMs, signal })),
      assertTaken(target, url, () => load.hasBegun(answer.loaderId ?? null)),
    ])
  } finally {
    load.stop()
  }
}

/**
 * Chromium answers Page.navigate when the server's first bytes have come, and passes nothing on to the tab until then: a
 * server that is silent looks like a page that hangs. Only after the load was given up can the page be asked.
 */
async function beginLoad(
  target: PageTarget,
  url: string,
  timeoutMs: number,
): Promise<Protocol.Page.NavigateResponse> {
  try {
    return await target.call('Page.navigate', { url }, { timeoutMs })
  } catch (error) {
    if (!(error instanceof OpError) || error.code !== 'page_unresponsive') throw error
    await target.call('Page.stopLoading')
    if (await target.hangs()) throw error
    const message = `${url} did not answer within ${timeoutMs} ms; the page before is still shown`
    throw new OpError('navigation_timeout', message, { url, timeout_ms: timeoutMs })
  }
}

/** Loads the previous or the next page in the tab's history; false if there is none. */
export async function loadStep(target: PageTarget, by: -1 | 1): Promise<boolean> {
  const { currentIndex, entries } = await target.call('Page.getNavigationHistory')
  const entry = entries[currentIndex + by]
  if (entry === undefined) return false
  const act = async () => target.call('Page.navigateToHistoryEntry', { entryId: entry.id })
  await loadBy(target, act, loadOptions(entry.url))
  return true
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
    await Promise.all([
      load.finished(null, limit(target, options)),
      assertTaken(target, options.url, () => load.hasBegun(null)),
    ])
  } finally {
    load.stop()
  }
}

/** The tab does not take the page that Chromium has for it, and no longer listens to us either. */
export class StuckTab extends OpError {
  constructor(url: string) {
    const message = `a script of the page before runs without end and keeps ${url} away; the tab is replaced`
    super('page_unresponsive', message, { url })
  }
}

/**
 * A tab takes the next page when its scripts have ended. One that began to run without end at this very moment (the
 * click before did it) keeps it away, and Chromium passes nothing on to a tab between two pages, not even that the
 * script is to be stopped: without this, the time of the navigation would have to run out.
 */
async function assertTaken(target: PageTarget, url: string, hasBegun: () => boolean): Promise<void> {
  if (!hasBegun() && (await target.hangs()) && !hasBegun()) throw new StuckTab(url)
}

interface LoadWatch {
  /** Whether the tab has left the page before. */
  hasBegun(loaderId: string | null): boolean
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
  const isStep = (loaderId: string | null) => loaderId === null && seen.some(({ name }) => name === 'step')
  const beganAt = (loaderId: string | null) =>
    seen.findIndex((event) => event.name === 'init' && (loaderId === null || event.loaderId === loaderId))
  const isFinished = (loaderId: string | null): boolean => {
    if (isStep(loaderId)) return true
    const began = beganAt(loaderId)
    // Any load after it counts: a page may send the reader on to another one.
    return began >= 0 && seen.slice(began).some(({ name }) => name === 'load')
  }
  return {
    hasBegun: (loaderId) => isStep(loaderId) || beganAt(loaderId) >= 0,
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

function limit({ gone }: PageTarget, { url, timeoutMs, signal }: LoadOptions): AbortSignal {
  const late = new AbortController()
  const message = `${url} did not finish loading within ${timeoutMs} ms; what has come so far is shown`
  const timer = setTimeout(
    () => late.abort(new OpError('navigation_timeout', message, { url, timeout_ms: timeoutMs })),
    timeoutMs,
  )
  timer.unref()
  return AbortSignal.any([signal, gone, late.signal])
}

function notLoaded(url: string, answer: Protocol.Page.NavigateResponse): OpError {
  const why = answer.isDownload ? 'it is a file to download, which is not supported' : answer.errorText
  return new OpError('navigation_failed', `${url} could not be loaded: ${why}`, {
    url,
    why: answer.errorText,
  })
}
