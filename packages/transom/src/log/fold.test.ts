import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EventStore } from './event-store.ts'
import type { FoldTarget } from './fold.ts'
import type { LogRecord } from './record.ts'
import { StoredEvents } from './stored-events.ts'

let folder: string

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-fold-'))
})

afterEach(() => fs.rmSync(folder, { recursive: true }))

const stored = () => StoredEvents.at(folder)

async function write(count: number, payload = Buffer.from('x')): Promise<void> {
  const store = EventStore.create(folder, { now: () => 0, segmentBytesMax: 16 + 20 * (28 + payload.length) })
  for (let index = 0; index < count; index++) store.append('output', payload)
  await store.close()
}

/** Counts records, and lists those that it was shown. */
class Counter implements FoldTarget {
  readonly checkpoints = 'count'
  readonly shown: number[] = []
  seq = 0
  count = 0

  apply({ seq }: LogRecord): void {
    this.shown.push(seq)
    this.seq = seq
    this.count++
  }

  checkpoint(): Uint8Array {
    return Buffer.from(JSON.stringify({ seq: this.seq, count: this.count }))
  }

  restore(first: LogRecord, checkpoint: Uint8Array): boolean {
    expect(first.seq).toBe(1)
    const { seq, count } = JSON.parse(Buffer.from(checkpoint).toString()) as { seq: number; count: number }
    if (count === 0) return false
    this.seq = seq
    this.count = count
    return true
  }
}

const state = (seq: number, count = seq) => Buffer.from(JSON.stringify({ seq, count }))

test('a fold shows each target every record once, in order', async () => {
  await write(100)
  const [one, two] = [new Counter(), new Counter()]
  expect(await stored().fold([one, two], { to: 90 })).toEqual({ lastSeq: 90, records: 90 })
  expect(one.shown).toEqual(Array.from({ length: 90 }, (_, index) => index + 1))
  expect(two.shown).toEqual(one.shown)
  await stored().fold([two])
  expect(two.count).toBe(100) // goes on where it was
})

test('a fold begins at the nearest checkpoint that can be used, before what must be shown', async () => {
  await write(100)
  const events = stored()
  for (const seq of [20, 50, 80]) await events.writeCheckpoint('count', seq, state(seq))
  await events.writeCheckpoint('count', 90, state(90, 0)) // refused by the projection
  const shownIn = async (range: { from?: number; to?: number }) => {
    const counter = new Counter()
    await stored().fold([counter], range)
    expect(counter.count).toBe(range.to ?? 100)
    return counter.shown[0]
  }
  expect(await shownIn({})).toBe(81)
  expect(await shownIn({ to: 79 })).toBe(51)
  expect(await shownIn({ to: 80 })).toBeUndefined()
  expect(await shownIn({ from: 50, to: 100 })).toBe(21)
  expect(await shownIn({ from: 51 })).toBe(51)
  expect(await shownIn({ from: 1 })).toBe(1)
  const plain: number[] = []
  const counter = new Counter()
  await stored().fold([counter, { apply: ({ seq }) => void plain.push(seq) }])
  expect([plain.length, counter.shown[0], counter.count]).toEqual([100, 81, 100])
})

test('a checkpoint that is damaged, of another version or of another log is left aside', async () => {
  await write(100)
  await stored().writeCheckpoint('count', 20, state(20))
  await stored().writeCheckpoint('count', 50, state(50))
  const [, name = ''] = fs.readdirSync(folder).filter((it) => it.includes('checkpoint'))
  const file = path.join(folder, name)
  const whole = fs.readFileSync(file)
  for (let at = 0; at < whole.length; at++) {
    const bytes = Buffer.from(whole)
    bytes[at] = (bytes[at] ?? 0) ^ 0x10
    fs.writeFileSync(file, bytes)
    expect(await stored().readCheckpoint('count', 100)).toMatchObject({ seq: 20 })
  }
  fs.writeFileSync(file, whole)
  expect(await stored().readCheckpoint('count', 100)).toMatchObject({ seq: 50 })
  const segment = fs.readdirSync(folder).findLast((it) => /-0+41\.log$/.test(it)) ?? ''
  const bytes = fs.readFileSync(path.join(folder, segment))
  bytes[16 + 9 * 29] = 0 // the checksum of record 50
  fs.writeFileSync(path.join(folder, segment), bytes)
  expect(await stored().readCheckpoint('count', 100)).toMatchObject({ seq: 20 })
  expect(await stored().readCheckpoint('other', 100)).toBeNull()
})

test('a long fold leaves checkpoints, where there are none yet, and gives others their turn', async () => {
  await write(100, Buffer.alloc(1 << 20))
  await stored().writeCheckpoint('count', 30, Buffer.from('{"count": 0}')) // of another version
  let turns = 0
  const tick = () => {
    turns++
    timer = setImmediate(tick)
  }
  let timer = setImmediate(tick)
  await stored().fold([new Counter()])
  clearImmediate(timer)
  expect(turns).toBeGreaterThan(80)
  const kept = await stored().checkpointSeqs('count')
  expect(kept).toEqual(Array.from({ length: 50 }, (_, index) => 2 * (index + 1)))
  const again = new Counter()
  await stored().fold([again])
  expect([again.count, again.shown.length]).toEqual([100, 0])
  await stored().fold([new Counter()], { from: 1 })
  expect(await stored().checkpointSeqs('count')).toEqual(kept)
})

test('others get their turn during records that take long, however small they are', async () => {
  await write(20)
  let now = 0
  using _clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  let turns = 0
  const shown: number[] = []
  const apply = () => {
    setImmediate(() => turns++)
    shown.push(turns)
    now += 10
  }
  await stored().fold([{ apply }])
  expect(shown).toEqual(Array.from({ length: 20 }, (_, index) => index))
})

test('a fold ends when its caller gives up', async () => {
  await write(100, Buffer.alloc(64 << 10))
  const stop = new AbortController()
  const counter = new Counter()
  const apply = () => {
    if (counter.count === 10) stop.abort(new Error('enough'))
  }
  await expect(stored().fold([counter, { apply }], { signal: stop.signal })).rejects.toThrow('enough')
  expect(counter.count).toBeLessThan(100)
})
