/** What a disk that fails may do to an Event Log. */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { READ_ONLY, SYNC_FAILS, withFileSystem } from '../../../../test/support/failing-disk.ts'
import { EventStore, type EventStoreOptions } from './event-store.ts'
import { StoredEvents } from './stored-events.ts'
import { verifyLog } from './verify-log.ts'

let folder: string

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-disk-'))
})

afterEach(() => fs.rmSync(folder, { recursive: true }))

const options = (change: Partial<EventStoreOptions> = {}): EventStoreOptions => ({ now: () => 1, ...change })

async function texts(): Promise<[number, string][]> {
  const all: [number, string][] = []
  for await (const records of StoredEvents.at(folder).read())
    all.push(...records.map(({ seq, payload }) => [seq, Buffer.from(payload).toString()] as [number, string]))
  return all
}

async function tail(): Promise<string> {
  return (await verifyLog(StoredEvents.at(folder))).report.tail
}

test('a failed sync is reported to the owner, and thrown only to callers that ask', async () => {
  const reported: string[] = []
  let onReport: () => void = () => {}
  const failed = new Promise<void>((resolve) => (onReport = resolve))
  const onSyncFailure = ({ code }: { code: string }) => {
    reported.push(code)
    onReport()
  }
  const restore = withFileSystem(SYNC_FAILS)
  try {
    const store = EventStore.create(folder, options({ onSyncFailure }))
    store.append('output', Buffer.from('one')) // synced by a timer
    await failed
    store.append('output', Buffer.from('two'))
    await expect(store.close()).rejects.toMatchObject({ code: 'io_error' })
    expect(reported).toEqual(['io_error'])
  } finally {
    restore()
  }
  expect(await texts()).toEqual([
    [1, 'one'],
    [2, 'two'],
  ])
})

test('a sync that fails at a roll is reported after the append, to an owner that may append', async () => {
  const seqs: number[] = []
  const store = EventStore.create(folder, {
    ...options({ segmentBytesMax: 470 }),
    onSyncFailure: () =>
      seqs.push(store.append('status', Buffer.from('{"status":"failed","reason":"sync"}'))),
  })
  const restore = withFileSystem(SYNC_FAILS)
  try {
    for (let index = 0; index < 6; index++) seqs.push(store.append('output', Buffer.alloc(100, 65 + index)))
    await Promise.resolve() // the report
    await expect(store.close()).rejects.toMatchObject({ code: 'io_error' })
  } finally {
    restore()
  }
  expect(seqs).toEqual([1, 2, 3, 4, 5, 6, 7])
  expect((await texts()).map(([seq, text]) => [seq, text.slice(0, 2)])).toEqual([
    ...['AA', 'BB', 'CC', 'DD', 'EE', 'FF'].map((text, index) => [index + 1, text]),
    [7, '{"'],
  ])
  expect(await tail()).toBe('none')
  // Nothing but the end of a log may be missing after a power cut: what was not synced is in the last segment.
  expect((await StoredEvents.at(folder).segments()).length).toBe(1)
})

test('half a record that cannot be cut off at once is cut off before the next one is written', async () => {
  const store = EventStore.create(folder, options())
  store.append('output', Buffer.from('first'))
  const { writevSync } = fs
  const half = ((fd: number, buffers: readonly Uint8Array[], position: number) => {
    writevSync(fd, [Buffer.concat(buffers).subarray(0, 50)], position)
    throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })
  }) as unknown as typeof writevSync
  const restore = withFileSystem({ ...READ_ONLY, writevSync: half })
  try {
    expect(() => store.append('output', Buffer.alloc(1000, 'x'))).toThrow(
      expect.objectContaining({ code: 'io_error' }),
    )
  } finally {
    restore()
  }
  expect(store.append('output', Buffer.from('2'))).toBe(2)
  await store.close()
  expect(await texts()).toEqual([
    [1, 'first'],
    [2, '2'],
  ])
  expect(await tail()).toBe('none')
})
