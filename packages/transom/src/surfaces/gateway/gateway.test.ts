import { once } from 'node:events'
import * as fs from 'node:fs'
import * as net from 'node:net'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
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
    createMcp: () => ({ fetch: async () => new Response(), close: async () => {} }),
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
