import * as fs from 'node:fs'
import * as http from 'node:http'
import type { AddressInfo } from 'node:net'
import * as path from 'node:path'
import { canonicalText, findPlaces, type TextPlace } from '@transom/grid'
import { Chromium, type ChromiumOptions } from '../../packages/transom/src/kinds/web/chromium.ts'
import { ChromiumPage } from '../../packages/transom/src/kinds/web/chromium-page.ts'
import { FrameDecoder } from '../../packages/transom/src/kinds/web/frame-decoder.ts'
import { textGrid } from '../../packages/transom/src/kinds/web/frame-grid.ts'
import { cellFontconfigFile } from '../../packages/transom/src/kinds/web/font-cache.ts'
import { waitUntil } from '../../packages/transom/src/lib/wait-until.ts'
import type { WebFrame } from '../../packages/transom/src/kinds/web/web-frame.ts'
import { FIXTURES } from './test-home.ts'

const FRAME_WORKER = path.join(path.dirname(FIXTURES), '../packages/transom/dist/frame-worker.cjs')

/** What a request of a test's page is answered with, beside the files in fixtures/web. */
export type Answers = Readonly<Record<string, string>>

/** Serves the pages of fixtures/web on loopback, each link target as a page that names its own path. */
export class PageServer {
  readonly port: number
  readonly requests: string[] = []
  readonly #server: http.Server

  static async start(answers: Answers = {}): Promise<PageServer> {
    const server = http.createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new PageServer(server, answers)
  }

  private constructor(server: http.Server, answers: Answers) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
    server.on('request', (request, response) => {
      const url = request.url ?? '/'
      this.requests.push(url)
      const { pathname } = new URL(url, 'http://localhost')
      const file = path.join(FIXTURES, 'web', pathname)
      const type = pathname.endsWith('.js') ? 'text/javascript' : 'text/html'
      response.setHeader('content-type', `${type}; charset=utf-8`)
      const answer = answers[pathname]
      if (answer !== undefined) response.end(answer)
      else if (/\.\w+$/.test(pathname) && fs.existsSync(file))
        response.end(fs.readFileSync(file, 'utf8').replaceAll('PORT', String(this.port)))
      else response.end(`<!doctype html><title>At ${pathname}</title><p>You are at ${url}</p>`)
    })
  }

  url(pathname: string): string {
    return `http://127.0.0.1:${this.port}${pathname}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

export interface OpenOptions extends Partial<ChromiumOptions> {
  readonly cols?: number
  readonly rows?: number
  readonly scale?: number
}

/** A page in a browser of its own. Close it. */
export async function openPage({
  cols = 140,
  rows = 45,
  scale,
  ...options
}: OpenOptions = {}): Promise<TestPage> {
  const env = process.env
  const start = async () => Chromium.start({ env, fontconfigFile: cellFontconfigFile(env), ...options })
  const decoder = new FrameDecoder(fs.readFileSync(FRAME_WORKER, 'utf8'))
  return new TestPage(await ChromiumPage.open({ start, decoder, cols, rows, scale }), decoder)
}

export class TestPage {
  readonly page: ChromiumPage
  readonly #decoder: FrameDecoder

  constructor(page: ChromiumPage, decoder: FrameDecoder) {
    this.page = page
    this.#decoder = decoder
  }

  /** The lines that are shown, without trailing blanks. */
  lines(): string[] {
    const { frame } = this.page
    if (frame === null) return []
    const grid = textGrid(frame)
    return Array.from({ length: grid.rows }, (_, row) => grid.lineOf(row))
  }

  text(): string {
    return this.lines().join('\n')
  }

  /** Where the page shows a text. */
  find(text: string): TextPlace[] {
    const { frame } = this.page
    if (frame === null) return []
    const grid = textGrid(frame)
    return findPlaces({ grid, canonical: canonicalText(grid) }, text)
  }

  /** Evaluates in the page's own world, on a session of the test's own. */
  async evaluate<T>(expression: string): Promise<T> {
    const { cdp } = this.page.chromium
    const session = await this.#attach()
    const { result, exceptionDetails } = await cdp.call(
      'Runtime.evaluate',
      { expression, returnByValue: true, awaitPromise: true },
      { session, timeoutMs: 60_000 }, // as long as a test may take
    )
    await cdp.call('Target.detachFromTarget', { sessionId: session })
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails))
    return result.value as T
  }

  /** What Chromium has painted, as PNG. */
  async picture(): Promise<Buffer> {
    const { cdp } = this.page.chromium
    const session = await this.#attach()
    const { data } = await cdp.call('Page.captureScreenshot', { format: 'png' }, { session })
    await cdp.call('Target.detachFromTarget', { sessionId: session })
    return Buffer.from(data, 'base64')
  }

  /** Ends the process of the tab; resolves when the page has told of it. */
  async crash(): Promise<Error> {
    const trouble = new Promise<Error>((resolve) => {
      const stop = this.page.observe({ trouble: (error) => (stop(), resolve(error)) })
    })
    const session = await this.#attach()
    this.page.chromium.cdp.call('Page.crash', undefined, { session }).catch(() => {}) // nobody is left to answer
    return trouble
  }

  /** A session of the test's own with the tab. */
  async #attach(): Promise<string> {
    const { cdp } = this.page.chromium
    const { targetInfos } = await cdp.call('Target.getTargets')
    const targetId = targetInfos.find(({ type }) => type === 'page')?.targetId ?? ''
    return (await cdp.call('Target.attachToTarget', { targetId, flatten: true })).sessionId
  }

  /** Resolves when the frame satisfies a condition: at once, or at a change. */
  async shows(what: string, holds: () => boolean): Promise<void> {
    if (holds()) return
    const release = this.page.hold()
    await new Promise<void>((resolve, reject) => {
      const check = () => {
        if (!holds()) return
        clearTimeout(timer)
        stop()
        resolve()
      }
      const stop = this.page.observe({ frame: check, state: check, dialog: check })
      const timer = setTimeout(() => {
        stop()
        reject(new Error(`the page does not show ${what}:\n${this.text()}`))
      }, 20_000)
    })
    release()
  }

  /** Resolves with the frame once no cell has changed for this long. */
  async quiet(idleMs: number): Promise<WebFrame> {
    const { page } = this
    await page.look()
    const release = page.hold()
    try {
      return await waitUntil<WebFrame>({
        subscribe: (onChange) => page.observe({ frame: onChange, state: onChange }),
        judge: ({ due }) =>
          due && page.frame !== null ? { done: page.frame } : { dueMs: page.state.loading ? null : idleMs },
        signal: AbortSignal.timeout(20_000),
      })
    } finally {
      release()
    }
  }

  /** Resolves once no request has been open for this long. */
  async networkIdle(idleMs: number): Promise<void> {
    const { page } = this
    await waitUntil<void>({
      subscribe: (onChange) => page.observe({ networkIdle: onChange }),
      judge: () => {
        const idleForMs = page.networkIdleForMs
        if (idleForMs === null) return { dueMs: null }
        return idleForMs >= idleMs ? { done: undefined } : { dueMs: idleMs - idleForMs }
      },
      signal: AbortSignal.timeout(20_000),
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.page.close()
    await this.#decoder.close()
  }
}
