/** A browser's way into the gateway: a code from the command line, a cookie for it, and what others try with that. */
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as http from 'node:http'
import type { AddressInfo } from 'node:net'
import * as path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { OPERATIONS, neededFor, type OperationDefinition } from '@transom/protocol'
import { Browser } from './support/browser.ts'
import { GatewayProcess, upgradeStatus, type Reply } from './support/gateway-process.ts'
import { needsBrowser } from './support/needs.ts'
import { TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'

const JSON_TYPE = { 'content-type': 'application/json' }

let home: TestHome
let gateway: GatewayProcess
let session: string

beforeAll(async () => {
  home = new TestHome()
  gateway = await GatewayProcess.start(home)
  session = await home.ok('create', '--name', 'seen', '--', 'sh', '-c', 'echo shown; cat')
})

afterAll(async () => {
  await gateway.close()
  await home.close()
})

async function code(): Promise<string> {
  const { url } = await home.json<{ url: string }>('login', '--url', gateway.url)
  expect(url.startsWith(`${gateway.url}/viewer#`)).toBe(true)
  return new URL(url).hash.slice(1)
}

async function exchange(given: string, headers: Record<string, string> = {}): Promise<Reply> {
  return gateway.ask('/viewer/login', {
    method: 'POST',
    headers: { ...JSON_TYPE, origin: gateway.url, ...headers },
    body: JSON.stringify({ code: given }),
    token: null,
  })
}

/** Logs in; returns what a browser sends from then on. */
async function login(): Promise<string> {
  const { status, headers } = await exchange(await code())
  expect(status).toBe(204)
  const [cookie = ''] = headers['set-cookie'] ?? []
  expect(cookie).toMatch(
    new RegExp(
      `^transom-viewer-${gateway.port}=[\\w-]{43}; Path=/; Max-Age=\\d+; HttpOnly; SameSite=Strict$`,
    ),
  )
  return cookie.split(';', 1)[0] ?? ''
}

async function post(operation: string, cookie: string, headers: Record<string, string> = {}) {
  return gateway.ask(`/v1/${operation}`, {
    method: 'POST',
    headers: { ...JSON_TYPE, origin: gateway.url, cookie, ...headers },
    body: JSON.stringify({ session }),
    token: null,
  })
}

/** The status once attempts are not refused for their number: the limit is for wrong ones from an address. */
async function settled(ask: () => Promise<Reply>): Promise<number> {
  let status = 0
  await until('the rate limit is over', async () => {
    status = (await ask()).status
    return status !== 429
  })
  return status
}

test('a code is exchanged once for a cookie that shows the sessions and their streams, to its own page', async () => {
  const cookie = await login()
  const listed = await gateway.ask('/v1/session.list', {
    method: 'POST',
    headers: { ...JSON_TYPE, origin: gateway.url, cookie, 'sec-fetch-site': 'same-origin' },
    body: '{}',
    token: null,
  })
  expect([listed.status, listed.text]).toEqual([200, expect.stringContaining(session)])
  expect((await post('session.snapshot', cookie)).text).toContain('screen_hash')
  const webSocket = gateway.webSocket(null, { cookie, origin: gateway.url })
  await once(webSocket, 'open')
  webSocket.send(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'session.subscribe', params: { session, to: 'screen' } }),
  )
  const [answer] = (await once(webSocket, 'message')) as [Buffer]
  expect(JSON.parse(String(answer))).toMatchObject({ result: { subscription: 1 } })
  const closed = once(webSocket, 'close')
  const out = await gateway.ask('/viewer/logout', {
    method: 'POST',
    headers: { ...JSON_TYPE, origin: gateway.url, cookie },
    body: '{}',
    token: null,
  })
  expect([out.status, out.headers['set-cookie']?.[0]]).toEqual([204, expect.stringContaining('Max-Age=0')])
  await closed // its streams end with the login
  expect(await settled(() => post('session.list', cookie))).toBe(401)
})

needsBrowser()('a browser logs in, and a page of another port has no use of it', async () => {
  const neighbour = http.createServer((_request, response) => response.end('<title>neighbour</title>'))
  neighbour.listen(0, '127.0.0.1')
  await once(neighbour, 'listening')
  const browser = await Browser.open({ offline: false })
  const openStream = `new Promise((resolve) => {
    const stream = new WebSocket('ws://127.0.0.1:${gateway.port}/v1/stream')
    stream.onopen = () => resolve('open')
    stream.onerror = () => resolve('refused')
  })`
  const askForList = `fetch('${gateway.url}/v1/session.list', {
    method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' }, body: '{}',
  }).then(({ status }) => status, () => 'refused')`
  try {
    await browser.goto(`${gateway.url}/viewer#${await code()}`)
    await until('the page shows the session', async () =>
      (await browser.evaluate<string>('document.body.innerText')).includes(session),
    )
    expect(await browser.evaluate('location.href')).toBe(`${gateway.url}/viewer`)
    expect(await browser.evaluate('document.cookie')).toBe('')
    expect([await browser.evaluate(openStream), await browser.evaluate(askForList)]).toEqual(['open', 200])
    await browser.goto(`http://127.0.0.1:${(neighbour.address() as AddressInfo).port}/`)
    await until(
      'the neighbour is there',
      async () => (await browser.evaluate('document.title')) === 'neighbour',
    )
    expect([await browser.evaluate(openStream), await browser.evaluate(askForList)]).toEqual([
      'refused',
      'refused',
    ])
    await browser.goto(`${gateway.url}/viewer#wrong`)
    await until('the page says that it is not', async () =>
      (await browser.evaluate<string>('document.body?.innerText ?? ""')).includes('transom login'),
    )
  } finally {
    await browser.close()
    neighbour.close()
    neighbour.closeAllConnections()
  }
})

test('a code that is wrong, used or none at all is refused, and many of them are not even looked at', async () => {
  const used = await code()
  expect((await exchange(used)).status).toBe(204)
  for (const wrong of [used, 'x', '', `${used}=`, gateway.token])
    expect([wrong, await settled(() => exchange(wrong))]).toEqual([wrong, 401])
  const many = await Promise.all(Array.from({ length: 200 }, () => exchange('guess')))
  expect(many.filter(({ status }) => status !== 401 && status !== 429)).toEqual([])
  expect(many.some(({ status }) => status === 429)).toBe(true)
  expect(many.every(({ headers }) => headers['set-cookie'] === undefined)).toBe(true)
  const malformed = await gateway.ask('/viewer/login', {
    method: 'POST',
    headers: { ...JSON_TYPE, origin: gateway.url },
    body: '{"code":7}',
    token: null,
  })
  expect(malformed.status).toBe(400)
})

test('a code is taken by POST of JSON from its own page only, and looking at the page takes none', async () => {
  const given = await code()
  const page = await gateway.ask(`/viewer?code=${given}`, { token: null })
  expect([page.status, page.headers['set-cookie']]).toEqual([200, undefined])
  expect(page.headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'sha256-[^']+';/)
  expect(page.text).not.toContain(session)
  for (const method of ['GET', 'HEAD', 'PUT', 'DELETE']) {
    const { status, headers } = await gateway.ask('/viewer/login', { method, token: null })
    expect([method, status, headers['set-cookie']]).toEqual([method, 405, undefined])
  }
  for (const origin of ['https://evil.example', 'null', `http://127.0.0.1:${gateway.port + 1}`])
    expect([origin, (await exchange(given, { origin })).status]).toEqual([origin, 403])
  expect((await exchange(given, { host: `evil.example:${gateway.port}` })).status).toBe(403)
  expect((await exchange(given, { 'content-type': 'text/plain' })).status).toBe(415)
  expect((await exchange('x'.repeat(5000))).status).toBe(413)
  expect((await exchange(given)).status).toBe(204) // none of that has used it up
})

test('a cookie is worth nothing to a foreign page, by any route', async () => {
  const cookie = await login()
  const { port } = gateway
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `http://127.0.0.1:${port + 1}` }, // browsers send cookies to every port
    { origin: `https://127.0.0.1:${port}` },
    { origin: gateway.url, 'sec-fetch-site': 'cross-site' },
    { origin: gateway.url, 'sec-fetch-site': 'same-site' },
  ] as Record<string, string>[]) {
    expect([headers, (await post('session.list', cookie, headers)).status]).toEqual([headers, 403])
    const get = await gateway.ask(`/v1/subscribe?session=${session}`, {
      headers: { ...headers, cookie },
      token: null,
    })
    expect([headers, get.status]).toEqual([headers, 403])
    expect([headers, await upgradeStatus(gateway.webSocket(null, { ...headers, cookie }))]).toEqual([
      headers,
      403,
    ])
  }
  const without = await gateway.ask('/v1/session.list', {
    method: 'POST',
    headers: { ...JSON_TYPE, cookie },
    body: '{}',
    token: null,
  })
  expect(without.status).toBe(403) // a browser names the origin of every POST
  expect(await upgradeStatus(gateway.webSocket(null, { cookie }))).toBe(403) // and of every WebSocket
  expect((await gateway.ask('/metrics', { headers: { cookie }, token: null })).status).toBe(200)
})

test('an origin that was let in by name has no use of the cookie either', async () => {
  const origin = 'https://app.example'
  const other = await GatewayProcess.start(home, '--allow-origin', origin)
  const { url } = await home.json<{ url: string }>('login', '--url', other.url)
  const body = JSON.stringify({ code: new URL(url).hash.slice(1) })
  const headers = { ...JSON_TYPE, origin: other.url }
  const answer = await other.ask('/viewer/login', { method: 'POST', headers, body, token: null })
  const cookie = answer.headers['set-cookie']?.[0]?.split(';', 1)[0] ?? ''
  const asked = { method: 'POST', body: '{}', token: null }
  expect((await other.ask('/v1/session.list', { ...asked, headers: { ...headers, cookie } })).status).toBe(
    200,
  )
  const foreign = await other.ask('/v1/session.list', { ...asked, headers: { ...headers, origin, cookie } })
  expect(foreign.status).toBe(403)
  await other.close()
})

test('a cookie lets look and not act, and is no token; a token is no cookie', async () => {
  const cookie = await login()
  for (const [name, definition] of Object.entries<OperationDefinition>(OPERATIONS)) {
    if (neededFor(definition, {}).scope === 'read') continue
    expect([name, (await post(name, cookie)).status]).toEqual([name, 403])
  }
  const [name = '', secret = ''] = cookie.split('=')
  expect(await settled(() => gateway.ask('/openapi.json', { token: secret }))).toBe(401)
  for (const value of [gateway.token, '', `${secret}x`])
    expect(await settled(() => post('session.list', `${name}=${value}`))).toBe(401)
  expect(await settled(() => post('session.list', `other=${secret}`))).toBe(401)
})

test('no log has a code or a cookie in it, and no file has', async () => {
  await home.ok('host', 'debug', 'on')
  const given = await code()
  const { headers } = await exchange(given)
  const secret = headers['set-cookie']?.[0]?.split(/[=;]/)[1] ?? 'none'
  await gateway.ask(`/viewer`, { token: null })
  const files = fs
    .readdirSync(home.path, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(home.path, name))
    .filter((file) => fs.statSync(file).isFile())
  expect(files.length).toBeGreaterThan(2)
  for (const text of [gateway.stderr, ...files.map((file) => fs.readFileSync(file, 'latin1'))])
    expect([text.includes(given), text.includes(secret)]).toEqual([false, false])
})

test('an address that is none is refused in words', async () => {
  for (const url of ['nonsense', 'file:///etc', 'unix:/x']) {
    const { code: status, stderr } = await home.run(['login', '--url', url])
    expect([url, status, stderr]).toEqual([url, 64, expect.stringContaining('--url takes')])
  }
})
