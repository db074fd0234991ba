import * as http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest'
import { needsBrowser } from './support/needs.ts'
import { until } from './support/until.ts'
import { openPage, type TestPage } from './support/web.ts'

const test = needsBrowser()

/** Pages, what ends only when it is told to (/held), and a document whose end never comes (/endless). */
class HoldingServer {
  readonly #server = http.createServer((request, response) => {
    const url = request.url ?? '/'
    this.requests.push(url)
    response.setHeader('content-type', 'text/html; charset=utf-8')
    if (url.startsWith('/held')) this.held.push(response)
    else if (url.startsWith('/endless')) response.write('<p>it begins</p>')
    else response.end(`<!doctype html><title>${url}</title><p>You are at ${url}</p>`)
  })
  readonly requests: string[] = []
  readonly held: http.ServerResponse[] = []

  static async start(): Promise<HoldingServer> {
    const server = new HoldingServer()
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve))
    return server
  }

  url(pathname: string, host = '127.0.0.1'): string {
    return `http://${host}:${(this.#server.address() as AddressInfo).port}${pathname}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

describe('the network is idle when no request is open', () => {
  let server: HoldingServer
  let opened: TestPage
  let announced: string[] = []

  beforeAll(async () => {
    server = await HoldingServer.start()
    opened = await openPage({ flags: ['--site-per-process'] }) // iframes of other sites in processes of their own
    opened.page.chromium.cdp.on('Network.requestWillBeSent', ({ request }) =>
      announced.push(new URL(request.url).pathname),
    )
  })
  afterAll(async () => {
    await opened[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })
  beforeEach(async () => {
    server.requests.length = 0
    announced = []
    await opened.page.navigate(server.url('/page'))
  })

  /** A request may reach the server before Chromium announces it to the page's own session. */
  const asked = async (pathname: string) =>
    until(
      `${pathname} is asked for`,
      () => server.requests.includes(pathname) && announced.includes(pathname),
    )

  const idle = async () => opened.networkIdle(20)

  test('and not before an answer has come', async () => {
    await opened.evaluate(`void fetch('/held/answer')`)
    await asked('/held/answer')
    const order: string[] = []
    const waited = idle().then(() => order.push('idle'))
    await opened.evaluate('new Promise((done) => setTimeout(done, 100))')
    order.push('answered')
    server.held.at(-1)?.end('here')
    await waited
    expect(order).toEqual(['answered', 'idle'])
  })

  test('whatever the page before had asked for and never got', async () => {
    await opened.evaluate(`(new Image().src = '/held/picture', void fetch('/held/data').catch(() => {}))`)
    await asked('/held/picture')
    await asked('/held/data')
    await opened.page.navigate(server.url('/next'))
    await idle()
  })

  test.for([
    ['of its own site', '127.0.0.1'],
    ['of another site', 'localhost'],
  ] as const)('whatever an iframe %s that was removed had not got', async ([, host]) => {
    const src = server.url('/endless', host)
    await opened.evaluate(
      `void (document.body.innerHTML = '<iframe src="${src}"></iframe>', new Image().src = '/held/beside')`,
    )
    await opened.shows('the iframe', () => opened.text().includes('it begins'))
    await asked('/held/beside')
    server.held.at(-1)?.end()
    await opened.evaluate(`document.querySelector('iframe').remove()`)
    await idle()
  })

  test('whatever a tab that crashed had not got', async () => {
    await opened.evaluate(`void fetch('/held/lost').catch(() => {})`)
    await asked('/held/lost')
    const { cdp } = opened.page.chromium
    const { targetInfos } = await cdp.call('Target.getTargets')
    const targetId = targetInfos.find(({ type }) => type === 'page')?.targetId ?? ''
    const { sessionId: session } = await cdp.call('Target.attachToTarget', { targetId, flatten: true })
    const waited = idle()
    cdp.call('Page.crash', undefined, { session }).catch(() => {}) // nobody is left to answer
    await waited
  })
})
