/** The gateway as its clients have it: `transom serve`, its routes, its streams and its tokens. */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as http from 'node:http'
import * as https from 'node:https'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { OPERATIONS } from '@transom/protocol'
import { GatewayProcess } from './support/gateway-process.ts'
import { needs } from './support/needs.ts'
import { PipeProgram } from './support/pipe-program.ts'
import { TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'

let home: TestHome
let gateways: GatewayProcess[]

beforeEach(() => {
  home = new TestHome()
  gateways = []
})

afterEach(async () => {
  for (const gateway of gateways) await gateway.close()
  await home.close()
})

async function serve(...args: string[]): Promise<GatewayProcess> {
  const gateway = await GatewayProcess.start(home, ...args)
  gateways.push(gateway)
  return gateway
}

type Message = Record<string, unknown> & {
  id?: number
  result?: Record<string, unknown>
  error?: { data: { code: string } }
  params?: Record<string, unknown> & { type: string; subscription: number }
}

/** A WebSocket whose messages are read one after the other. */
class Stream {
  readonly webSocket: WebSocket
  readonly #messages: Message[] = []
  #wake = () => {}

  constructor(webSocket: WebSocket) {
    this.webSocket = webSocket
    webSocket.on('message', (data: Buffer) => {
      this.#messages.push(JSON.parse(String(data)) as Message)
      this.#wake()
    })
  }

  send(id: number, method: string, params: object): void {
    this.webSocket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
  }

  async next(matches: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const at = this.#messages.findIndex(matches)
      const [found] = at < 0 ? [] : this.#messages.splice(at, 1)
      if (found !== undefined) return found
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}

async function openStream(gateway: GatewayProcess, token = gateway.token): Promise<Stream> {
  const webSocket = gateway.webSocket(token)
  const stream = new Stream(webSocket)
  await once(webSocket, 'open')
  return stream
}

describe('operations', () => {
  test('start a host when there is none, and run a session from its first call to its last', async () => {
    const gateway = await serve()
    const created = await gateway.call<{ session: string }>('session.create', {
      command: ['sh', '-c', 'echo "sum: $((6 * 7))"; cat'],
    })
    const { session } = created.body
    const waited = await gateway.call<{ match: { line: string } }>('session.wait', {
      session,
      text: 'sum: 42',
    })
    expect([created.status, waited.status, waited.body.match.line]).toEqual([200, 200, 'sum: 42'])
    const typed = await gateway.call<{ seq: number }>('session.type', { session, text: 'again', enter: true })
    expect(typed.body.seq).toBeGreaterThan(0)
    expect((await gateway.call('session.destroy', { session })).body).toMatchObject({ status: 'destroyed' })
  })

  test('answer errors with the code, the message and the status of the table', async () => {
    const gateway = await serve()
    const missing = await gateway.call('session.snapshot', { session: 'nobody' })
    expect([missing.status, missing.body.error]).toEqual([
      404,
      expect.objectContaining({ code: 'session_not_found', retryable: false }),
    ])
    const wrong = await gateway.call('session.create', { cols: 'wide' })
    expect([wrong.status, wrong.body.error?.message]).toEqual([400, expect.stringContaining('cols')])
    const { body } = await gateway.call<{ session: string }>('session.create', { command: ['cat'] })
    const late = await gateway.call('session.wait', { session: body.session, text: 'never', timeout_ms: 1 })
    expect([late.status, late.body.error]).toEqual([
      408,
      expect.objectContaining({
        code: 'wait_timeout',
        details: expect.objectContaining({ snapshot: expect.anything() }),
      }),
    ])
  })

  test('are described by an OpenAPI document, each of the table', async () => {
    const gateway = await serve()
    const { text } = await gateway.ask('/openapi.json')
    const { openapi, paths } = JSON.parse(text) as {
      openapi: string
      paths: Record<string, { post?: object }>
    }
    const described = Object.keys(paths).flatMap((route) =>
      paths[route]?.post ? [route.slice('/v1/'.length)] : [],
    )
    const called = Object.keys(OPERATIONS).filter((name) => !name.endsWith('subscribe'))
    expect([openapi, described]).toEqual(['3.1.0', called])
  })

  test('follow a session to the host of its own that runs it', async () => {
    const gateway = await serve()
    const session = await home.ok('create', '--dedicated', '--', 'sh', '-c', 'echo apart; cat')
    await gateway.call('session.wait', { session, text: 'apart' })
    const { status, body } = await gateway.call<{ lines: { text: string }[] }>('session.snapshot', {
      session,
    })
    expect([status, body.lines[0]?.text]).toEqual([200, 'apart'])
    const stream = await openStream(gateway)
    stream.send(1, 'session.subscribe', { session, to: 'screen' })
    const dump = await stream.next(({ params }) => params?.type === 'screen')
    expect(dump.params?.['snapshot']).toMatchObject({ session })
    stream.webSocket.close()
    await home.ok('destroy', session) // its host is its own, and ends with it
  })

  test('go on after the host was stopped: the next call starts another', async () => {
    const gateway = await serve()
    await gateway.call('session.list')
    const { pid } = home.host()
    expect((await gateway.call('host.stop', {})).body).toMatchObject({ stopped: true })
    await until('the next call is answered by another host', async () => {
      const { status } = await gateway.call('session.list')
      return status === 200 && home.host().pid !== pid
    })
  })

  test('of a caller that leaves during a wait end, and leave no listener behind', async () => {
    const gateway = await serve()
    const { body } = await gateway.call<{ session: string }>('session.create', { command: ['cat'] })
    const request = http.request({
      port: gateway.port,
      host: '127.0.0.1',
      path: '/v1/session.wait',
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' },
    })
    request.on('error', () => {})
    request.end(JSON.stringify({ session: body.session, text: 'never', timeout_ms: 600_000 }))
    const stream = await openStream(gateway)
    stream.send(1, 'session.wait', { session: body.session, text: 'never', timeout_ms: 600_000 })
    stream.send(2, 'session.subscribe', { session: body.session, to: 'screen' })
    await until('both wait', async () => (await gateway.metric('transom_waits_pending')) === 2)
    expect(await gateway.metric('transom_subscriptions')).toBe(1)
    request.destroy()
    await until(
      'the one over HTTP is gone',
      async () => (await gateway.metric('transom_waits_pending')) === 1,
    )
    stream.webSocket.terminate()
    await until('nobody waits', async () => (await gateway.metric('transom_waits_pending')) === 0)
    await until('nobody listens', async () => (await gateway.metric('transom_subscriptions')) === 0)
    expect(await gateway.metric('transom_gateway_calls_in_flight')).toBe(0)
  })
})

describe('streams', () => {
  test('carry every operation, cancellation, and screens as a dump and then changes', async () => {
    const gateway = await serve()
    const program = new PipeProgram(home.root)
    const { body } = await gateway.call<{ session: string }>('session.create', { command: program.command })
    const { session } = body
    const stream = await openStream(gateway)
    stream.send(1, 'session.subscribe', { session, to: 'screen' })
    const answer = await stream.next(({ id }) => id === 1)
    const subscription = answer.result?.['subscription']
    const dump = await stream.next(({ params }) => params?.type === 'screen')
    expect(dump.params?.subscription).toBe(subscription)
    program.print('printed later')
    const rows = await stream.next(({ params }) => params?.type === 'rows')
    expect(JSON.stringify(rows.params?.['rows'])).toContain('printed later')
    stream.send(2, 'session.wait', { session, text: 'never', timeout_ms: 600_000 })
    stream.webSocket.send(JSON.stringify({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 2 } }))
    expect((await stream.next(({ id }) => id === 2)).error?.data.code).toBe('cancelled')
    stream.send(3, 'session.unsubscribe', { subscription })
    expect((await stream.next(({ id }) => id === 3)).result).toEqual({ ended: true })
    stream.send(4, 'session.destroy', { session })
    expect((await stream.next(({ id }) => id === 4)).result).toMatchObject({ status: 'destroyed' })
    for (const [text, code] of [
      ['not JSON', 'parse_error'],
      ['{"id": 5}', 'invalid_request'],
    ]) {
      stream.webSocket.send(text ?? '')
      expect((await stream.next(({ error }) => error !== undefined)).error?.data.code).toBe(code)
    }
    stream.webSocket.close()
    program.close()
  })

  test('of a page carry the token as a protocol, which is never sent back', async () => {
    const { WebSocket: Socket } = await import('ws')
    const gateway = await serve()
    const webSocket = new Socket(
      `ws://127.0.0.1:${gateway.port}/v1/stream`,
      ['transom.v1', `transom.bearer.${gateway.token}`],
      { origin: gateway.url },
    )
    await once(webSocket, 'open')
    expect(webSocket.protocol).toBe('transom.v1')
    webSocket.close()
  })

  test('as Server-Sent Events start where the last one ended', async () => {
    const gateway = await serve()
    const { body } = await gateway.call<{ session: string }>('session.create', {
      command: ['echo', 'one line'],
    })
    await gateway.call('session.wait', { session: body.session, exit: true })
    const all = await gateway.ask(`/v1/subscribe?session=${body.session}&to=events&after_seq=0`)
    expect(all.headers['content-type']).toBe('text/event-stream')
    expect(all.text).toMatch(/event: position\nid: 0\n[^]*event: records\n[^]*event: end\n/)
    const ids = [...all.text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]))
    const again = await gateway.ask(`/v1/subscribe?session=${body.session}&to=events`, {
      headers: { 'last-event-id': String(ids.at(-1)) },
    })
    expect(again.text).not.toContain('event: records')
    const screen = await gateway.ask(`/v1/subscribe?session=${body.session}`)
    expect(screen.text).toMatch(/^event: screen\n[^]*one line[^]*event: end/)
    expect((await gateway.ask('/v1/subscribe?session=nobody')).status).toBe(404)
    expect((await gateway.ask(`/v1/subscribe?session=${body.session}&token=x`)).status).toBe(400)
  })

  test('of blocks start where the last one ended, too', async () => {
    const gateway = await serve()
    const conversation_id = 'followed'
    await gateway.call('pty.exec_block', { conversation_id, command: 'echo one' })
    const { body } = await gateway.call<{ session: string }>('pty.exec_block', {
      conversation_id,
      command: 'exit',
      queue: true,
    })
    await gateway.call('session.wait', { session: body.session, exit: true })
    const all = await gateway.ask(`/v1/subscribe?session=${body.session}&to=blocks&after_seq=0`)
    const told = (text: string) => [...text.matchAll(/^event: agent_block_(begin|end)\nid: (\d+)$/gm)]
    const toldAll = told(all.text)
    expect(toldAll.map(([, what]) => what)).toEqual(['begin', 'end', 'begin', 'end'])
    const again = await gateway.ask(`/v1/subscribe?session=${body.session}&to=blocks`, {
      headers: { 'last-event-id': String(toldAll[1]?.[2]) },
    })
    expect(told(again.text).map(([text]) => text)).toEqual(toldAll.slice(2).map(([text]) => text))
  })

  test('that are not read get a fresh dump when they are, and hold nobody up', async () => {
    const gateway = await serve()
    const { body } = await gateway.call<{ session: string }>('session.create', {
      command: ['sh', '-c', 'seq 1 300000; echo all done; cat'],
    })
    const slow = await openStream(gateway)
    slow.send(1, 'session.subscribe', { session: body.session, to: 'screen' })
    await slow.next(({ id }) => id === 1)
    slow.webSocket.pause()
    const waited = await gateway.call('session.wait', { session: body.session, text: 'all done' })
    expect(waited.status).toBe(200)
    slow.webSocket.resume()
    const last = await slow.next(({ params }) => JSON.stringify(params ?? {}).includes('all done'))
    expect(last.params?.type).toMatch(/^(screen|rows)$/)
    slow.webSocket.close()
  })
})

describe('tokens', () => {
  test('the first start prints one, the next start none; a rotated one is worth nothing', async () => {
    const first = await serve()
    expect(first.token).toMatch(/^transom_[\w-]{43}$/)
    const second = await serve()
    expect(second.token).toBe('')
    const fresh = await home.ok('token', 'rotate')
    expect((await first.call('session.list')).status).toBe(401)
    expect((await first.call('session.list', {}, fresh)).status).toBe(200)
  })

  test('are listed without themselves, revoked by name, and their streams end with them', async () => {
    const gateway = await serve()
    const token = await home.ok('token', 'create', '--name', 'watcher', '--scope', 'read')
    const stream = await openStream(gateway, token)
    const closed = once(stream.webSocket, 'close')
    const { tokens } = await home.json<{ tokens: object[] }>('token', 'list')
    expect(tokens).toMatchObject([
      { name: 'default', scope: 'admin', sessions: null },
      { name: 'watcher', scope: 'read', sessions: null },
    ])
    expect(JSON.stringify(tokens)).not.toContain(token.slice(10))
    await home.ok('token', 'revoke', 'watcher')
    await closed
    expect((await gateway.call('session.list', {}, token)).status).toBe(401)
    const again = await home.run(['token', 'revoke', 'watcher'])
    expect([again.code, again.stderr]).toEqual([66, expect.stringContaining('no token "watcher"')])
    const taken = await home.run(['token', 'create', '--name', 'default'])
    expect([taken.code, taken.stderr]).toEqual([65, expect.stringContaining('named "default" already')])
  })

  test('for a session keep to it when its name goes to another', async () => {
    const gateway = await serve()
    const before = await home.ok('create', '--name', 'work', '--', 'cat')
    const token = await home.ok('token', 'create', '--session', 'work')
    await home.ok('destroy', 'work')
    await home.ok('create', '--name', 'work', '--', 'cat')
    expect((await gateway.call('session.snapshot', { session: 'work' }, token)).status).toBe(403)
    expect((await gateway.call('session.snapshot', { session: before }, token)).status).toBe(200)
  })
})

describe('where it listens', () => {
  test('other machines reach it through TLS only, unless somebody insists in words', async () => {
    for (const address of ['0.0.0.0:0', '[::]:0', '192.0.2.1:7317', 'example.org:7317']) {
      const { code, stderr } = await home.run(['serve', '--listen', address])
      expect([address, code, stderr]).toEqual([address, 64, expect.stringContaining('--tls-cert')])
    }
    const insisted = await serve('--listen', '0.0.0.0:0', '--insecure-without-tls')
    expect((await insisted.ask('/healthz')).status).toBe(200)
    for (const address of ['nonsense', '127.0.0.1', '127.0.0.1:99999', ':80']) {
      const { code, stderr } = await home.run(['serve', '--listen', address])
      expect([address, code, stderr]).toEqual([
        address,
        64,
        expect.stringContaining('--listen takes HOST:PORT'),
      ])
    }
    const taken = await home.run(['serve', '--listen', `127.0.0.1:${insisted.port}`])
    expect([taken.code, taken.stderr]).toEqual([64, expect.stringContaining('EADDRINUSE')])
  })

  test('a Unix socket is its user’s alone, and one that a dead gateway left is taken over', async () => {
    const socket = path.join(home.root, 'gateway.sock')
    const gateway = await serve('--unix', socket)
    expect((fs.statSync(socket).mode & 0o777).toString(8)).toBe('600')
    const ask = async (host: string) =>
      new Promise<number>((resolve, reject) => {
        http
          .get({
            socketPath: socket,
            path: '/metrics',
            headers: { host, authorization: `Bearer ${gateway.token}` },
          })
          .on('response', (response) => resolve(response.resume().statusCode ?? 0))
          .on('error', reject)
      })
    expect([await ask('localhost'), await ask('evil.example')]).toEqual([200, 403])
    const refused = await home.run(['serve', '--unix', socket])
    expect([refused.code, refused.stderr]).toEqual([64, expect.stringContaining('a program listens there')])
    process.kill(gateway.pid, 'SIGKILL')
    await until('it is dead', () => !fs.existsSync(`/proc/${gateway.pid}/exe`))
    await serve('--unix', socket)
    fs.writeFileSync(path.join(home.root, 'a file'), '')
    const file = await home.run(['serve', '--unix', path.join(home.root, 'a file')])
    expect([file.code, file.stderr]).toEqual([64, expect.stringContaining('something else than a socket')])
  })

  needs('openssl')('with a certificate it speaks TLS, and answers to the names that it is told', async () => {
    const [cert, key] = [path.join(home.root, 'cert.pem'), path.join(home.root, 'key.pem')]
    const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=localhost']
    spawnSync('openssl', [...args, '-keyout', key, '-out', cert])
    const gateway = await serve(
      '--listen',
      '0.0.0.0:0',
      '--tls-cert',
      cert,
      '--tls-key',
      key,
      '--allow-host',
      'box.lan',
    )
    const ask = async (host: string) =>
      new Promise<number>((resolve, reject) => {
        https
          .get({
            port: gateway.port,
            host: '127.0.0.1',
            path: '/healthz',
            headers: { host },
            ca: fs.readFileSync(cert),
            servername: 'localhost',
          })
          .on('response', (response) => resolve(response.resume().statusCode ?? 0))
          .on('error', reject)
      })
    expect(await ask(`box.lan:${gateway.port}`)).toBe(200)
    expect(await ask(`evil.example:${gateway.port}`)).toBe(403)
    const half = await home.run(['serve', '--tls-cert', cert])
    expect([half.code, half.stderr]).toEqual([64, expect.stringContaining('belong together')])
    const missing = await home.run(['serve', '--tls-cert', '/nothing', '--tls-key', key])
    expect([missing.code, missing.stderr]).toEqual([66, expect.stringContaining('cannot read')])
  })

  test('pages that are allowed by name may call it, and no others', async () => {
    const gateway = await serve('--allow-origin', 'https://app.example')
    const origin = 'https://app.example'
    const headers = { origin, 'access-control-request-method': 'POST' }
    const preflight = await gateway.ask('/v1/session.list', { method: 'OPTIONS', headers, token: null })
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([204, origin])
    const allowed = String(preflight.headers['access-control-allow-headers']).split(', ')
    const ofMcp = ['mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name']
    expect(allowed).toEqual(expect.arrayContaining(['authorization', 'content-type', ...ofMcp]))
    const answer = await gateway.ask('/openapi.json', { headers: { origin } })
    expect([answer.status, answer.headers['access-control-allow-origin'], answer.headers['vary']]).toEqual([
      200,
      origin,
      'Origin',
    ])
    expect((await gateway.ask('/openapi.json', { headers: { origin }, token: null })).status).toBe(401)
    expect(
      (await gateway.ask('/openapi.json', { headers: { origin: 'https://app.example.evil' } })).status,
    ).toBe(403)
  })
})
