/** Requests that cost a host, a gateway or MCP far more than their caller. Each is refused before the work. */
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { REQUEST_BYTES_MAX } from '@transom/protocol'
import { GatewayProcess } from '../support/gateway-process.ts'
import { StdioClient } from '../support/mcp-client.ts'
import { TestHome } from '../support/test-home.ts'
import { Wire } from '../support/wire.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
const NESTED = 100_000

let home: TestHome
let gateway: GatewayProcess
let session: string
let other: string
/** May read one session, as the caller that stopped them all. */
let reader: string

beforeAll(async () => {
  home = new TestHome()
  gateway = await GatewayProcess.start(home, '--rate-limit', '100000')
  session = await home.ok('create', '--', 'cat')
  other = await home.ok('create', '--', 'cat')
  reader = await home.ok('token', 'create', '--scope', 'read', '--session', session)
})

afterAll(async () => {
  await gateway.close()
  await home.close()
})

function record(count: number, value: unknown): Record<string, unknown> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]))
}

/** As text: to make such an object takes longer than all of the rest. */
function entries(count: number, value: string): string {
  return Array.from({ length: count }, (_, index) => `"k${index}":${value}`).join()
}

function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}

/** Sends a body, and what another session answers meanwhile. */
async function attack(operation: string, body: string, token = gateway.token): Promise<unknown> {
  const [reply, beside] = await Promise.all([
    gateway.ask(`/v1/${operation}`, { method: 'POST', headers: JSON_TYPE, body, token }),
    gateway.call('session.snapshot', { session: other }),
  ])
  expect(beside.status).toBe(200)
  const { error } = JSON.parse(reply.text) as { error: { code: string; message: string } }
  expect(error.message.length).toBeLessThan(6000)
  return { status: reply.status, code: error.code }
}

describe('over HTTP, with a token that may read one session', () => {
  const waitFor = (regex: string) => JSON.stringify({ session, regex, timeout_ms: 0 })
  test.each([
    ['a pattern of 7.6 MB', () => waitFor('a?'.repeat(3_800_000)), 400, 'usage'],
    ['a pattern that grows when it is compiled', () => waitFor('x{1000}'.repeat(500)), 400, 'bad_pattern'],
    ['a pattern of Unicode classes', () => waitFor(`[${'\\pL'.repeat(1300)}]`), 400, 'bad_pattern'],
    ['700,000 unknown keys', () => `{${entries(700_000, '1')}}`, 413, 'frame_too_large'],
    ['10,000 unknown keys', () => JSON.stringify({ session, ...record(10_000, 1) }), 400, 'usage'],
    ['8 MB of nested lists', () => nested(REQUEST_BYTES_MAX / 2), 413, 'frame_too_large'],
    ['nested JSON in a parameter', () => `{"session":${nested(NESTED)}}`, 413, 'frame_too_large'],
    [
      'nested JSON of a depth that is taken',
      () => JSON.stringify({ session, text: JSON.parse(nested(60)) as unknown }),
      400,
      'usage',
    ],
    ['a name of a session of 8 MB', () => JSON.stringify({ session: 'x'.repeat(8_000_000) }), 400, 'usage'],
    ['3.5 million entries', () => `[${'1,'.repeat(3_500_000)}1]`, 413, 'frame_too_large'],
  ])('%s', async (_name, body, status, code) => {
    expect(await attack('session.wait', body(), reader)).toEqual({ status, code })
  })
})

describe('a session to create', () => {
  const withParams = (params: object) => JSON.stringify({ command: ['true'], ...params })
  test.each([
    ['400,000 variables', () => `{"base_env":{${entries(400_000, '""')}}}`, 'frame_too_large'],
    ['10,001 variables', () => withParams({ env: record(10_001, '') }), 'usage'],
    ['a variable of 200 KB', () => withParams({ env: { LONG: 'x'.repeat(200_000) } }), 'usage'],
    ['7 MB of variables', () => withParams({ base_env: record(70, 'x'.repeat(100_000)) }), 'usage'],
    ['a million arguments', () => `{"command":["x"${',"x"'.repeat(1_000_000)}]}`, 'frame_too_large'],
    ['an argument of 200 KB', () => withParams({ command: ['true', 'x'.repeat(200_000)] }), 'usage'],
  ])('with %s', async (_name, body, code) => {
    expect(await attack('session.create', body())).toMatchObject({ code })
  })
})

describe('on the socket of the host', () => {
  test.each([
    ['a batch of 3.5 million entries', () => `[${'1,'.repeat(3_500_000)}1]`],
    ['nested JSON', () => `{"jsonrpc":"2.0","id":1,"method":"session.list","params":${nested(NESTED)}}`],
    ['700,000 unknown keys', () => `{"jsonrpc":"2.0","id":1,"params":{${entries(700_000, '1')}}}`],
  ])('%s', async (_name, message) => {
    const wire = await Wire.connect(home.host().socket)
    wire.sendRaw(`${message()}\n`)
    expect((await wire.answer(null)).error).toMatchObject({ data: { code: 'frame_too_large' } })
    expect((await wire.call(2, 'session.snapshot', { session: other })).result).toMatchObject({
      session: other,
    })
    wire.vanish()
  })
})

test('a batch of 1000 waits for large patterns leaves others their turn', async () => {
  const wire = await Wire.connect(home.host().socket)
  const step = (_: unknown, index: number) => ({
    step: 'wait',
    regex: `(?:.{0,30}){20}[xy]Q${index}`,
    timeout_ms: 0,
  })
  wire.request('batch', 'session.batch', {
    session,
    steps: Array.from({ length: 1000 }, step),
    keep_going: true,
  })
  const beside = await Wire.connect(home.host().socket)
  for (let asked = 0; asked < 3; asked++) {
    expect((await beside.call(asked, 'session.snapshot', { session: other })).result).toBeDefined()
    expect(wire.has('batch')).toBe(false) // it goes on for much longer
  }
  wire.send({ jsonrpc: '2.0', method: '$/cancelRequest', params: { id: 'batch' } })
  expect((await wire.answer('batch')).error).toMatchObject({ data: { code: 'cancelled' } })
  wire.vanish()
  beside.vanish()
})

test('a message that a gateway passes on at its full length fails nothing else', async () => {
  const waiting = gateway.call('session.wait', { session: other, text: 'it is answered' })
  const frame = JSON.stringify({ session, text: '' }).length
  const body = JSON.stringify({ session, text: 'x'.repeat(REQUEST_BYTES_MAX - frame) })
  expect(await attack('session.type', body)).toEqual({ status: 400, code: 'usage' })
  await gateway.call('session.type', { session: other, text: 'it is answered' })
  expect((await waiting).status).toBe(200)
})

test('on a WebSocket nested JSON is refused, and the connection goes on', async () => {
  const webSocket = gateway.webSocket(reader)
  await once(webSocket, 'open')
  const answered = async () => JSON.parse(String((await once(webSocket, 'message'))[0])) as unknown
  webSocket.send(nested(NESTED))
  expect(await answered()).toMatchObject({ id: null, error: { data: { code: 'frame_too_large' } } })
  webSocket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'session.snapshot', params: { session } }))
  expect(await answered()).toMatchObject({ id: 1, result: { session } })
  webSocket.terminate()
})

describe('over standard input MCP refuses, and goes on', () => {
  const call = (argument: string) =>
    `{"jsonrpc":"2.0","id":900,"method":"tools/call","params":{"name":"read_screen","arguments":{"session":${argument}}}}`
  test.each([
    ['nested JSON', () => call(nested(NESTED))],
    ['700,000 unknown keys', () => call(`{${entries(700_000, '1')}}`)],
    ['a batch of 3.5 million entries', () => `[${'1,'.repeat(3_500_000)}1]`],
    ['a message of 9 MB', () => call(JSON.stringify('x'.repeat(9_000_000)))],
  ])('%s', async (_name, message) => {
    const client = await StdioClient.start(home)
    client.sendLine(message())
    const { error } = await client.next((answer) => answer.error !== undefined)
    expect(error).toMatchObject({ data: { code: 'frame_too_large' } })
    expect((await client.tool('read_screen', { session })).isError).not.toBe(true)
    await client.close()
  })
})

test('over HTTP the MCP endpoint refuses nested JSON', async () => {
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"read_screen","arguments":{"session":${nested(NESTED)}}}}`
  const { status } = await gateway.ask('/mcp', { method: 'POST', headers: JSON_TYPE, body })
  expect(status).toBe(413)
})
