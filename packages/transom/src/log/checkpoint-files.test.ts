import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { EventStore } from './event-store.ts'
import { StoredEvents } from './stored-events.ts'

let folder: string

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-checkpoints-'))
})

afterEach(() => fs.rmSync(folder, { recursive: true }))

const stored = () => StoredEvents.at(folder)

test('a store keeps a large state less often, and at most 1024 states', async () => {
  const store = EventStore.create(folder, { now: () => 0 })
  const taken: number[] = []
  for (let index = 0; index < 20; index++) {
    store.append('output', Buffer.alloc(1 << 20))
    store.offerCheckpoint('large', () => {
      taken.push(store.seq)
      return Buffer.alloc(512 << 10)
    })
  }
  for (let index = 0; index < 1100; index++) store.append('output', Buffer.from('x'))
  for (let seq = 1; seq <= 1100; seq++) await store.writeCheckpoint('many', seq, Buffer.from('state'))
  await store.close()
  expect(taken).toEqual([2, 10, 18])
  const many = await stored().checkpointSeqs('many')
  expect([many.length <= 1024, many.at(-1)]).toEqual([true, 1100])
  expect(store.sizeBytes).toBe(await stored().sizeBytes())
})
