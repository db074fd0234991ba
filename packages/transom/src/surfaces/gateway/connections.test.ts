import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import { beforeEach, describe, expect, test } from 'vitest'
import { Connections } from './connections.ts'

const ME = 1000
const OTHER = 2000

let users: Map<string, number>
let reads: number
let connections: Connections
let lastPort: number

beforeEach(() => {
  users = new Map()
  reads = 0
  lastPort = 0
  connections = new Connections({ connectionsMax: 16, connectionsPerTokenMax: 8 }, () => {
    reads++
    return users
  })
})

class FakeSocket extends EventEmitter {
  readonly remotePort = ++lastPort
  readonly localPort = 7317
  readonly localAddress = '127.0.0.1'
  readonly remoteAddress: string
  destroyed = false

  constructor(remoteAddress: string) {
    super()
    this.remoteAddress = remoteAddress
  }

  destroy(): void {
    this.destroyed = true
    queueMicrotask(() => this.emit('close'))
  }
}

function connect(uid: number | null, address = '127.0.0.1'): FakeSocket & Socket {
  const socket = new FakeSocket(address)
  if (uid !== null) users.set(`${address}:${socket.remotePort}`, uid)
  connections.add(socket as unknown as Socket) // what the table uses of one
  return socket as unknown as FakeSocket & Socket
}

const connectMany = (count: number, uid: number | null, address?: string) =>
  Array.from({ length: count }, () => connect(uid, address))
const openOf = (sockets: readonly FakeSocket[]) => sockets.filter(({ destroyed }) => !destroyed).length

describe('connections past the limit', () => {
  test('take the places of the user who has most without a token, the oldest first', () => {
    const mine = connect(ME)
    const others = connectMany(100, OTHER)
    const late = connect(ME)
    expect([mine.destroyed, late.destroyed]).toEqual([false, false])
    expect(openOf(others)).toBeLessThanOrEqual(14)
    expect([others[0]?.destroyed, others.at(-1)?.destroyed]).toEqual([true, false])
  })

  test('of one user count together, whatever addresses they come from', () => {
    const mine = connect(ME)
    for (let last = 1; last <= 100; last++) connect(OTHER, `127.0.0.${last}`)
    expect(mine.destroyed).toBe(false)
  })

  test('are told apart by address where the user is not known', () => {
    const first = connect(null, '192.0.2.1')
    connectMany(100, null, '::ffff:192.0.2.2')
    expect(first.destroyed).toBe(false)
  })

  test('never take the place of one with a token', () => {
    const kept = connectMany(8, OTHER)
    for (const socket of kept) connections.keep(socket, 'a')
    connectMany(100, OTHER)
    expect(openOf(kept)).toBe(8)
  })

  test('are closed while all others have a token, and let in again when one has gone', async () => {
    const kept = connectMany(16, ME)
    kept.forEach((socket, index) => connections.keep(socket, index < 8 ? 'a' : 'b'))
    expect(connect(ME).destroyed).toBe(true)
    kept[0]?.destroy()
    await Promise.resolve()
    expect(connect(ME).destroyed).toBe(false)
  })

  test('do not make the kernel be asked for each of them', () => {
    connectMany(116, OTHER)
    expect(reads).toBe(50) // two go at a time
  })
})

test('a token has its share, which comes back when its connections close', async () => {
  const first = connectMany(8, ME)
  for (const socket of first) connections.keep(socket, 'a')
  connections.keep(first[0] as Socket, 'a') // a further request on the same
  const more = connect(ME)
  expect(() => connections.keep(more, 'a')).toThrow('8 connections with this token are open')
  connections.keep(more, 'b')
  first[0]?.destroy()
  await Promise.resolve()
  connections.keep(connect(ME), 'a')
})
