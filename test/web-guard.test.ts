/** The allow-list of hosts that pages come from, in a real Chromium. */
import { once } from 'node:events'
import * as http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect } from 'vitest'
import { Chromium } from '../packages/transom/src/kinds/web/chromium.ts'
import { NetworkGuard } from '../packages/transom/src/kinds/web/network-guard.ts'
import { needsBrowser } from './support/needs.ts'
import { until } from './support/until.ts'

const test = needsBrowser()

let server: http.Server
let port: number
let guard: NetworkGuard
let chromium: Chromium
let session: string
let asked: string[]

beforeAll(async () => {
  asked = []
  server = http.createServer((request, response) => {
    asked.push(`${request.headers.host?.split(':')[0]}${request.url}`)
    response.setHeader('Supports-Loading-Mode', 'credentialed-prerender')
    if (request.url === '/away') response.writeHead(302, { Location: `http://other.localhost:${port}/page` })
    else response.setHeader('Content-Type', 'text/html')
    if (request.url === '/speculates') return response.end(speculations())
    return response.end(`<title>${request.url}</title><img src="http://other.localhost:${port}/image">
      <iframe src="http://other.localhost:${port}/frame"></iframe>`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
  guard = await NetworkGuard.open({ allowHosts: ['*.localhost'], onlyHosts: ['home.localhost'] })
  chromium = await Chromium.start({ env: process.env, flags: guard.flags })
  await guard.watch(chromium.cdp)
  session = await openTab(chromium)
})

afterAll(async () => {
  await chromium.close()
  await guard.close()
  server.closeAllConnections()
  server.close()
})

test('pages and frames come from the listed hosts alone; images may come from others', async () => {
  const { errorText } = await chromium.cdp.call(
    'Page.navigate',
    { url: `http://home.localhost:${port}/start` },
    { session },
  )
  expect(errorText).toBeUndefined()
  await until('the image is asked for', () => asked.includes('other.localhost/image'))
  await until('the frame is refused', () => guard.problemAt(`http://other.localhost:${port}/frame`) !== null)
  expect(asked).not.toContain('other.localhost/frame')
})

test('a redirect to another host is refused, and the reason can be told', async () => {
  const url = `http://home.localhost:${port}/away`
  const { errorText } = await chromium.cdp.call('Page.navigate', { url }, { session })
  expect(errorText).toBe('net::ERR_BLOCKED_BY_CLIENT')
  expect(asked).toContain('home.localhost/away')
  expect(asked).not.toContain('other.localhost/page')
  expect(guard.problemAt(`http://other.localhost:${port}/page`)).toMatchObject({
    code: 'url_refused',
    details: { rule: 'only_host' },
  })
})

test('so is a step of the page itself', async () => {
  const url = `http://home.localhost:${port}/start`
  await chromium.cdp.call('Page.navigate', { url }, { session })
  const away = `http://other.localhost:${port}/step`
  await chromium.cdp.call('Runtime.evaluate', { expression: `location.href = '${away}'` }, { session })
  await until('the step is refused', () => guard.problemAt(away) !== null)
  expect(asked).not.toContain('other.localhost/step')
})

test('so is a page that was loaded in advance, also where Chromium shows it without a request', async () => {
  const url = `http://home.localhost:${port}/speculates`
  const away = `http://inner.home.localhost:${port}/prefetched`
  const flags = guard.flags.filter((flag) => !flag.includes('prefetch_timeout_ms'))
  const eager = await Chromium.start({ env: process.env, flags })
  try {
    await guard.watch(eager.cdp)
    const tab = await openTab(eager)
    await eager.cdp.call('Page.navigate', { url }, { session: tab })
    await until('it is loaded in advance', () => asked.includes('inner.home.localhost/prefetched'))
    await eager.cdp.call('Runtime.evaluate', { expression: `location.href = '${away}'` }, { session: tab })
    await until('it is refused', () => guard.problemAt(away) !== null)
    await until('the tab has left it', async () => {
      const { frameTree } = await eager.cdp.call('Page.getFrameTree', undefined, { session: tab })
      return frameTree.frame.url === 'about:blank'
    })
  } finally {
    await eager.close()
  }
})

async function openTab({ cdp }: Chromium): Promise<string> {
  const { targetId } = await cdp.call('Target.createTarget', { url: 'about:blank' })
  const { sessionId } = await cdp.call('Target.attachToTarget', { targetId, flatten: true })
  await cdp.call('Page.enable', undefined, { session: sessionId })
  return sessionId
}

/** A page that has another one loaded in advance: Chromium does so for hosts of the same site. */
function speculations(): string {
  const urls = [`http://inner.home.localhost:${port}/prefetched`]
  const rules = {
    prefetch: [{ urls, eagerness: 'immediate' }],
    prerender: [{ urls, eagerness: 'immediate' }],
  }
  return `<script type="speculationrules">${JSON.stringify(rules)}</script>`
}

test('what is asked for by name is refused before the browser hears of it', () => {
  expect(() => guard.checkUrl('file:///etc/passwd')).toThrow(/only http/)
  expect(() => guard.checkUrl('http://elsewhere.test/')).toThrow(/elsewhere\.test is not among the hosts/)
  expect(guard.checkUrl(`HTTP://home.localhost:${port}`)).toBe(`http://home.localhost:${port}/`)
})
