import type { AgentParams } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { findInFrame, frameLines } from '../kinds/web/frame-text.ts'
import type { WebPage } from '../kinds/web/web-page.ts'

const WAIT_TIMEOUT_MS_DEFAULT = 30_000

type WaitRequest = AgentParams<'wait_for'> & { title?: string }

/** Resolves when everything that was asked for has come true, in the order: text, address, title, then quiet. */
export async function waitOnPage(page: WebPage, request: WaitRequest, caller: AbortSignal): Promise<object> {
  const { text, url, title, idle, network_idle, timeout_ms = WAIT_TIMEOUT_MS_DEFAULT } = request
  if ([text, url, title, idle, network_idle].every((condition) => condition === undefined)) {
    throw new OpError('usage', 'wait_for needs one of text, url, idle and network_idle')
  }
  const startMs = performance.now()
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(timedOut(page, request, timeout_ms)), timeout_ms)
  const signal = AbortSignal.any([caller, late.signal])
  const stop = page.observe({ lost: (error) => late.abort(error) })
  try {
    if (text !== undefined) {
      await page.look()
      await untilTrue(page, () => page.frame !== null && findInFrame(page.frame, text).length > 0, signal)
    }
    if (url !== undefined) await untilTrue(page, () => page.state.url.includes(url), signal)
    if (title !== undefined) await untilTrue(page, () => page.state.title.includes(title), signal)
    if (network_idle !== undefined) await page.waitForNetworkIdle(network_idle, signal)
    if (idle !== undefined) await page.waitForQuiescence(idle, signal)
  } finally {
    clearTimeout(timer)
    stop()
  }
  const waited = { ok: true, elapsed_ms: Math.round(performance.now() - startMs) }
  return title === undefined ? waited : { ...waited, title: page.state.title }
}

async function untilTrue(page: WebPage, holds: () => boolean, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  if (holds()) return
  await new Promise<void>((resolve, reject) => {
    const check = () => {
      if (!holds()) return
      stop()
      resolve()
    }
    const onAbort = () => {
      stop()
      reject(signal.reason as Error)
    }
    const unobserve = page.observe({ frame: check, state: check })
    const release = page.hold()
    const stop = () => {
      unobserve()
      release()
      signal.removeEventListener('abort', onAbort)
    }
    signal.addEventListener('abort', onAbort)
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
