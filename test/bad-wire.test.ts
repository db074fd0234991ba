import { spawn } from 'node:child_process'
import * as net from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { PASSED_ON_BYTES_MAX } from '@transom/protocol'
import { processesWith } from './support/processes.ts'
import { CLI, TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'
import { Wire } from './support/wire.ts'

let home: TestHome
let wire: Wire

beforeEach(async () => {
  home = new TestHome()
  await home.ok('create', '--name', 's', '--', 'cat')
  wire = await Wire.connect(home.host().socket)
})

afterEach(async () => {
  wire.vanish()
  await home.close()
})

/** How the session is, asked on the connection that a test has maltreated. */
async function statusNow(): Promise<unknown> {
  const { result } = await wire.call('unharmed', 'session.inspect', { session: 's' })
  return result?.['status']
}

test('a message that is too long is refused, and the connection goes on', async () => {
  const filler = 'x'.repeat(PASSED_ON_BYTES_MAX)
  wire.request('long', 'session.type', { session: 's', text: filler })
  expect((await wire.answer(null)).error).toMatchObject({
    code: -32101,
    message: expect.stringContaining(`more than ${PASSED_ON_BYTES_MAX} bytes`) as string,
    data: { code: 'frame_too_large' },
  })
  expect(wire.has('long')).toBe(false)
  expect(await statusNow()).toBe('running')
})

test('a message without an end is refused before it is complete', async () => {
  for (let sent = 0; sent <= PASSED_ON_BYTES_MAX; sent += 1 << 20) wire.sendRaw('y'.repeat(1 << 20))
  expect((await wire.answer(null)).error?.data.code).toBe('frame_too_large')
  wire.sendRaw(`${'y'.repeat(1 << 20)}\n`)
  expect(await statusNow()).toBe('running')
})

test('a message that is not JSON is refused, and the connection goes on', async () => {
  for (const bytes of ['{"jsonrpc"', 'hello', '{]', '\xff', '"', 'NaN']) {
    wire.sendRaw(Buffer.from(`${bytes}\n`, 'latin1'))
    expect({ bytes, error: (await wire.answer(null)).error }).toMatchObject({
      bytes,
      error: { code: -32700, data: { code: 'parse_error' } },
    })
  }
  wire.sendRaw('\n\r\n') // no message at all
  expect(await statusNow()).toBe('running')
})

test('JSON that is no request is refused, with its id where it has one', async () => {
  const noRequests: [message: unknown, id: string | number | null][] = [
    [1, null],
    ['text', null],
    [null, null],
    [[], null],
    [{}, null],
    [{ id: 4, method: 'host.status' }, 4],
    [{ jsonrpc: '1.0', id: 5, method: 'host.status' }, 5],
    [{ jsonrpc: '2.0', id: 6 }, 6],
    [{ jsonrpc: '2.0', id: 'seven', method: 7 }, 'seven'],
    [{ jsonrpc: '2.0', id: {}, method: 'host.status' }, null],
    [{ jsonrpc: '2.0', id: null, method: 'host.status' }, null],
  ]
  for (const [message, id] of noRequests) {
    wire.send(message)
    expect({ message, error: (await wire.answer(id)).error }).toMatchObject({
      message,
      error: { code: -32600, data: { code: 'invalid_request' } },
    })
  }
  expect(await statusNow()).toBe('running')
})

test('an unknown operation is answered with those that there are', async () => {
  for (const method of ['session.explode', 'toString', '__proto__', '']) {
    const { error } = await wire.call(method, method)
    expect(error).toMatchObject({
      code: -32601,
      data: { code: 'unknown_operation', details: { operation: method } },
    })
    expect(error?.message).toContain('session.create')
  }
  expect(await statusNow()).toBe('running')
})

test('parameters that an operation does not take are named', async () => {
  const cases: [params: unknown, named: string][] = [
    [{ session: 's', txt: 'x' }, 'txt'],
    [{ session: 5, text: 'x' }, 'session'],
    [{ session: 's' }, 'text'],
    [{ session: 's', text: 'x', enter: 'yes' }, 'enter'],
    [['s', 'x'], 'parameters'],
    ['s', 'parameters'],
  ]
  for (const [params, named] of cases) {
    const { error } = await wire.call('bad', 'session.type', params)
    expect({ named, error }).toMatchObject({ named, error: { code: -32602, data: { code: 'usage' } } })
    expect(error?.message).toContain(named)
  }
  expect(await statusNow()).toBe('running')
})

test('many requests in flight on one connection are answered each on its own', async () => {
  for (let id = 1; id <= 200; id++) wire.request(id, 'session.wait', { session: 's', text: `go ${id};` })
  expect(await statusNow()).toBe('running')
  expect(wire.has(150)).toBe(false)
  await wire.call('type', 'session.type', { session: 's', text: 'go 150;' })
  expect((await wire.answer(150)).result).toMatchObject({ matched: true })
  expect(wire.has(15)).toBe(false)
  await wire.call('type', 'session.type', { session: 's', text: 'go 15;' })
  expect((await wire.answer(15)).result).toMatchObject({ matched: true })
})

test('a connection with too many requests in flight is told so, and the others are served', async () => {
  for (let id = 1; id <= 300; id++) wire.request(id, 'session.wait', { session: 's', text: 'never' })
  expect((await wire.answer(300)).error).toMatchObject({ code: -32133, data: { code: 'too_many_requests' } })
  expect(wire.has(1)).toBe(false)
  expect(await home.ok('snapshot', 's')).toBe('')
})

test('an id that is in flight is not taken twice', async () => {
  wire.request('twin', 'session.wait', { session: 's', text: 'never' })
  const { error } = await wire.call('twin', 'host.status')
  expect(error).toMatchObject({ data: { code: 'invalid_request' } })
  expect(await statusNow()).toBe('running')
})

test('a batch is answered by an array', async () => {
  wire.send([
    { jsonrpc: '2.0', id: 'a', method: 'host.status' },
    { jsonrpc: '2.0', method: 'session.list', params: {} },
    { jsonrpc: '2.0', id: 'b', method: 'session.list', params: {} },
    7,
  ])
  expect(await wire.batchAnswer()).toMatchObject([
    { id: 'a', result: { pid: home.host().pid } },
    { id: 'b', result: { sessions: [{ name: 's' }] } },
    { id: null, error: { data: { code: 'invalid_request' } } },
  ])
})

test('a batch of too many entries is refused at once by one error', async () => {
  wire.sendRaw(`[${'1,'.repeat(300)}1]\n`)
  expect((await wire.answer(null)).error).toMatchObject({
    code: -32600,
    message: 'a batch holds from 1 to 256 requests (got 301)',
  })
  wire.sendRaw(`[${'1,'.repeat(3_500_000)}1]\n`)
  expect((await wire.answer(null)).error).toMatchObject({
    code: -32101,
    message: 'this message has a list or an object with more than 20000 entries; split it',
  })
  expect(await statusNow()).toBe('running')
  expect(wire.has(null)).toBe(false)
})

test('a notification is carried out and never answered', async () => {
  const typed = { session: 's', text: 'by a notification\n' }
  wire.send({ jsonrpc: '2.0', method: 'session.type', params: typed })
  wire.send({ jsonrpc: '2.0', method: 'session.type', params: { ...typed, session: 'nope' } })
  wire.send({ jsonrpc: '2.0', method: 'session.nope' })
  const { result } = await wire.call('seen', 'session.wait', { session: 's', text: 'by a notification' })
  expect(result).toMatchObject({ matched: true })
  expect(wire.has(null)).toBe(false)
})

test('a cancelled wait is answered as cancelled, and only that one', async () => {
  wire.request('mine', 'session.wait', { session: 's', text: 'never' })
  wire.request('other', 'session.wait', { session: 's', text: 'soon' })
  wire.send({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 'mine' } })
  expect((await wire.answer('mine')).error).toMatchObject({ code: -32800, data: { code: 'cancelled' } })
  wire.send({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 'nobody' } })
  wire.send({ jsonrpc: '2.0', method: '$/cancelRequest' })
  await wire.call('type', 'session.type', { session: 's', text: 'soon' })
  expect((await wire.answer('other')).result).toMatchObject({ matched: true })
  expect(await statusNow()).toBe('running')
})

test('an aborted call rejects with its reason and frees the connection', async () => {
  const client = await home.connect()
  const abort = new AbortController()
  const wait = client.call('session.wait', { session: 's', text: 'never' }, { signal: abort.signal })
  await client.call('host.status', {})
  abort.abort(new Error('changed my mind'))
  await expect(wait).rejects.toThrow('changed my mind')
  expect(await client.call('session.list', {})).toMatchObject({ sessions: [{ name: 's' }] })
  client.close()
})

test('a client that vanishes in the middle of its requests harms nobody', async () => {
  for (let round = 0; round < 20; round++) {
    const visitor = await Wire.connect(home.host().socket)
    visitor.request(1, 'session.wait', { session: 's', text: 'never', timeout_ms: 86_400_000 })
    visitor.request(2, 'session.subscribe', { session: 's', to: 'events', after_seq: 0 })
    visitor.request(3, 'session.subscribe', { session: 's', to: 'screen' })
    if (round % 2 === 0) await visitor.answer(3)
    visitor.sendRaw('{"jsonrpc":"2.0","id":4,"meth')
    visitor.vanish()
  }
  await until('the host has let go of every visitor', async () => {
    const { result } = await wire.call('status', 'host.status')
    return result?.['connections'] === 1
  })
  expect(await statusNow()).toBe('running')
})

test('a killed CLI leaves its session as it was', async () => {
  const child = spawn(process.execPath, [CLI, 'wait', 's', '--text', 'never'], {
    env: home.env,
    stdio: 'ignore',
  })
  await until('the wait is connected', async () => {
    const { result } = await wire.call('status', 'host.status')
    return result?.['connections'] === 2
  })
  child.kill('SIGKILL')
  await until('the host has let go of it', async () => {
    const { result } = await wire.call('status', 'host.status')
    return result?.['connections'] === 1
  })
  expect(await statusNow()).toBe('running')
})

test('an interrupted CLI says that it was cancelled', async () => {
  const child = spawn(process.execPath, [CLI, 'wait', 's', '--text', 'never', '--json'], {
    env: home.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let stdout = ''
  child.stdout.on('data', (chunk) => (stdout += String(chunk)))
  const ended = new Promise((resolve) => child.on('close', resolve))
  await until('the wait is connected', async () => {
    const { result } = await wire.call('status', 'host.status')
    return result?.['connections'] === 2
  })
  child.kill('SIGINT')
  expect(await ended).toBe(130)
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'cancelled' } })
})

test('a client that asks and never reads is not listened to any more, and the others are', async () => {
  const deaf = net.connect(home.host().socket)
  deaf.pause()
  const request = { jsonrpc: '2.0', id: 1, method: 'session.snapshot', params: { session: 's' } }
  deaf.write(`${JSON.stringify(request)}\n`.repeat(100_000))
  for (let round = 0; round < 50; round++) expect(await statusNow()).toBe('running')
  expect(deaf.writableLength).toBeGreaterThan(0)
  deaf.destroy()
})

test.each([2, 8])('%i clients that start the host at once get one host', async (clients) => {
  const fresh = new TestHome()
  try {
    const runs = await Promise.all(
      Array.from({ length: clients }, async (_, index) =>
        fresh.run(['create', '--name', `n${index}`, '--', 'cat']),
      ),
    )
    expect(runs.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      runs.map(() => ({ code: 0, stderr: '' })),
    )
    await until(
      'the hosts that came second have left',
      () => processesWith(`transom host ${fresh.path}`).length === 1,
    )
    expect(processesWith(`transom host ${fresh.path}`).map(({ pid }) => pid)).toEqual([fresh.host().pid])
    expect((await fresh.json<{ sessions: unknown[] }>('list')).sessions).toHaveLength(clients)
  } finally {
    await fresh.close()
  }
})
