/** What an attacker tries against the gateway, on every route there is. */
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as net from 'node:net'
import * as path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OPERATIONS, REQUEST_BYTES_MAX, neededFor, type OperationDefinition } from '@transom/protocol'
import { GatewayProcess, upgradeStatus } from './support/gateway-process.ts'
import { TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'

const OPERATION_NAMES = Object.keys(OPERATIONS)
const GET_ROUTES = [
  '/healthz',
  '/openapi.json',
  '/metrics',
  '/v1/subscribe',
  '/v1/stream',
  '/mcp',
  '/',
  '/nothing',
  '/viewer',
]
/** Without a token: that the gateway is there, a page with nothing in it, and the exchange of a code. */
const OPEN_ROUTES = ['/healthz', '/viewer', '/viewer/login']
const JSON_TYPE = { 'content-type': 'application/json' }

let home: TestHome
let gateway: GatewayProcess
let own: string
let other: string
/** For the session `own` only, with the scope operate. */
let restricted: string
let reader: string
let operator: string

/** Every route: those that are fixed, and one for each operation of the table. */
const ROUTES: { path: string; method: string }[] = [
  ...GET_ROUTES.map((route) => ({ path: route, method: 'GET' })),
  ...OPERATION_NAMES.map((name) => ({ path: `/v1/${name}`, method: 'POST' })),
  { path: '/mcp', method: 'POST' },
  { path: '/viewer/login', method: 'POST' },
  { path: '/viewer/logout', method: 'POST' },
]

beforeAll(async () => {
  home = new TestHome()
  gateway = await GatewayProcess.start(home, '--rate-limit', '100000')
  own = await home.ok('create', '--name', 'own', '--', 'cat')
  other = await home.ok('create', '--name', 'other', '--', 'cat')
  restricted = await home.ok('token', 'create', '--session', 'own')
  reader = await home.ok('token', 'create', '--scope', 'read')
  operator = await home.ok('token', 'create', '--scope', 'operate')
})

afterAll(async () => {
  await gateway.close()
  await home.close()
})

/** Sends the same to every route; returns the routes that did not answer as they should. */
async function unexpected(
  expected: number,
  asked: { headers?: Record<string, string>; token?: string | null },
  routes: readonly { path: string; method: string }[] = ROUTES,
): Promise<string[]> {
  const wrong: string[] = []
  for (const { path: route, method } of routes) {
    const headers = { ...(method === 'POST' ? JSON_TYPE : {}), ...asked.headers }
    const body = method === 'POST' ? '{}' : undefined
    const { status } = await gateway.ask(route, {
      ...asked,
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    })
    if (status !== expected) wrong.push(`${method} ${route}: ${status}`)
  }
  return wrong
}

describe('on every route', () => {
  test('a foreign Host, as a rebound name has it, is refused', async () => {
    for (const host of [
      'evil.example',
      `evil.example:${gateway.port}`,
      '127.0.0.1',
      `127.0.0.1:${gateway.port + 1}`,
      `127.0.0.1.nip.io:${gateway.port}`,
      `localhost.:${gateway.port}`,
    ]) {
      expect([host, await unexpected(403, { headers: { host } })]).toEqual([host, []])
    }
  })

  test('a request without a Host is refused', async () => {
    for (const version of ['1.0', '1.1']) {
      const socket = net.connect(gateway.port, '127.0.0.1')
      socket.write(`GET /metrics HTTP/${version}\r\nAuthorization: Bearer ${gateway.token}\r\n\r\n`)
      const [answer] = (await once(socket, 'data')) as [Buffer]
      expect(String(answer)).toMatch(/^HTTP\/1\.1 40[03] /)
      socket.destroy()
    }
  })

  test('a foreign Origin, null or a sibling port is refused, with and without a token', async () => {
    const { port } = gateway
    for (const origin of [
      'https://evil.example',
      'null',
      `http://127.0.0.1:${port + 1}`,
      `https://127.0.0.1:${port}`,
      'http://localhost',
      `http://localhost:${port}`, // its own name, but not the one that it was asked under
      `http://127.0.0.1:${port}.evil.example`,
      'file://',
      '',
    ]) {
      expect([origin, await unexpected(403, { headers: { origin } })]).toEqual([origin, []])
      expect([origin, await unexpected(403, { headers: { origin }, token: null })]).toEqual([origin, []])
    }
  })

  test(
    'without a token, or with a wrong one, nothing answers but what is open to all',
    { timeout: 120_000 },
    async () => {
      const closed = ROUTES.filter(({ path: route }) => !OPEN_ROUTES.includes(route))
      const refused = async (asked: {
        headers?: Record<string, string>
        token?: string | null
        query?: string
      }) => {
        const seen = new Set<number>()
        for (const { path: route, method } of closed) {
          const { status, text } = await gateway.ask(route + (asked.query ?? ''), { ...asked, method })
          seen.add(status)
          expect(text).not.toContain(own)
        }
        return [...seen]
      }
      const basic = `Basic ${Buffer.from(`user:${gateway.token}`).toString('base64')}`
      for (const asked of [
        { token: null },
        { token: `${gateway.token}x` },
        { token: gateway.token.slice(0, -1) },
        { token: 'x' },
        { token: null, headers: { authorization: gateway.token } },
        { token: null, headers: { authorization: basic } },
        { token: null, headers: { cookie: `token=${gateway.token}` } },
        { token: null, query: `?token=${gateway.token}&access_token=${gateway.token}` },
      ]) {
        // Whoever asks too often with a wrong token is not even answered that it is wrong.
        expect((await refused(asked)).filter((status) => status !== 401 && status !== 429)).toEqual([])
      }
      expect((await gateway.ask('/healthz', { token: null })).text).toBe('{"status":"ok"}')
      expect((await gateway.ask('/openapi.json')).status).toBe(200) // who has a token is not locked out by others
    },
  )

  test('a page of another origin is told nothing by a preflight, and a page let in by name is', async () => {
    const preflight = { 'access-control-request-method': 'POST', origin: 'https://evil.example' }
    const answer = await gateway.ask('/v1/session.list', {
      method: 'OPTIONS',
      headers: preflight,
      token: null,
    })
    expect(answer.status).toBe(403)
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
  })
})

describe('an operation', () => {
  test('takes a body of application/json only: what a form can send is refused', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]) {
      const posts = ROUTES.filter(({ method }) => method === 'POST')
      expect([type, await unexpected(415, { headers: { 'content-type': type } }, posts)]).toEqual([type, []])
    }
    expect((await gateway.ask('/v1/session.list', { method: 'POST', body: '{}' })).status).toBe(415)
  })

  test('is never done by GET, HEAD, PUT, PATCH or DELETE, nor by a method in a header', async () => {
    const before = (await gateway.call('session.inspect', { session: own })).body
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE']) {
      for (const name of OPERATION_NAMES) {
        const route = `/v1/${name}?session=${own}&force=true&text=x&keys=x&signal=KILL&cols=2`
        const headers = { ...JSON_TYPE, 'x-http-method-override': 'POST' }
        const { status } = await gateway.ask(route, { method, headers })
        expect([method, name, status]).toEqual([method, name, 405])
      }
    }
    expect((await gateway.call('session.inspect', { session: own })).body).toEqual(before)
  })

  test('is refused to a token whose scope does not reach it, for every operation of the table', async () => {
    const definitions = Object.entries<OperationDefinition>(OPERATIONS)
    for (const [name, definition] of definitions) {
      const needed = neededFor(definition, {}).scope
      const asReader = await gateway.call(name, { session: 'nobody' }, reader)
      const asOperator = await gateway.call(name, { session: 'nobody' }, operator)
      if (needed !== 'read')
        expect([name, asReader.status, asReader.body.error?.code]).toEqual([name, 403, 'forbidden'])
      if (needed === 'admin') expect([name, asOperator.status]).toEqual([name, 403])
      if (needed === 'read') expect([name, asReader.status]).not.toEqual([name, 403])
    }
    const scopes = definitions.map(([, definition]) => neededFor(definition, {}).scope)
    expect(new Set(scopes)).toEqual(new Set(['read', 'operate', 'admin']))
    // Whoever acts on the Home as a whole, or writes where the caller says, is an administrator.
    expect(definitions.filter(([, it]) => neededFor(it, {}).scope === 'admin').map(([name]) => name)).toEqual(
      expect.arrayContaining([
        'session.gc',
        'log.export',
        'log.repair',
        'host.stop',
        'host.debug',
        'home.forget',
      ]),
    )
  })

  test('that names a file of the caller’s choice is for administrators, also as a step of a batch', async () => {
    const out = path.join(home.root, 'written.png')
    const asked = [
      ['session.screenshot', { session: own, out }],
      ['session.screenshot', { session: own, scheme: '/etc/passwd' }],
      ['session.batch', { session: own, steps: [{ step: 'screenshot', out }] }],
      ['log.export', { session: own, out }],
      ['session.export', { session: own, format: 'asciicast-v2', out, force: true }],
      ['session.export', { session: own, format: 'asciicast-v2', save: true, out, force: true }],
      ['artifacts.bundle', { session: own, out: `${out}.zip`, force: true }],
    ] as const
    for (const token of [operator, restricted, reader]) {
      for (const [name, params] of asked)
        expect([name, (await gateway.call(name, params, token)).status]).toEqual([name, 403])
    }
    // A token for one session writes no file elsewhere, whatever its scope.
    const bounded = await home.ok('token', 'create', '--session', 'own', '--scope', 'admin')
    for (const [name, params] of asked)
      expect([name, (await gateway.call(name, params, bounded)).status]).toEqual([name, 403])
    expect([fs.existsSync(out), fs.existsSync(`${out}.zip`)]).toEqual([false, false])
  })

  test('gives a token for one session its recording as an artifact, in pieces', async () => {
    const asked = { session: own, format: 'asciicast-v2', save: true }
    const made = await gateway.call<{ artifact: { id: number } }>('session.export', asked, restricted)
    expect([made.status, made.body.error]).toEqual([200, undefined])
    const artifact = made.body.artifact.id
    const read = (from_byte: number, session = own) =>
      gateway.call<{ data_b64: string; next_byte: number | null }>(
        'artifacts.read',
        { session, artifact, from_byte, max_bytes: 40 },
        restricted,
      )
    const pieces: Buffer[] = []
    for (let at: number | null = 0; at !== null;) {
      const { body } = await read(at)
      pieces.push(Buffer.from(body.data_b64, 'base64'))
      at = body.next_byte
    }
    expect(pieces.length).toBeGreaterThan(1)
    expect(Buffer.concat(pieces).toString()).toMatch(/^\{"version":2,.*\n/)
    expect((await read(1 << 30)).body).toMatchObject({ data_b64: '', next_byte: null })
    expect((await read(0, other)).status).toBe(403)
    const missing = await gateway.call('artifacts.read', { session: own, artifact: 99 }, restricted)
    expect(missing.body.error?.code).toBe('artifact_not_found')
  })

  test('reaches no other session with a token for one, whatever the other is called', async () => {
    const refs = [
      other,
      other.slice(0, 6),
      'other',
      `../${own}`,
      `/etc/passwd`,
      '..%2f',
      `${own}\0`,
      'nobody',
    ]
    for (const [name, definition] of Object.entries<OperationDefinition>(OPERATIONS)) {
      if (!('session' in definition.params.shape)) continue
      for (const session of refs) {
        const { status, body } = await gateway.call(name, { session }, restricted)
        expect([name, session, status, body.error?.code]).toEqual([name, session, 403, 'forbidden'])
      }
      const nested = await gateway.call(name, { session: own, steps: [{ session: other }] }, restricted)
      expect([name, nested.status]).toEqual([name, 403])
      const missing = await gateway.call(name, {}, restricted)
      expect([name, missing.status === 400 || missing.status === 403]).toEqual([name, true])
    }
    expect((await gateway.call('session.snapshot', { session: 'own' }, restricted)).status).toBe(200)
    expect(
      (await gateway.call('session.type', { session: own.slice(0, 8), text: 'x' }, restricted)).status,
    ).toBe(200)
  })

  test('that concerns more than one session is refused or filtered for a token for one', async () => {
    for (const [name, definition] of Object.entries<OperationDefinition>(OPERATIONS)) {
      if (neededFor(definition, {}).unrestricted === null) continue
      const { status, body } = await gateway.call(name, {}, restricted)
      expect([name, status, body.error?.code]).toEqual([name, 403, 'forbidden'])
    }
    const listed = await gateway.call<{ sessions: { session: string }[] }>(
      'session.list',
      { all: true },
      restricted,
    )
    expect(listed.body.sessions.map(({ session }) => session)).toEqual([own])
    expect((await gateway.ask('/metrics', { token: restricted })).status).toBe(403)
    const stream = await gateway.ask(`/v1/subscribe?session=${other}`, { token: restricted })
    expect(stream.status).toBe(403)
  })

  test('of a conversation serves a token for its session, and no conversation else', async () => {
    const foreign = await gateway.call<{ session: string }>('pty.exec_block', {
      conversation_id: 'foreign',
      command: 'true',
    })
    const begun = await gateway.call<{ session: string }>('pty.exec_block', {
      conversation_id: 'talk',
      command: 'echo said',
    })
    const { session } = begun.body
    const token = await home.ok('token', 'create', '--session', session)
    const looker = await home.ok('token', 'create', '--session', session, '--scope', 'read')
    for (const conversation_id of ['talk', session]) {
      const asked = [
        ['pty.exec_block', { conversation_id, command: 'echo more', queue: true }],
        ['pty.wait_for', { conversation_id, match: 'PROMPT' }],
        ['pty.status', { conversation_id }],
        ['pty.blocks', { conversation_id }],
        ['pty.read', { conversation_id, block: 1 }],
        ['pty.enter', { conversation_id }],
      ] as const
      for (const [name, params] of asked)
        expect([name, (await gateway.call(name, params, token)).status]).toEqual([name, 200])
    }
    expect((await gateway.call('pty.read', { conversation_id: 'talk', block: 1 }, looker)).status).toBe(200)
    expect((await gateway.call('pty.enter', { conversation_id: 'talk' }, looker)).status).toBe(403)
    for (const [name, { access }] of Object.entries<OperationDefinition>(OPERATIONS)) {
      if (!name.startsWith('pty.')) continue
      for (const conversation_id of ['foreign', 'nobody', 'own', other, `../${session}`]) {
        const { status } = await gateway.call(name, { conversation_id, command: 'x' }, token)
        expect([name, conversation_id, status]).toEqual([name, conversation_id, 403])
      }
      if (access === undefined) expect(name).toBe('pty.reset')
    }
    // Whatever would open a new session is refused: it would be out of the token's bounds.
    expect((await gateway.call('pty.reset', { conversation_id: 'talk' }, token)).status).toBe(403)
    await home.ok('destroy', session)
    const late = await gateway.call('pty.exec_block', { conversation_id: session, command: 'true' }, token)
    expect([late.status, late.body.error?.code]).toEqual([409, 'session_ended'])
    const sessions = await gateway.call<{ sessions: { conversation?: string }[] }>('session.list')
    expect(sessions.body.sessions.filter(({ conversation }) => conversation === 'talk')).toEqual([])
    expect((await gateway.call('pty.read', { conversation_id: 'talk', block: 1 }, token)).status).toBe(200)
    await home.ok('destroy', foreign.body.session)
  })

  test('that is unknown, or named by a path, is not found', async () => {
    for (const name of ['session.nothing', '__proto__', 'constructor', 'toString']) {
      const { status, body } = await gateway.call(name)
      expect([name, status, body.error?.code]).toEqual([name, 404, 'unknown_operation'])
    }
    for (const route of ['/v1/session.list/', '/v1//session.list', '/V1/session.list']) {
      const { status } = await gateway.ask(route, { method: 'POST', headers: JSON_TYPE, body: '{}' })
      expect([route, status]).toEqual([route, 404])
    }
  })
})

describe('the stream', () => {
  test('is not opened without a token, with a wrong one, or for a foreign page', async () => {
    const unknown = [401, 429] // 429 when there were many wrong tokens just before
    expect(unknown).toContain(await upgradeStatus(gateway.webSocket(null)))
    expect(unknown).toContain(await upgradeStatus(gateway.webSocket('wrong')))
    expect(await upgradeStatus(gateway.webSocket(gateway.token, { origin: 'https://evil.example' }))).toBe(
      403,
    )
    expect(await upgradeStatus(gateway.webSocket(gateway.token, { origin: 'null' }))).toBe(403)
    expect(
      await upgradeStatus(gateway.webSocket(gateway.token, { host: `evil.example:${gateway.port}` })),
    ).toBe(403)
    expect(await upgradeStatus(gateway.webSocket(gateway.token))).toBe(101)
  })

  test('has the same limits as HTTP for scope and session', async () => {
    const ask = async (token: string, method: string, params: object) => {
      const webSocket = gateway.webSocket(token)
      await once(webSocket, 'open')
      webSocket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
      const [data] = (await once(webSocket, 'message')) as [Buffer]
      webSocket.close()
      return (JSON.parse(String(data)) as { error?: { data: { code: string } } }).error?.data.code
    }
    expect(await ask(reader, 'session.type', { session: own, text: 'x' })).toBe('forbidden')
    expect(await ask(reader, 'host.stop', {})).toBe('forbidden')
    expect(await ask(restricted, 'session.snapshot', { session: other })).toBe('forbidden')
    expect(await ask(restricted, 'session.subscribe', { session: other, to: 'screen' })).toBe('forbidden')
    expect(await ask(restricted, 'session.snapshot', { session: own })).toBeUndefined()
  })

  test('ends when it is sent something that is no message, and nobody else notices', async () => {
    const binary = gateway.webSocket()
    await once(binary, 'open')
    binary.send(Buffer.from([1, 2, 3]))
    expect((await once(binary, 'close'))[0]).toBe(1003)
    const huge = gateway.webSocket()
    await once(huge, 'open')
    huge.on('error', () => {})
    huge.send('x'.repeat(REQUEST_BYTES_MAX + 1))
    expect((await once(huge, 'close'))[0]).not.toBe(1000)
    expect((await gateway.call('session.inspect', { session: own })).status).toBe(200)
  })
})

describe('what is too much', () => {
  test('a body over the limit is refused, announced or not', async () => {
    const body = JSON.stringify({ session: own, text: 'x'.repeat(REQUEST_BYTES_MAX) })
    for (const headers of [
      { ...JSON_TYPE, 'content-length': String(Buffer.byteLength(body)) },
      { ...JSON_TYPE, 'transfer-encoding': 'chunked' },
    ]) {
      // The gateway closes the connection while the rest is still on its way.
      const status = await gateway.ask('/v1/session.type', { method: 'POST', headers, body }).then(
        (reply) => reply.status,
        (error: NodeJS.ErrnoException) => error.code,
      )
      expect([413, 'EPIPE', 'ECONNRESET']).toContain(status)
    }
    expect((await gateway.call('session.inspect', { session: own })).status).toBe(200)
  })

  test('more requests than a token may have are answered with 429 and a time to come back', async () => {
    await using limited = await otherGateway('--rate-limit', '1')
    const statuses = await Promise.all(Array.from({ length: 40 }, async () => limited.ask('/openapi.json')))
    const refused = statuses.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    expect(statuses.filter(({ status }) => status === 200).length).toBeGreaterThan(0)
    expect(refused[0]?.headers['retry-after']).toMatch(/^\d+$/)
  })

  test('a thousand sockets at once are bounded, and the host is unharmed', { timeout: 120_000 }, async () => {
    const before = await gateway.metric('transom_host_connections')
    const sockets = Array.from({ length: 1000 }, () =>
      net.connect(gateway.port, '127.0.0.1').on('error', () => {}),
    )
    const handshake = [
      'GET /v1/stream HTTP/1.1',
      `Host: 127.0.0.1:${gateway.port}`,
      `Authorization: Bearer ${gateway.token}`,
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ].join('\r\n')
    const answers = sockets.map(async (socket) => {
      let text = ''
      socket.on('data', (chunk) => (text += String(chunk)))
      await new Promise<void>((resolve) => {
        socket.on('connect', () => socket.write(`${handshake}\r\n\r\n`))
        socket.on('data', () => resolve())
        socket.on('close', () => resolve())
      })
      return /^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 'closed'
    })
    const seen = await Promise.all(answers)
    expect(seen.filter((status) => status === '101').length).toBeGreaterThan(0)
    expect(seen.filter((status) => status === '101').length).toBeLessThanOrEqual(256)
    expect(seen.filter((status) => !['101', '429', 'closed'].includes(status))).toEqual([])
    for (const socket of sockets) socket.destroy()
    await until('the gateway has its places back', async () => {
      const streams = await gateway.metric('transom_gateway_streams').catch(() => -1)
      return streams === 0
    })
    expect((await gateway.call('session.snapshot', { session: own })).status).toBe(200)
    expect(await gateway.metric('transom_host_connections')).toBeLessThanOrEqual(before + 1)
    expect(await gateway.metric('transom_sessions_active')).toBe(2)
  })
})

test('no token is ever in a log, a URL or the file that keeps them', async () => {
  await using noisy = await otherGateway('--debug')
  await noisy.call('session.list')
  await noisy.ask('/v1/session.list', { token: 'a-wrong-token' })
  await noisy.ask(`/nothing?token=${noisy.token}`)
  expect(await upgradeStatus(noisy.webSocket())).toBe(101)
  await until(
    'the requests are in the log',
    () => noisy.stderr.includes('/v1/stream') && noisy.stderr.includes('401'),
  )
  expect(noisy.stderr).not.toContain(noisy.token.slice(10))
  expect(noisy.stderr).not.toContain('a-wrong-token')
  const file = path.join(noisy.home.path, 'gateway-tokens.json')
  expect(fs.readFileSync(file, 'utf8')).not.toContain(noisy.token.slice(10))
  expect((fs.statSync(file).mode & 0o777).toString(8)).toBe('600')
})

/** A gateway of a Home of its own. */
async function otherGateway(...args: string[]) {
  const its = new TestHome()
  const process = await GatewayProcess.start(its, ...args)
  return Object.assign(process, {
    home: its,
    [Symbol.asyncDispose]: async () => {
      await process.close()
      await its.close()
    },
  })
}
