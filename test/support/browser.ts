import { Chromium } from '../../packages/transom/src/kinds/web/chromium.ts'
import { until } from './until.ts'

/** How long a page may take to evaluate what a test asks: some play a whole recording. */
const EVALUATE_TIMEOUT_MS = 60_000

/** A headless browser with one page. Network is off unless asked for. */
export class Browser {
  readonly #chromium: Chromium
  readonly #session: string
  /** The documents that have loaded. */
  readonly #loaded = new Set<string>()

  static async open({ offline = true }: { offline?: boolean } = {}): Promise<Browser> {
    const chromium = await Chromium.start({ env: process.env })
    const { cdp } = chromium
    const { targetId } = await cdp.call('Target.createTarget', { url: 'about:blank' })
    const { sessionId: session } = await cdp.call('Target.attachToTarget', { targetId, flatten: true })
    await cdp.call('Page.enable', undefined, { session })
    await cdp.call('Page.setLifecycleEventsEnabled', { enabled: true }, { session })
    await cdp.call('Network.enable', undefined, { session })
    const throughput = offline ? 0 : -1
    const conditions = { offline, latency: 0, downloadThroughput: throughput, uploadThroughput: throughput }
    await cdp.call('Network.emulateNetworkConditions', conditions, { session })
    return new Browser(chromium, session)
  }

  private constructor(chromium: Chromium, session: string) {
    this.#chromium = chromium
    this.#session = session
    chromium.cdp.on('Page.lifecycleEvent', ({ name, loaderId }) => {
      if (name === 'load') this.#loaded.add(loaderId)
    })
  }

  async goto(url: string): Promise<void> {
    const { cdp } = this.#chromium
    const { loaderId } = await cdp.call('Page.navigate', { url }, { session: this.#session })
    // Without a loader it was a step within the document. The page before may still be there: it is not asked.
    if (loaderId !== undefined) await until(`${url} has loaded`, () => this.#loaded.has(loaderId))
  }

  /** The value of an expression in the page; a promise is awaited there. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.#chromium.cdp.call(
      'Runtime.evaluate',
      { expression, awaitPromise: true, returnByValue: true },
      { session: this.#session, timeoutMs: EVALUATE_TIMEOUT_MS },
    )
    if (exceptionDetails !== undefined) throw new Error(`in the page: ${JSON.stringify(exceptionDetails)}`)
    return result.value as T
  }

  async close(): Promise<void> {
    await this.#chromium.close()
  }
}
