import { beforeEach, describe, expect, test } from 'vitest'
import { Client, linkedTransports, type Transport } from '@transom/client'
import { OpError } from '@transom/protocol'
import type { Handlers } from './dispatch.ts'
import { RpcConnection } from './rpc-connection.ts'

const peer = { kind: 'local', uid: 1000, pid: 812, user: 'ada' } as const
let transport: Transport
let received: unknown[]
let aborted: string[]

/** A host of which only what a test calls is there. */
const handlers = {
  'session.list': () => ({ sessions: [] }),
  'session.inspect': () => {
    throw new OpError('session_not_found', 'no session "x"', { ref: 'x' })
  },
  'session.destroy': () => {
    throw new TypeError('a bug')
  },
  'session.wait': async (_: unknown, { signal }: { signal: AbortSignal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        aborted.push(String(signal.reason.message))
        reject(signal.reason)
      })
    }),
} as unknown as Handlers
const operations = { handlers, findTarget: () => expect.unreachable() }

beforeEach(() => {
  const [client, host] = linkedTransports()
  transport = client
  received = []
  aborted = []
  new RpcConnection(host, { peer, operations, closed: () => {} })
})

async function send(...messages: unknown[]): Promise<unknown[]> {
  transport.listen({ message: (message) => received.push(message), closed: () => {} })
  for (const message of messages) transport.send(message as never)
  await new Promise(setImmediate)
  return received
}

describe('JSON-RPC', () => {
  test('answers a call under its id, text or number', async () => {
    const call = { jsonrpc: '2.0', method: 'session.list', params: {} }
    expect(await send({ ...call, id: 'a' }, { ...call, id: 7 })).toEqual([
      { jsonrpc: '2.0', id: 'a', result: { sessions: [] } },
      { jsonrpc: '2.0', id: 7, result: { sessions: [] } },
    ])
  })

  test.each([
    ['not an object', 5, null, -32600],
    ['an empty batch', [], null, -32600],
    ['without version', { id: 1, method: 'session.list' }, 1, -32600],
    ['with an id of a wrong type', { jsonrpc: '2.0', id: {}, method: 'session.list' }, null, -32600],
    ['an unknown method', { jsonrpc: '2.0', id: 1, method: 'session.nope' }, 1, -32601],
    ['a missing parameter', { jsonrpc: '2.0', id: 1, method: 'session.inspect', params: {} }, 1, -32602],
    [
      'an unknown parameter',
      { jsonrpc: '2.0', id: 1, method: 'session.list', params: { al: true } },
      1,
      -32602,
    ],
    [
      'an operating error',
      { jsonrpc: '2.0', id: 1, method: 'session.inspect', params: { session: 'x' } },
      1,
      -32102,
    ],
    ['a bug', { jsonrpc: '2.0', id: 1, method: 'session.destroy', params: { session: 'x' } }, 1, -32603],
  ])('%s is reported by its number', async (_, message, id, code) => {
    expect(await send(message)).toMatchObject([
      { jsonrpc: '2.0', id, error: { code, data: { details: {} } } },
    ])
  })

  test('a batch is answered by an array, and a notification in it not at all', async () => {
    const call = { jsonrpc: '2.0', method: 'session.list' }
    expect(await send([{ ...call, id: 1 }, call, { ...call, id: 2 }])).toMatchObject([[{ id: 1 }, { id: 2 }]])
  })

  test('a second request under an id in flight is refused', async () => {
    const wait = { jsonrpc: '2.0', id: 1, method: 'session.wait', params: { session: 'x', exit: true } }
    expect(await send(wait, wait)).toMatchObject([{ id: 1, error: { code: -32600 } }])
  })

  test('more requests in flight than the bound are refused, the others go on', async () => {
    const waits = Array.from({ length: 257 }, (_, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'session.wait',
      params: { session: 'x', exit: true },
    }))
    expect(await send(...waits)).toMatchObject([
      { id: 256, error: { data: { code: 'too_many_requests', retryable: true } } },
    ])
  })
})

describe('a client', () => {
  test('gets results and errors of the table', async () => {
    const client = new Client(transport)
    await expect(client.call('session.list', {})).resolves.toEqual({ sessions: [] })
    const failure = { code: 'session_not_found', message: 'no session "x"', details: { ref: 'x' } }
    await expect(client.call('session.inspect', { session: 'x' })).rejects.toMatchObject(failure)
  })

  test('that cancels stops the work at the host', async () => {
    const client = new Client(transport)
    const cancel = new AbortController()
    const waiting = client.call('session.wait', { session: 'x', exit: true }, { signal: cancel.signal })
    await new Promise(setImmediate)
    cancel.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await new Promise(setImmediate)
    expect(aborted).toEqual(['cancelled by the caller'])
  })

  test('that leaves stops the work at the host, and its pending calls fail', async () => {
    const client = new Client(transport)
    const waiting = client.call('session.wait', { session: 'x', exit: true })
    const told = expect(waiting).rejects.toMatchObject({ code: 'host_unavailable' })
    await new Promise(setImmediate)
    client.close()
    await told
    expect(aborted).toEqual(['the caller left'])
  })
})
