import type { AgentParams } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { waitUntil } from '../../../lib/wait-until.ts'
import { findInFrame, frameLines } from '../../../kinds/web/frame-text.ts'
import type { WebPage } from '../../../kinds/web/web-page.ts'

const WAIT_TIMEOUT_MS_DEFAULT = 30_000

type WaitRequest = AgentParams<'wait_for'> & { title?: string }

/** Resolves when everything that was asked for holds at once: text, address and title in the same frame, and quiet. */
export async function waitOnPage(page: WebPage, request: WaitRequest, caller: AbortSignal): Promise<object> {
  const { text, url, title, idle, network_idle, timeout_ms = WAIT_TIMEOUT_MS_DEFAULT } = request
  if ([text, url, title, idle, network_idle].every((condition) => condition === undefined)) {
    throw new OpError('usage', 'wait_for needs one of text, url, idle and network_idle')
  }
  const startMs = performance.now()
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(timedOut(page, request, timeout_ms)), timeout_ms)
  const signal = AbortSignal.any([caller, late.signal])
  const unobserve = page.observe({ lost: (error) => late.abort(error) })
  try {
    if (text !== undefined) await page.look()
    do {
      await untilShown(page, request, signal)
      if (network_idle !== undefined) await page.waitForNetworkIdle(network_idle, signal)
      if (idle !== undefined) await page.waitForQuiescence(idle, signal)
    } while (!isShown(page, request)) // it changed while it became quiet
  } finally {
    clearTimeout(timer)
    unobserve()
  }
  const waited = { ok: true, elapsed_ms: Math.round(performance.now() - startMs) }
  return title === undefined ? waited : { ...waited, title: page.state.title }
}

function isShown({ frame, state }: WebPage, { text, url, title }: WaitRequest): boolean {
  if (url !== undefined && !state.url.includes(url)) return false
  if (title !== undefined && !state.title.includes(title)) return false
  return text === undefined || (frame !== null && findInFrame(frame, text).length > 0)
}

async function untilShown(page: WebPage, request: WaitRequest, signal: AbortSignal): Promise<void> {
  await waitUntil<void>({
    subscribe: (onChange) => {
      const unobserve = page.observe({ frame: onChange, state: onChange })
      const release = page.hold()
      return () => {
        unobserve()
        release()
      }
    },
    judge: () => (isShown(page, request) ? { done: undefined } : { dueMs: null }),
    signal,
  })
}

function timedOut(
  page: WebPage,
  { timeout_ms: _timeout, ...asked }: WaitRequest,
  timeoutMs: number,
): OpError {
  const words = Object.entries(asked).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  const message = `${words.join(' and ')} did not come true within ${timeoutMs} ms; what is shown is in the details`
  return new OpError('wait_timeout', message, {
    url: page.state.url,
    title: page.state.title,
    lines: page.frame === null ? [] : frameLines(page.frame, true),
  })
}
