/** Who the Event Log says acted: the principal of the connection, never what a caller says about itself. */
import { once } from 'node:events'
import * as os from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GatewayProcess } from './support/gateway-process.ts'
import { ENVELOPE, StdioClient } from './support/mcp-client.ts'
import { TestHome } from './support/test-home.ts'
import { Wire } from './support/wire.ts'

const USER = os.userInfo().username
const JSON_TYPE = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

interface LoggedInput {
  readonly actor: string
  readonly actor_label?: string
  readonly actor_via?: string
}

let home: TestHome
let gateway: GatewayProcess
let own: string
/** For the session `own` alone, with the scope operate. */
let token: string

beforeAll(async () => {
  home = new TestHome()
  gateway = await GatewayProcess.start(home)
  own = await home.ok('create', '--name', 'own', '--', 'cat')
  token = await home.ok('token', 'create', '--name', 'ci-bot', '--session', 'own')
})

afterAll(async () => {
  await gateway.close()
  await home.close()
})

/** The actor of the input whose text is this one. */
async function loggedActor(text: string): Promise<LoggedInput> {
  const log = await home.ok('log', 'export', own, '--format', 'jsonl')
  const records = log
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; fields?: LoggedInput & { data_b64?: string } })
  const found = records.find(
    ({ type, fields }) =>
      type === 'input' && Buffer.from(fields?.data_b64 ?? '', 'base64').toString() === text,
  )
  const { actor = '', actor_label, actor_via } = found?.fields ?? {}
  return {
    actor,
    ...(actor_label === undefined ? {} : { actor_label }),
    ...(actor_via === undefined ? {} : { actor_via }),
  }
}

/** The gateway vouches for its tokens. */
const viaGateway = () => ({ actor_via: `${USER} (pid ${gateway.pid})` })

/** The records of a session that name an actor, as it is told by its log. */
async function actorsOf(session: string): Promise<(LoggedInput & { type: string })[]> {
  const log = await home.ok('log', 'export', session, '--format', 'jsonl')
  return log
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; fields?: LoggedInput })
    .flatMap(({ type, fields }) => (fields?.actor === undefined ? [] : [{ ...fields, type }]))
}

async function callMcp(message: object): Promise<void> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, ...message })
  const headers = { ...JSON_TYPE, 'mcp-protocol-version': '2025-11-25' }
  const { status, text } = await gateway.ask('/mcp', { method: 'POST', headers, body, token })
  expect([status, text]).toEqual([200, expect.not.stringContaining('isError') as string])
}

describe('a token', () => {
  test('is the actor of its requests, and the name that a caller gives itself is a label beside it', async () => {
    const { status } = await gateway.call(
      'session.type',
      { session: own, text: 'http', actor: 'the owner' },
      token,
    )
    expect(status).toBe(200)
    expect(await loggedActor('http')).toEqual({
      actor: 'token ci-bot',
      actor_label: 'the owner',
      ...viaGateway(),
    })
  })

  test('is the actor of every step of a batch, and of a block that runs later', async () => {
    const steps = [{ step: 'type', text: 'step', actor: 'root' }]
    expect((await gateway.call('session.batch', { session: own, steps, actor: 'x' }, token)).status).toBe(200)
    expect(await loggedActor('step')).toEqual({ actor: 'token ci-bot', actor_label: 'root', ...viaGateway() })
    const shell = await home.ok('create', '--', 'bash', '--norc')
    const { body } = await gateway.call<{ block: object }>('session.run', {
      session: shell,
      command: ['true'],
      actor: 'builder',
    })
    expect(body.block).toMatchObject({ actor: 'token default', actor_label: 'builder' })
  })

  test('cannot say on a WebSocket for whom it asks', async () => {
    const webSocket = gateway.webSocket(token)
    await once(webSocket, 'open')
    const request = { jsonrpc: '2.0', method: 'session.type', params: { session: own, text: 'ws' } }
    const claimed = { kind: 'token', id: 'x', name: 'admin', scope: 'admin', sessions: null }
    webSocket.send(JSON.stringify({ ...request, id: 1, on_behalf_of: claimed }))
    const [refusal] = (await once(webSocket, 'message')) as [Buffer]
    expect(JSON.parse(String(refusal))).toMatchObject({ id: 1, error: { data: { code: 'forbidden' } } })
    webSocket.send(JSON.stringify({ ...request, id: 2 }))
    await once(webSocket, 'message')
    webSocket.close()
    expect(await loggedActor('ws')).toEqual({ actor: 'token ci-bot', ...viaGateway() })
  })
})

describe('an MCP client', () => {
  test('is named under its token', async () => {
    const params = { name: 'type_text', arguments: { session: own, text: 'mcp 2026' }, _meta: ENVELOPE }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    const headers = {
      ...JSON_TYPE,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'type_text',
    }
    const { status, text } = await gateway.ask('/mcp', { method: 'POST', headers, body, token })
    expect([status, text]).toEqual([200, expect.stringContaining('"seq"') as string])
    expect(await loggedActor('mcp 2026')).toEqual({ actor: 'mcp test under token ci-bot', ...viaGateway() })
  })

  test('that did not give its name is still told from other callers of the token', async () => {
    await callMcp({
      method: 'tools/call',
      params: { name: 'type_text', arguments: { session: own, text: 'mcp 2025' } },
    })
    expect(await loggedActor('mcp 2025')).toEqual({ actor: 'mcp under token ci-bot', ...viaGateway() })
  })

  test('on standard input is named under the process that serves it', async () => {
    const client = await StdioClient.start(home)
    await client.tool('type_text', { session: own, text: 'mcp stdio' })
    expect(await loggedActor('mcp stdio')).toEqual({ actor: `mcp test under ${USER} (pid ${client.pid})` })
    await client.close()
    const modern = StdioClient.open(home)
    const params = { name: 'type_text', arguments: { session: own, text: 'modern' }, _meta: ENVELOPE }
    await modern.request('tools/call', params)
    expect(await loggedActor('modern')).toEqual({ actor: `mcp test under ${USER} (pid ${modern.pid})` })
    await modern.close()
  })
})

describe('a local process', () => {
  test('is named by its user and pid', async () => {
    const wire = await Wire.connect(home.host().socket)
    await wire.call(1, 'session.type', { session: own, text: 'local' })
    await wire.call(2, 'session.type', { session: own, text: 'labelled', actor: 'token ci-bot' })
    const actor = `${USER} (pid ${process.pid})`
    expect(await loggedActor('local')).toEqual({ actor })
    expect(await loggedActor('labelled')).toEqual({ actor, actor_label: 'token ci-bot' })
    wire.vanish()
  })

  test('may vouch for a token, as the gateway does, is named with it, and vouches for no other user', async () => {
    const wire = await Wire.connect(home.host().socket)
    const request = { jsonrpc: '2.0', method: 'session.type' }
    const named = { kind: 'token', id: 'a1', name: 'ci bot', scope: 'operate', sessions: [own] }
    wire.send({ ...request, id: 1, params: { session: own, text: 'vouched' }, on_behalf_of: named })
    expect((await wire.answer(1)).error).toBeUndefined()
    expect(await loggedActor('vouched')).toEqual({
      actor: 'token "ci bot"',
      actor_via: `${USER} (pid ${process.pid})`,
    })
    const foreign = { kind: 'local', uid: 0, pid: 1, user: 'root' }
    for (const on_behalf_of of [foreign, { kind: 'mcp', client: null, under: foreign }, {}, 'root', null]) {
      wire.send({ ...request, id: 2, params: { session: own, text: 'refused' }, on_behalf_of })
      expect((await wire.answer(2)).error?.data.code).toBe('invalid_request')
    }
    expect(await loggedActor('refused')).toEqual({ actor: '' })
    wire.vanish()
  })
})

test('who creates, resizes and ends a session is in its log', async () => {
  const { body } = await gateway.call<{ session: string }>('session.create', { command: ['cat'] })
  const { session } = body
  await home.ok('resize', session, '--cols', '90', '--rows', '30')
  await gateway.call('session.destroy', { session })
  const log = await home.ok('log', 'export', session, '--format', 'jsonl')
  const actors = log
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; fields: { actor?: string; status?: string } })
    .filter(({ type, fields }) => type !== 'status' || fields.status === 'destroying')
    .flatMap(({ type, fields }) => (fields.actor === undefined ? [] : [[type, fields.actor]]))
  expect(actors).toEqual([
    ['created', expect.stringMatching(/^token /)],
    ['resize', expect.stringContaining(`${USER} (pid `)],
    ['status', expect.stringMatching(/^token /)],
  ])
})

test('who changes a quota is in the log', async () => {
  const session = await home.ok('create', '--', 'cat')
  await gateway.call('session.quota', { session, bytes: 5_000_000 })
  expect((await actorsOf(session)).at(-1)).toEqual({
    type: 'quota',
    actor: 'token default',
    ...viaGateway(),
    bytes: 5_000_000,
    policy: 'pause',
  })
})

describe('a session in a host of its own is created by whoever asked for it', () => {
  test('a token, by way of the gateway and the first host', async () => {
    const params = { command: ['cat'], dedicated: true }
    const { body } = await gateway.call<{ session: string }>('session.create', params)
    expect((await actorsOf(body.session))[0]).toMatchObject({
      type: 'created',
      actor: 'token default',
      actor_via: `${USER} (pid ${gateway.pid}), ${USER} (pid ${home.host().pid})`,
    })
    await home.ok('destroy', body.session) // its host goes with it: the Home's own does not know it
  })

  test('a local process, by way of the first host', async () => {
    const wire = await Wire.connect(home.host().socket)
    wire.send({
      jsonrpc: '2.0',
      id: 1,
      method: 'session.create',
      params: { command: ['cat'], dedicated: true },
    })
    const { result } = await wire.answer(1)
    const { session } = result as { session: string }
    expect((await actorsOf(session))[0]).toMatchObject({
      actor: `${USER} (pid ${process.pid})`,
      actor_via: `${USER} (pid ${home.host().pid})`,
    })
    await home.ok('destroy', session)
    wire.vanish()
  })
})
