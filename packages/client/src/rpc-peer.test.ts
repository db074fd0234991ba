import { Duplex } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { OpError } from '@transom/protocol/errors'
import { parseRequest, requestIdOf } from '@transom/protocol/jsonrpc'
import type { RpcService, ServedRequest } from './incoming-requests.ts'
import { RpcPeer } from './rpc-peer.ts'
import { linkedTransports, type Transport } from './transport.ts'
import { SocketTransport } from './unix-socket.ts'

const IN_FLIGHT_MAX = 8

/** A service whose `wait` ends only when it is cancelled, and which records what it is asked. */
class TestService implements RpcService {
  readonly name = 'host'
  readonly inFlightMax = IN_FLIGHT_MAX
  readonly asked: string[] = []
  readonly aborted: string[] = []

  serve(request: ServedRequest): unknown {
    const { method, params, signal } = request
    this.asked.push(method)
    switch (method) {
      case 'echo':
        return params ?? null
      case 'fail':
        throw new OpError('session_not_found', 'no session "x"', { ref: 'x' })
      case 'bug':
        throw new TypeError('a bug')
      case 'unsendable':
        return { size: 1n }
      case 'steps':
        request.progress({ step: 1 })
        request.progress({ step: 2 })
        return 'done'
      case 'wait':
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            this.aborted.push((signal.reason as Error).message)
            reject(signal.reason)
          })
        })
      default:
        throw new OpError('unknown_operation', `no operation ${JSON.stringify(method)}`)
    }
  }
}

function closedError(reason: Error | null, answered: boolean): OpError {
  return new OpError('host_unavailable', reason?.message ?? 'the connection is closed', { answered })
}

function connect(options: { queueMax?: number } = {}) {
  const [near, far] = linkedTransports(options)
  const service = new TestService()
  const server = new RpcPeer(far, { service, closedError })
  return { near, service, server }
}

/** What a raw transport receives, read as far as everything that can happen has happened. */
async function exchange(near: Transport, ...messages: unknown[]): Promise<unknown[]> {
  const received: unknown[] = []
  near.listen({ message: (message) => received.push(message), closed: () => {} })
  for (const message of messages) near.send(message as never)
  await settled()
  return received
}

async function settled(): Promise<void> {
  await new Promise(setImmediate)
}

const request = (id: number | string, method = 'echo', params: unknown = id) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
const notification = (method: string, params?: unknown) => ({ jsonrpc: '2.0', method, params })

describe('a batch', () => {
  test('is answered by one array in the order of its requests', async () => {
    const { near } = connect()
    expect(await exchange(near, [request(1), request('b'), request(3, 'fail')])).toEqual([
      [
        { jsonrpc: '2.0', id: 1, result: 1 },
        { jsonrpc: '2.0', id: 'b', result: 'b' },
        expect.objectContaining({ id: 3, error: expect.objectContaining({ code: -32102 }) as object }),
      ],
    ])
  })

  test('is answered once its slowest request is', async () => {
    const { near } = connect()
    const batch = [request(1), request(2, 'wait')]
    expect(await exchange(near, batch)).toEqual([])
    expect(await exchange(near, notification('$/cancelRequest', { id: 2 }))).toMatchObject([
      [
        { id: 1, result: 1 },
        { id: 2, error: { code: -32800 } },
      ],
    ])
  })

  test('of notifications is carried out and not answered', async () => {
    const { near, service } = connect()
    expect(await exchange(near, [notification('echo'), notification('fail'), notification('nope')])).toEqual(
      [],
    )
    expect(service.asked).toEqual(['echo', 'fail', 'nope'])
  })

  test('that is empty is an invalid request', async () => {
    expect(await exchange(connect().near, [])).toMatchObject([{ id: null, error: { code: -32600 } }])
  })

  test('has parts that are no requests answered one by one', async () => {
    expect(await exchange(connect().near, [1, {}, request(7)])).toMatchObject([
      [
        { id: null, error: { code: -32600 } },
        { id: null, error: { code: -32600 } },
        { id: 7, result: 7 },
      ],
    ])
  })

  test('with too many parts is refused by a single error, and none of it is carried out', async () => {
    const { near, service } = connect()
    const batch = Array.from({ length: IN_FLIGHT_MAX + 1 }, (_, id) => request(id))
    expect(await exchange(near, batch)).toMatchObject([{ id: null, error: { code: -32600 } }])
    expect(service.asked).toEqual([])
  })

  test('of millions of parts costs no more than reading it', async () => {
    const { near, service } = connect()
    expect(
      await exchange(
        near,
        Array.from({ length: 3_500_000 }, () => 1),
      ),
    ).toMatchObject([{ id: null, error: { message: expect.stringContaining('(got 3500000)') as string } }])
    expect(service.asked).toEqual([])
  })
})

describe('a notification', () => {
  test('is never answered, even if it fails', async () => {
    const { near, service } = connect()
    const methods = ['echo', 'fail', 'bug', 'nope', 'steps']
    expect(await exchange(near, ...methods.map((method) => notification(method)))).toEqual([])
    expect(service.asked).toEqual(methods)
  })

  test('counts as a request in flight', async () => {
    const { near, service } = connect()
    const waits = Array.from({ length: IN_FLIGHT_MAX }, () => notification('wait'))
    expect(await exchange(near, ...waits, notification('echo'), request(1))).toMatchObject([
      { id: 1, error: { data: { code: 'too_many_requests' } } },
    ])
    expect(service.asked).not.toContain('echo')
  })
})

describe('a request', () => {
  test('that fails is answered with the number of its error', async () => {
    const answers = await exchange(connect().near, request(1, 'fail'), request(2, 'bug'), request(3, 'nope'))
    expect(answers).toMatchObject([
      { id: 1, error: { code: -32102, data: { code: 'session_not_found', details: { ref: 'x' } } } },
      { id: 2, error: { code: -32603 } },
      { id: 3, error: { code: -32601 } },
    ])
  })

  test('whose result JSON cannot express is answered with an error, alone and in a batch', async () => {
    const { near } = connect()
    expect(await exchange(near, request(1, 'unsendable'), [request(2, 'unsendable')])).toMatchObject([
      { id: 1, error: { code: -32603 } },
      [{ id: 2, error: { code: -32603 } }],
    ])
  })

  test('under an id in flight is refused, and the first one continues', async () => {
    const { near, service } = connect()
    expect(await exchange(near, request(1, 'wait'), request(1))).toMatchObject([
      { id: 1, error: { code: -32600 } },
    ])
    expect(service.aborted).toEqual([])
  })

  test('to a side without a service is answered, and anything else it cannot use is not', async () => {
    const [near, far] = linkedTransports()
    const notified: string[] = []
    new RpcPeer(far, { closedError, notified: (method) => notified.push(method) })
    expect(await exchange(near, request(1), notification('hello'), { hello: 1 }, 5, [])).toMatchObject([
      { id: 1, error: { code: -32601 } },
    ])
    expect(notified).toEqual(['hello'])
  })
})

describe('both ends', () => {
  test('may ask and answer on one connection', async () => {
    const [left, right] = linkedTransports()
    const one = new RpcPeer(left, { service: new TestService(), closedError })
    const other = new RpcPeer(right, { service: new TestService(), closedError })
    await expect(Promise.all([one.request('echo', 'a'), other.request('echo', 'b')])).resolves.toEqual([
      'a',
      'b',
    ])
    await expect(one.request('fail', {})).rejects.toMatchObject({
      code: 'session_not_found',
      details: { ref: 'x' },
    })
  })

  test('get progress before the result', async () => {
    const { near } = connect()
    const client = new RpcPeer(near, { closedError })
    const seen: unknown[] = []
    await expect(client.request('steps', {}, { onProgress: (value) => seen.push(value) })).resolves.toBe(
      'done',
    )
    expect(seen).toEqual([{ step: 1 }, { step: 2 }])
  })

  test('cancel a request at the other side and reject with the reason of the signal', async () => {
    const { near, service } = connect()
    const client = new RpcPeer(near, { closedError })
    const cancel = new AbortController()
    const waiting = client.request('wait', {}, { signal: cancel.signal })
    await settled()
    cancel.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
    await settled()
    expect(service.aborted).toEqual(['cancelled by the caller'])
    await expect(client.request('echo', 'still here')).resolves.toBe('still here')
  })

  test('end open calls when the connection closes', async () => {
    const { near, service } = connect()
    const client = new RpcPeer(near, { closedError })
    const open = [client.request('wait', {}), client.request('wait', {})]
    await settled()
    client.close()
    for (const waiting of open) await expect(waiting).rejects.toMatchObject({ code: 'host_unavailable' })
    await expect(client.request('echo', 1)).rejects.toMatchObject({ code: 'host_unavailable' })
    expect(service.aborted).toEqual(['the caller left', 'the caller left'])
  })

  test('know whether the other side ever answered', async () => {
    const { near, server } = connect()
    const client = new RpcPeer(near, { closedError })
    const waiting = client.request('wait', {})
    server.close()
    await expect(waiting).rejects.toMatchObject({ details: { answered: false } })
  })
})

describe('a slow reader', () => {
  test('has no more requests read until it has read its answers', async () => {
    const { near, service } = connect({ queueMax: 2 })
    const received: unknown[] = []
    near.listen({ message: (message) => received.push(message), closed: () => {} })
    near.pause?.()
    for (let id = 1; id <= 6; id++) {
      near.send(request(id) as never)
      await settled()
    }
    expect(service.asked).toHaveLength(3) // the third answer is the one that no longer fits
    near.resume?.()
    await settled()
    expect(received).toHaveLength(6)
  })

  test('is waited for by a sender of notifications, until it leaves', async () => {
    const { near, server } = connect({ queueMax: 1 })
    near.pause?.()
    expect([server.notify('news', 1), server.backedUp]).toEqual([true, false])
    expect([server.notify('news', 2), server.backedUp]).toEqual([false, true])
    const drained = server.drained()
    near.listen({ message: () => {}, closed: () => {} })
    near.resume?.()
    await drained
    expect(server.backedUp).toBe(false)
    near.pause?.()
    server.notify('news', 3)
    server.notify('news', 4)
    const left = server.drained()
    near.close()
    await left
  })
})

describe('lines', () => {
  const FRAME_BYTES_MAX = 200

  function connectByLines(options: { halfOpen?: boolean } = {}) {
    const [near, far] = duplexPair()
    const service = new TestService()
    new RpcPeer(new SocketTransport(far, { frameBytesMax: FRAME_BYTES_MAX, ...options }), {
      service,
      closedError,
    })
    const received: string[] = []
    near.on('data', (chunk) => received.push(String(chunk)))
    return {
      near,
      service,
      answers: () =>
        received
          .join('')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as unknown),
    }
  }

  test('that are too long are refused once, and the next one is served', async () => {
    const { near, answers } = connectByLines()
    near.write('x'.repeat(FRAME_BYTES_MAX + 1))
    near.write(`${'x'.repeat(5000)}\n${JSON.stringify(request(1))}\n`)
    await settled()
    expect(answers()).toMatchObject([
      {
        id: null,
        error: { code: -32101, message: expect.stringContaining('more than ') as string },
      },
      { id: 1, result: 1 },
    ])
  })

  test('that are not JSON are refused, and the next one is served', async () => {
    const { near, answers } = connectByLines()
    near.write(Buffer.from(`{"jsonrpc"\n\xff\n\n${JSON.stringify(request(1))}\n`, 'latin1'))
    await settled()
    expect(answers()).toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: null, error: { code: -32700 } },
      { id: 1, result: 1 },
    ])
  })

  test('of a caller that has sent its last one are still answered, the last without its line break', async () => {
    const { near, answers } = connectByLines({ halfOpen: true })
    const closed = new Promise((resolve) => near.once('end', resolve))
    near.end(`${JSON.stringify([request(1), request(2)])}\n${JSON.stringify(request(3))}`)
    await closed
    expect(answers()).toMatchObject([{ id: 3 }, [{ id: 1 }, { id: 2 }]])
  })

  test('that cannot be read fail the requests that wait for one', async () => {
    const [near, far] = duplexPair()
    const client = new RpcPeer(new SocketTransport(near, { frameBytesMax: FRAME_BYTES_MAX }), { closedError })
    const waiting = client.request('echo', 1)
    far.write('hello\n')
    await expect(waiting).rejects.toMatchObject({ code: 'parse_error' })
  })
})

describe('random messages', () => {
  const id = fc.oneof(fc.integer(), fc.string(), fc.constant(null), fc.constant({}), fc.constant(undefined))
  const method = fc.oneof(
    fc.constantFrom('echo', 'fail', 'bug', 'nope', '$/cancelRequest', '$/progress'),
    fc.integer(),
  )
  const message = fc.oneof(
    fc.record(
      { jsonrpc: fc.constantFrom('2.0', '1.0'), id, method, params: fc.jsonValue() },
      { requiredKeys: [] },
    ),
    fc.record({ jsonrpc: fc.constant('2.0'), id, method: fc.constantFrom('echo', 'fail') }),
    fc.record({ jsonrpc: fc.constant('2.0'), id, result: fc.jsonValue() }),
    fc.record({ jsonrpc: fc.constant('2.0'), id, error: fc.jsonValue() }),
    fc.jsonValue(),
  )

  test('get exactly one answer for each request with an id, and nothing else is answered', async () => {
    const traffic = fc.array(fc.oneof(message, fc.array(message, { maxLength: IN_FLIGHT_MAX + 2 })), {
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(traffic, async (sent) => {
        const { near } = connect()
        const wired = sent.map((one) => JSON.parse(JSON.stringify(one)) as unknown)
        const expected = wired.flatMap(expectedAnswers)
        const answers = (await exchange(near, ...wired)) as ({ id: unknown } | { id: unknown }[])[]
        const ids = answers.flatMap((one) => (Array.isArray(one) ? one.map((part) => part.id) : [one.id]))
        expect(ids.map(key).toSorted()).toEqual(expected.map(key).toSorted())
      }),
      { numRuns: 300 },
    )
  })
})

/** The ids that a message must be answered under, by the specification. */
function expectedAnswers(message: unknown): unknown[] {
  if (!Array.isArray(message)) return expectedAnswer(message)
  return message.length === 0 || message.length > IN_FLIGHT_MAX ? [null] : message.flatMap(expectedAnswer)
}

function expectedAnswer(message: unknown): unknown[] {
  const isObject = typeof message === 'object' && message !== null
  if (isObject && !('method' in message) && ('result' in message || isFailure(message))) return [] // an answer itself
  const request = parseRequest(message)
  if (request === null) return [requestIdOf(message)]
  return request.id === null ? [] : [request.id]
}

function isFailure(message: object): boolean {
  return 'error' in message && typeof message.error === 'object' && message.error !== null
}

function key(id: unknown): string {
  return JSON.stringify(id)
}

/** Two ends of a stream in memory, each half open as a socket of a server may be. */
function duplexPair(): [Duplex, Duplex] {
  const ends: [Duplex, Duplex] = [end(() => ends[1]), end(() => ends[0])]
  return ends
}

function end(other: () => Duplex): Duplex {
  return new Duplex({
    allowHalfOpen: true,
    read() {},
    write(chunk, _encoding, done) {
      other().push(chunk)
      done()
    },
    final(done) {
      other().push(null)
      done()
    },
  })
}
