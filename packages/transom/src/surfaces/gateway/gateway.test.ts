import { once } from 'node:events'
import * as fs from 'node:fs'
import * as net from 'node:net'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { GATEWAY_LIMITS, Gateway, type GatewayLimits } from './gateway.ts'
import { TokenStore } from './token-store.ts'

let home: string
let gateway: Gateway
let token: string

const IMPATIENT = { headersTimeoutMs: 40, requestTimeoutMs: 80 }

beforeEach(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-gateway-'))
})

async function listen(limits: Partial<GatewayLimits> = {}): Promise<void> {
  const tokens = new TokenStore(home)
  token = tokens.createFirst()?.token ?? ''
  gateway = await Gateway.listen({
    home,
    tokens,
    address: { scheme: 'http', tls: null, at: { host: '127.0.0.1', port: 0 } },
    allowHosts: [],
    allowOrigins: [],
    connector: { connect: async () => null, follow: () => expect.unreachable() },
    limits: { ...GATEWAY_LIMITS, ...limits },
    createMcp: () => ({ opensStream: () => false, fetch: async () => new Response(), close: async () => {} }),
    debug: null,
  })
}

afterEach(async () => {
  await gateway.close()
  fs.rmSync(home, { recursive: true })
})

async function answerTo(...parts: string[]): Promise<string> {
  const socket = net.connect(Number(new URL(gateway.url).port), '127.0.0.1')
  let text = ''
  socket.on('data', (chunk) => (text += String(chunk)))
  for (const part of parts) socket.write(part)
  await once(socket, 'close')
  return text
}

test('a header that never ends is cut off', async () => {
  await listen(IMPATIENT)
  const host = new URL(gateway.url).host
  expect(await answerTo(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n`, 'X-Slow: ')).toMatch(/^HTTP\/1\.1 408/)
})

test('a body that never comes is cut off', async () => {
  await listen(IMPATIENT)
  const head = [
    'POST /v1/session.list HTTP/1.1',
    `Host: ${new URL(gateway.url).host}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    'Content-Length: 100',
  ]
  expect(await answerTo(`${head.join('\r\n')}\r\n\r\n`, '{"all":')).toMatch(/^HTTP\/1\.1 408/)
})

test('a header that is too long is refused', async () => {
  await listen() // with time enough: a slow machine must not make it a header that never ends
  const host = new URL(gateway.url).host
  const answer = await answerTo(
    `GET /healthz HTTP/1.1\r\nHost: ${host}\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
  )
  expect(answer).toMatch(/^HTTP\/1\.1 431/)
})

describe('a form of HTTP that few clients use', () => {
  /** The lines of a request to this gateway, with a token, and its body. */
  const asked = (target: string, headers: readonly string[] = [], body = '') =>
    [
      target,
      `Host: ${new URL(gateway.url).host}`,
      `Authorization: Bearer ${token}`,
      ...headers,
      ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
      '',
      body,
    ].join('\r\n')
  const H2C = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAAAA']

  test('an offer of HTTP/2 is declined by serving the request, body and all', async () => {
    await listen(IMPATIENT)
    const closing = [...H2C.slice(1), 'Connection: Upgrade, HTTP2-Settings, close']
    expect(await answerTo(asked('GET /healthz HTTP/1.1', closing))).toMatch(
      /^HTTP\/1\.1 200 [^]*{"status":"ok"}$/,
    )
    const post = asked('POST /v1/session.list HTTP/1.1', closing, '{"all":true}')
    // No host is running: what is seen is that the body was read and the operation called.
    expect(await answerTo(post.slice(0, -4), post.slice(-4))).toMatch(
      /^HTTP\/1\.1 503 [^]*"host_unavailable"/,
    )
  })

  test('after a declined offer the connection serves further requests', async () => {
    await listen()
    const last = asked('GET /healthz HTTP/1.1', ['Connection: close'])
    const answer = await answerTo(asked('GET /healthz HTTP/1.1', H2C), last)
    expect(answer.match(/{"status":"ok"}/g)).toHaveLength(2)
  })

  test.each(['GET', 'POST'])('a target with scheme and host is the same as its path (%s)', async (method) => {
    await listen()
    const { host } = new URL(gateway.url)
    const route = method === 'GET' ? '/healthz' : '/v1/session.list'
    const body = method === 'GET' ? '' : '{}'
    const own = asked(`${method} http://${host}${route} HTTP/1.1`, ['Connection: close'], body)
    expect(await answerTo(own)).toMatch(method === 'GET' ? /^HTTP\/1\.1 200/ : /"host_unavailable"/)
    const foreign = asked(`${method} http://evil.example${route} HTTP/1.1`, ['Connection: close'], body)
    expect(await answerTo(foreign)).toMatch(/^HTTP\/1\.1 403 [^]*"origin_refused"/)
  })

  test('CONNECT is refused: a gateway is no proxy', async () => {
    await listen()
    expect(await answerTo(asked('CONNECT example.com:443 HTTP/1.1'))).toMatch(
      /^HTTP\/1\.1 405 [^]*allow: GET, POST[^]*"method_not_allowed"/,
    )
  })

  test.each([
    ['HTTP/1.0', 'GET /healthz HTTP/1.0', [], /^HTTP\/1\.1 200 [^]*connection: close[^]*{"status":"ok"}$/i],
    ['HEAD', 'HEAD /healthz HTTP/1.1', ['Connection: close'], /^HTTP\/1\.1 200 [^]*\r\n\r\n$/],
    ['OPTIONS', 'OPTIONS /healthz HTTP/1.1', ['Connection: close'], /^HTTP\/1\.1 405 [^]*allow: GET/i],
    [
      'OPTIONS of the whole server',
      'OPTIONS * HTTP/1.1',
      ['Connection: close'],
      /^HTTP\/1\.1 204 [^]*allow: GET/i,
    ],
    ['TRACE', 'TRACE /healthz HTTP/1.1', ['Connection: close'], /^HTTP\/1\.1 405 /],
    [
      'an unknown expectation',
      'GET /healthz HTTP/1.1',
      ['Expect: tea', 'Connection: close'],
      /^HTTP\/1\.1 417 /,
    ],
    ['HTTP/2 without asking', 'PRI * HTTP/2.0', [], /^HTTP\/1\.1 400 /],
    [
      'two Hosts',
      'GET /healthz HTTP/1.1',
      ['Host: evil.example', 'Connection: close'],
      /^HTTP\/1\.1 40[03] /,
    ],
  ])('%s gets its answer', async (_name, target, headers, answer) => {
    await listen()
    expect(await answerTo(asked(target, headers))).toMatch(answer)
  })

  test('a body that waits for 100 Continue is asked for', async () => {
    await listen()
    const post = asked('POST /v1/session.list HTTP/1.1', ['Expect: 100-continue', 'Connection: close'], '{}')
    expect(await answerTo(post)).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 503 /)
  })
})
