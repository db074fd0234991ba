/** What holds for one segment holds for many: everything here runs over segments of a few records. */
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EventStore, type EventStoreOptions } from './event-store.ts'
import { FILE_HEADER_BYTES, RECORD_HEADER_BYTES, encodeFileHeader, encodeRecordHeader } from './record.ts'
import { repairLog } from './repair-log.ts'
import { StoredEvents } from './stored-events.ts'
import { verifyLog } from './verify-log.ts'

const OUTPUT = 2
const SEGMENT_BYTES_MAX = 200

let folder: string

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-segments-'))
})

afterEach(() => fs.rmSync(folder, { recursive: true }))

const options = (change: Partial<EventStoreOptions> = {}): EventStoreOptions => {
  let time = 1000
  return { now: () => time++, segmentBytesMax: SEGMENT_BYTES_MAX, ...change }
}

const stored = () => StoredEvents.at(folder)

const textOf = (seq: number) => `record ${seq} ${'x'.repeat(seq % 60)}`

function appendTexts(store: EventStore, count: number): void {
  for (let index = 0; index < count; index++) store.append('output', Buffer.from(textOf(store.seq + 1)))
}

async function writeTexts(count: number): Promise<void> {
  const store = EventStore.create(folder, options())
  appendTexts(store, count)
  await store.close()
}

async function seqs(range: Parameters<StoredEvents['read']>[0] = {}): Promise<number[]> {
  const found: number[] = []
  for await (const records of stored().read(range)) {
    for (const { seq, payload } of records) {
      expect(Buffer.from(payload).toString()).toBe(textOf(seq))
      found.push(seq)
    }
  }
  return found
}

const counted = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)
const files = (pattern: RegExp) =>
  fs
    .readdirSync(folder)
    .filter((name) => pattern.test(name))
    .toSorted()
const segmentNames = () => files(/\.log$/).toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))

describe('a store of several segments', () => {
  test('keeps each segment to its size, and every record in one of them', async () => {
    await writeTexts(30)
    expect(segmentNames()[0]).toBe('events.log')
    expect(segmentNames().length).toBeGreaterThan(5)
    for (const name of segmentNames())
      expect(fs.statSync(path.join(folder, name)).size).toBeLessThanOrEqual(SEGMENT_BYTES_MAX)
    expect(await seqs()).toEqual(counted(1, 30))
    expect(await stored().sizeBytes()).toBe(
      fs.readdirSync(folder).reduce((sum, name) => sum + fs.statSync(path.join(folder, name)).size, 0),
    )
  })

  test('counts everything that it stores', async () => {
    const store = EventStore.create(folder, options())
    appendTexts(store, 30)
    await store.writeCheckpoint('screen', 12, Buffer.from('state'))
    await store.close()
    expect(store.sizeBytes).toBe(await stored().sizeBytes())
  })

  test('counts checkpoints that are thinned or replaced, and those of its readers', async () => {
    const store = EventStore.create(folder, options())
    for (let index = 0; index < 100; index++) {
      appendTexts(store, 1)
      const write = index % 2 === 0 ? store : store.events
      await write.writeCheckpoint('screen', store.seq, Buffer.alloc(1000 + index))
    }
    await store.writeCheckpoint('screen', 100, Buffer.alloc(50))
    expect(store.sizeBytes).toBe(await stored().sizeBytes())
    await store.close()
  })

  test('takes a checkpoint when enough was appended since the last one, and is not kept waiting', async () => {
    const store = EventStore.create(folder, options({ segmentBytesMax: 64 << 20 }))
    const taken: number[] = []
    for (let index = 0; index < 20; index++) {
      store.append('output', Buffer.alloc(1 << 20))
      store.offerCheckpoint('screen', () => {
        taken.push(store.seq)
        return Buffer.from(`state ${store.seq}`)
      })
      store.offerCheckpoint('none', () => null)
    }
    await store.close()
    expect(taken).toEqual([2, 4, 6, 8, 10, 12, 14, 16, 18, 20])
    const found = await stored().readCheckpoint('screen', 13)
    expect([found?.seq, Buffer.from(found?.state ?? []).toString()]).toEqual([12, 'state 12'])
    expect(store.sizeBytes).toBe(await stored().sizeBytes())
  })

  test('takes a record that is longer than a segment', async () => {
    const store = EventStore.create(folder, options())
    for (const bytes of [10, 1000, 10]) store.append('output', Buffer.alloc(bytes))
    await store.close()
    const sizes: number[] = []
    for await (const records of stored().read()) sizes.push(...records.map(({ payload }) => payload.length))
    expect(sizes).toEqual([10, 1000, 10])
  })

  test('gives any range of records', async () => {
    await writeTexts(40)
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 45 }),
        fc.integer({ min: 0, max: 45 }),
        async (from, length) => {
          const to = Math.min(40, from + length)
          expect(await seqs({ from, to: from + length })).toEqual(from > 40 ? [] : counted(from, to))
        },
      ),
      { numRuns: 40 },
    )
  })

  test('finds a record by seq or time without reading what lies before', async () => {
    await writeTexts(40)
    const first = path.join(folder, 'events.log')
    const bytes = fs.readFileSync(first)
    bytes.fill(0xff, FILE_HEADER_BYTES) // a reader that came here would stop
    fs.writeFileSync(first, bytes)
    expect(await seqs({ from: 35 })).toEqual(counted(35, 40))
    expect(await stored().lastSeqAt(1000 + 36.5)).toBe(37)
  })

  test('finds the last record of a time where the clock was set back', async () => {
    const times = [10, 20, 30, 5, 6, 40, 50]
    const store = EventStore.create(
      folder,
      options({ now: () => times[store.seq] ?? 0, segmentBytesMax: 120 }),
    )
    appendTexts(store, times.length)
    await store.close()
    expect(await stored().lastSeqAt(7)).toBe(5)
    expect(await stored().lastSeqAt(45)).toBe(6)
    expect(await stored().lastSeqAt(1)).toBeNull()
  })

  test('is followed across a roll, from its beginning and from the middle', async () => {
    const store = EventStore.create(folder, options())
    appendTexts(store, 3)
    const stop = new AbortController()
    const follow = async (from: number, to: number, more: () => void) => {
      const seen: number[] = []
      for await (const records of stored().follow({ from, signal: stop.signal })) {
        seen.push(...records.map(({ seq }) => seq))
        if (seen.at(-1) === to) return seen
        more()
      }
      return seen
    }
    const more = () => appendTexts(store, Math.min(2, 30 - store.seq))
    const seen = await Promise.all([follow(1, 30, more), follow(7, 30, () => {})])
    expect(seen).toEqual([counted(1, 30), counted(7, 30)])
    stop.abort()
    await store.close()
  })

  test('is followed by a reader that fell several segments behind', async () => {
    const store = EventStore.create(folder, options())
    appendTexts(store, 2)
    const stop = new AbortController()
    const seen: number[] = []
    for await (const records of stored().follow({ from: 1, signal: stop.signal })) {
      seen.push(...records.map(({ seq }) => seq))
      if (seen.length === 2) appendTexts(store, 28)
      if (seen.length === 30) break
    }
    expect(seen).toEqual(counted(1, 30))
    stop.abort()
    await store.close()
  })

  test('continues after its writer has ended, and holds the lock on the first segment meanwhile', async () => {
    await writeTexts(20)
    const store = await EventStore.reopen(folder, options())
    expect(store?.seq).toBe(20)
    expect(await EventStore.reopen(folder, options())).toBeNull()
    if (store !== null) appendTexts(store, 20)
    expect(await EventStore.reopen(folder, options())).toBeNull()
    await store?.close()
    expect(await seqs()).toEqual(counted(1, 40))
  })

  test('refuses to append after it was closed', async () => {
    const store = EventStore.create(folder, options())
    store.append('output', Buffer.from(textOf(1)))
    const closing = store.close()
    const append = () => store.append('output', Buffer.from('late'))
    expect(append).toThrow(expect.objectContaining({ code: 'session_ended' }))
    await closing
    const other = path.join(folder, 'other') // gets the descriptor that the store had
    const fd = fs.openSync(other, 'w')
    expect(append).toThrow(expect.objectContaining({ code: 'session_ended' }))
    fs.closeSync(fd)
    expect(fs.readFileSync(other).length).toBe(0)
    expect(await seqs()).toEqual([1])
  })
})

describe('the index of a segment', () => {
  const extentOf = async () => {
    const { chain, tail } = await stored().extent()
    return { tail, lastSeq: chain.lastSeq, cursor: chain.cursor, endOffset: chain.endOffset }
  }

  test('is saved when the segment is sealed, and can be missing, damaged or stale', async () => {
    await writeTexts(30)
    const saved = files(/\.idx$/)
    expect(saved).toHaveLength(segmentNames().length - 1)
    const expected = await extentOf()
    expect(expected).toMatchObject({ tail: 'none', lastSeq: 30 })
    for (const name of saved) {
      const file = path.join(folder, name)
      const whole = fs.readFileSync(file)
      for (const content of [null, whole.subarray(0, 30), Buffer.concat([whole, whole]), flipped(whole)]) {
        if (content === null) fs.rmSync(file)
        else fs.writeFileSync(file, content)
        expect(await extentOf()).toEqual(expected)
        expect(await seqs({ from: 17 })).toEqual(counted(17, 30))
      }
      fs.writeFileSync(file, whole)
    }
    const [one = '', two = ''] = saved.map((name) => path.join(folder, name))
    fs.copyFileSync(one, two) // of a segment of another size
    expect(await extentOf()).toEqual(expected)
  })
})

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  copy[20] = (copy[20] ?? 0) ^ 1
  return copy
}

describe('a store whose writer died', () => {
  test('loses only what was cut, at any byte of its last segment', async () => {
    await writeTexts(12)
    const names = segmentNames()
    const contents = names.map((name) => fs.readFileSync(path.join(folder, name)))
    const last = names.length - 1
    for (let cut = 0; cut < (contents[last]?.length ?? 0); cut++) {
      names.forEach((name, index) => fs.writeFileSync(path.join(folder, name), contents[index] ?? ''))
      fs.truncateSync(path.join(folder, names[last] ?? ''), cut)
      const whole = await seqs()
      expect(whole).toEqual(counted(1, whole.length))
      const store = await EventStore.reopen(folder, options())
      expect(store?.seq).toBe(whole.length)
      if (store !== null) appendTexts(store, 3)
      await store?.close()
      expect(await seqs()).toEqual(counted(1, whole.length + 3))
      expect((await verifyLog(stored())).report).toMatchObject({ tail: 'none', missing: 0 })
    }
  })

  test('between two steps of a roll has an empty segment, which goes', async () => {
    await writeTexts(6)
    const next = path.join(folder, `events-${'7'.padStart(16, '0')}.log`)
    const torn = encodeRecordHeader({ seq: 7, time: 1, typeNumber: OUTPUT, payload: Buffer.alloc(9) })
    const leftovers = [
      Buffer.alloc(0),
      encodeFileHeader().subarray(0, 7),
      encodeFileHeader(),
      Buffer.alloc(64), // after a power cut
      Buffer.concat([encodeFileHeader(), torn.subarray(0, 20)]),
      Buffer.concat([encodeFileHeader(), torn]),
    ]
    for (const leftover of leftovers) {
      fs.writeFileSync(next, leftover)
      fs.writeFileSync(path.join(folder, 'events.idx.0123456789ab.tmp'), 'half')
      expect(await seqs()).toEqual(counted(1, 6))
      expect(await stored().extent()).toMatchObject({ empty: [{ firstSeq: 7 }] })
      const store = await EventStore.reopen(folder, options())
      expect(fs.existsSync(next)).toBe(false)
      expect(files(/\.tmp$/)).toEqual([])
      await store?.close()
    }
  })

  test('is damaged, and refused, where a segment before the last one is cut', async () => {
    await writeTexts(20)
    const [, second = ''] = segmentNames()
    const file = path.join(folder, second)
    fs.truncateSync(file, fs.statSync(file).size - 1)
    fs.rmSync(file.replace(/log$/, 'idx'))
    expect(await stored().extent()).toMatchObject({ tail: 'damaged' })
    await expect(EventStore.reopen(folder, options())).rejects.toMatchObject({ code: 'log_corrupt' })
    await expect(seqs({ damage: 'refuse' })).rejects.toMatchObject({ code: 'log_corrupt' })
    expect((await seqs()).length).toBeLessThan(20)
    const { report } = await verifyLog(stored())
    expect(report).toMatchObject({ tail: 'damaged', path: file, records: 19, missing: 1 })
  })
})

describe('verify and repair', () => {
  test('find the damaged segment, and keep a copy of it beside what can be read', async () => {
    await writeTexts(30)
    await stored().writeCheckpoint('screen', 25, Buffer.from('state'))
    const names = segmentNames()
    const damaged = [names[0], names[3]].map((name) => path.join(folder, name ?? ''))
    for (const file of damaged) {
      const bytes = fs.readFileSync(file)
      bytes[FILE_HEADER_BYTES + RECORD_HEADER_BYTES] = 0
      fs.writeFileSync(file, bytes)
    }
    const { report } = await verifyLog(stored())
    expect(report).toMatchObject({
      path: damaged[0],
      offset: FILE_HEADER_BYTES,
      segments: names.length,
      records: 28,
      missing: 2,
      tail: 'damaged',
    })
    const repaired = await repairLog(stored(), { dryRun: false, now: 0 })
    expect(repaired).toMatchObject({
      tail: 'damaged',
      records: 28,
      damaged_copies: [/./, /./].map(() => expect.any(String)),
    })
    expect(repaired.damaged_copy).toBe(`${damaged[0]}.damaged-1970-01-01T000000.000Z`)
    expect((await verifyLog(stored())).report).toMatchObject({ tail: 'none', records: 28, missing: 2 })
    expect(await stored().readCheckpoint('screen', 30)).toBeNull()
    const store = await EventStore.reopen(folder, options())
    if (store !== null) appendTexts(store, 5)
    await store?.close()
    expect((await seqs()).at(-1)).toBe(35)
  })

  test('look no further than a live session has got', async () => {
    const store = EventStore.create(folder, options())
    appendTexts(store, 10)
    const { endOffset } = store
    appendTexts(store, 10)
    fs.appendFileSync(path.join(folder, segmentNames().at(-1) ?? ''), 'half a record')
    const { report } = await verifyLog(stored(), { endOffset })
    expect(report).toMatchObject({ tail: 'none', records: 10 })
    await store.close()
  })
})

test('a log of the former format, one file, is opened, appended to and read back', async () => {
  const records = counted(1, 5).flatMap((seq) => {
    const payload = Buffer.from(textOf(seq))
    return [encodeRecordHeader({ seq, time: seq, typeNumber: OUTPUT, payload }), payload]
  })
  fs.writeFileSync(path.join(folder, 'events.log'), Buffer.concat([encodeFileHeader(), ...records]))
  const before = fs.readFileSync(path.join(folder, 'events.log'))
  expect(await seqs()).toEqual(counted(1, 5))
  const store = await EventStore.reopen(folder, options({ segmentBytesMax: before.length }))
  if (store !== null) appendTexts(store, 5)
  await store?.close()
  expect(await seqs()).toEqual(counted(1, 10))
  expect(fs.readFileSync(path.join(folder, 'events.log'))).toEqual(before)
})
