/** A real Chromium, and pages that try each way past the filtering proxy. All of it stays on loopback. */
import * as dgram from 'node:dgram'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as http from 'node:http'
import type { AddressInfo } from 'node:net'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect } from 'vitest'
import { networkFlags } from '../packages/transom/src/kinds/web/chromium-network-flags.ts'
import { Chromium } from '../packages/transom/src/kinds/web/chromium.ts'
import { FilteringProxy, type ProxyProblem } from '../packages/transom/src/kinds/web/filtering-proxy.ts'
import { UrlPolicy } from '../packages/transom/src/kinds/web/url-policy.ts'
import { WAYS_OUT, LOCAL_URLS, attackPage, type Target, type WayOut } from './fixtures/web/ways-out.ts'
import { needsBrowser } from './support/needs.ts'
import { until } from './support/until.ts'

const test = needsBrowser()

const SITE = 'app.localhost' // a secure context without a certificate, so that service workers and WebTransport are there

let folder: string
let netLog: string
let target: Target
let site: string
let hits: string[]
let done: string[]
let problems: ProxyProblem[]
let proxy: FilteringProxy
let guarded: Chromium
let unguarded: Chromium
const closers: (() => unknown)[] = []

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-escapes-'))
  target = await openTarget()
  const sitePort = await openSite()
  site = `http://${SITE}:${sitePort}`
  proxy = await FilteringProxy.open({
    policy: new UrlPolicy({ allowHosts: [`${SITE}:${sitePort}`] }),
    resolve: async (name) => (name === 'rebound.test' ? ['127.0.0.1'] : []),
    onProblem: (problem) => problems.push(problem),
  })
  netLog = path.join(folder, 'net-log.json')
  guarded = await Chromium.start({
    env: process.env,
    flags: [...networkFlags(proxy.address), `--log-net-log=${netLog}`],
  })
  unguarded = await Chromium.start({
    env: process.env,
    flags: ['--host-resolver-rules=MAP rebound.test 127.0.0.1', '--no-proxy-server'],
  })
})

beforeEach(() => {
  hits = []
  done = []
  problems = []
})

afterAll(async () => {
  await Promise.all([guarded.close(), unguarded.close()])
  await proxy.close()
  for (const close of closers.toReversed()) await close()
  fs.rmSync(folder, { recursive: true })
})

/** What no page may reach: it counts every request and every packet. */
async function openTarget(): Promise<Target> {
  const server = http.createServer((request, response) => {
    hits.push(`${request.method} ${request.url}`)
    response.end('secret')
  })
  server.on('upgrade', (_request, socket) => {
    hits.push('upgrade')
    socket.destroy()
  })
  server.on('clientError', (_error, socket) => {
    hits.push('bytes') // TURN over TCP is no HTTP
    socket.destroy()
  })
  server.listen(0, '::') // IPv4 and IPv6
  const udp = dgram.createSocket('udp4').on('message', () => hits.push('packet'))
  udp.bind(0, '127.0.0.1')
  await Promise.all([once(server, 'listening'), once(udp, 'listening')])
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
    () => udp.close(),
  )
  return { port: (server.address() as AddressInfo).port, udpPort: udp.address().port }
}

async function openSite(): Promise<number> {
  const server = http.createServer((request, response) => {
    const [route = '', query = ''] = (request.url ?? '').slice(1).split('?')
    if (route === 'done') done.push(decodeURIComponent(query))
    const hit = `http://127.0.0.1:${target.port}/hit`
    if (route === 'redirect') response.writeHead(302, { Location: hit }).end()
    if (response.headersSent) return
    const isScript = route === 'service-worker.js'
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html')
    const way = WAYS_OUT[Number(route)]
    response.end(isScript ? `fetch('${hit}', { mode: 'no-cors' })` : way && attackPage(way, target))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  return (server.address() as AddressInfo).port
}

interface Page {
  evaluate(expression: string): Promise<unknown>
  close(): Promise<unknown>
}

async function openPage({ cdp }: Chromium, url: string): Promise<Page> {
  const { browserContextId } = await cdp.call('Target.createBrowserContext')
  const { targetId } = await cdp.call('Target.createTarget', { url, browserContextId })
  const { sessionId: session } = await cdp.call('Target.attachToTarget', { targetId, flatten: true })
  const evaluate = async (expression: string) => {
    const { result } = await cdp.call('Runtime.evaluate', { expression, userGesture: true }, { session })
    return result.value as unknown
  }
  return { evaluate, close: () => cdp.call('Target.disposeBrowserContext', { browserContextId }) }
}

async function attack(chromium: Chromium, way: WayOut, over: () => boolean): Promise<void> {
  const page = await openPage(chromium, `${site}/${WAYS_OUT.indexOf(way)}`)
  await until('the page is loaded', () =>
    page.evaluate('typeof attack === "function"').then((it) => it === true),
  )
  await page.evaluate('attack()')
  await until(`${way.name} has gone one way or the other`, over)
  await page.close()
}

describe.each(WAYS_OUT.map((way) => [way.name, way] as const))('%s', (_name, way) => {
  test('does not get past the proxy', async () => {
    const wasRefused = () =>
      problems.some(({ kind, host }) => kind === 'refused' && host.port === target.port)
    await attack(guarded, way, () => wasRefused() || done.length > 0 || hits.length > 0)
    expect(hits).toEqual([])
  })

  if (way.isStoppedByChromium !== true) {
    test('gets out of a browser without it', async () => {
      await attack(unguarded, way, () => hits.length > 0)
      expect(hits).not.toEqual([])
    })
  }
})

test.each(LOCAL_URLS)('a page that goes to %s shows nothing of this machine', async (url) => {
  const page = await openPage(guarded, site)
  await until('the page is loaded', () =>
    page.evaluate('location.origin + document.readyState').then((it) => it === `${site}complete`),
  )
  await page.evaluate(`
    try { location.href = '${url}' } catch {}
    try { document.body.append(Object.assign(document.createElement('iframe'), { src: '${url}' })) } catch {}
    try { fetch('${url}').then((answer) => answer.text()).then((text) => document.title = text) } catch {}
    fetch('/done?tried')`)
  await until('it has been tried', () => done.includes('tried'))
  expect(await page.evaluate('location.origin')).toBe(site)
  expect(await page.evaluate('document.title')).not.toMatch(/root:/)
  await page.close()
})

test('in all of this Chromium connected to the proxy alone, and asked for no name', async () => {
  await guarded.close() // writes the rest of its log
  const log = JSON.parse(fs.readFileSync(netLog, 'utf8')) as NetLog
  const eventsOf = (type: string) => {
    const number = log.constants.logEventTypes[type]
    expect(number, `Chromium knows ${type}`).toBeTypeOf('number')
    return log.events.filter((event) => event.type === number)
  }
  const attempts = eventsOf('TCP_CONNECT_ATTEMPT').flatMap(({ params }) => params?.address ?? [])
  expect(attempts.length).toBeGreaterThan(WAYS_OUT.length)
  expect(new Set(attempts)).toEqual(new Set([proxy.address]))
  expect(eventsOf('UDP_BYTES_SENT')).toEqual([])
  expect(eventsOf('HOST_RESOLVER_DNS_TASK')).toEqual([])
  expect(eventsOf('HOST_RESOLVER_SYSTEM_TASK')).toEqual([])
})

interface NetLog {
  readonly constants: { readonly logEventTypes: Readonly<Record<string, number>> }
  readonly events: readonly { readonly type: number; readonly params?: { readonly address?: string } }[]
}
