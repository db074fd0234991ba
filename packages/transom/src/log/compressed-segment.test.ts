/** What holds for plain segments holds for compressed ones. */
import { randomBytes } from 'node:crypto'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EVENT_TYPE_NUMBERS } from '@transom/protocol'
import { compressLog } from './compress-log.ts'
import { compressSegment, openSegmentData, openSegmentDataSync } from './compressed-segment.ts'
import { EventStore, type EventStoreOptions } from './event-store.ts'
import { OutputReader } from './output-reader.ts'
import {
  COMPRESSED_FORMAT_VERSION,
  FILE_HEADER_BYTES,
  decodeFileHeader,
  encodeFileHeader,
  encodeRecordHeader,
} from './record.ts'
import { repairLog } from './repair-log.ts'
import { StoredEvents } from './stored-events.ts'
import { verifyLog } from './verify-log.ts'

const BLOCK_BYTES = 128 << 10
const { signal: SIGNAL } = new AbortController()
const OUTPUT = EVENT_TYPE_NUMBERS.output

let folder: string

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-compressed-'))
})

afterEach(() => fs.rmSync(folder, { recursive: true }))

const options = (change: Partial<EventStoreOptions> = {}): EventStoreOptions => {
  let time = 1000
  return { now: () => time++, segmentBytesMax: 4000, compressedBytesMin: 0, ...change }
}
const stored = () => StoredEvents.at(folder)
const textOf = (seq: number) => `record ${seq} ${'x'.repeat(300 + (seq % 60))}\r\n`
const counted = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)

function appendTexts(store: EventStore, count: number): void {
  for (let index = 0; index < count; index++) store.append('output', Buffer.from(textOf(store.seq + 1)))
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

const segments = () =>
  fs
    .readdirSync(folder)
    .filter((name) => name.endsWith('.log'))
    .toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))
    .map((name) => path.join(folder, name))
const versionOf = (file: string) => decodeFileHeader(fs.readFileSync(file).subarray(0, FILE_HEADER_BYTES))
const compressed = () => segments().filter((file) => versionOf(file) === COMPRESSED_FORMAT_VERSION)

async function writeTexts(count: number, change: Partial<EventStoreOptions> = {}): Promise<EventStore> {
  const store = EventStore.create(folder, options(change))
  appendTexts(store, count)
  await store.close()
  await compressLog(stored(), { signal: SIGNAL, bytesMin: change.compressedBytesMin ?? 0 })
  return store
}

/** A segment of several blocks, as it was before it was compressed. */
async function writeLargeSegment(recordCount: number): Promise<Buffer> {
  const records = counted(1, recordCount).flatMap((seq) => {
    const payload = Buffer.from(textOf(seq).repeat(20))
    return [encodeRecordHeader({ seq, time: seq, typeNumber: OUTPUT, payload }), payload]
  })
  const plain = Buffer.concat([encodeFileHeader(), ...records])
  fs.writeFileSync(path.join(folder, 'events.log'), plain)
  const saved = await compressSegment(path.join(folder, 'events.log'), SIGNAL)
  expect(fs.statSync(path.join(folder, 'events.log')).size).toBe(plain.length - saved)
  return plain
}

describe('a compressed segment', () => {
  test('reads as the plain one, at any place', async () => {
    const plain = await writeLargeSegment(120)
    expect(plain.length).toBeGreaterThan(2 * BLOCK_BYTES)
    const file = path.join(folder, 'events.log')
    const data = await openSegmentData(file)
    const sync = openSegmentDataSync(file)
    expect((await data.stat()).size).toBe(plain.length)
    await fc.assert(
      fc.asyncProperty(fc.nat(plain.length + 10), fc.nat(BLOCK_BYTES * 2), async (position, length) => {
        const [one, two] = [Buffer.alloc(length + 1), Buffer.alloc(length + 1)]
        const expected = plain.subarray(position, position + length)
        expect((await data.read(one, 1, length, position)).bytesRead).toBe(expected.length)
        expect(sync.read(two, 1, length, position)).toBe(expected.length)
        expect(one.subarray(1, 1 + expected.length).equals(expected)).toBe(true)
        expect(two.equals(one)).toBe(true)
      }),
      { numRuns: 60 },
    )
    await data.close()
    sync.close()
  })

  test('is left plain where compression saves nothing', async () => {
    const file = path.join(folder, 'events.log')
    fs.writeFileSync(file, Buffer.concat([encodeFileHeader(), randomBytes(5000)]))
    expect(await compressSegment(file, SIGNAL)).toBe(0)
    expect(versionOf(file)).toBe(1)
    expect(fs.readdirSync(folder)).toEqual(['events.log'])
  })

  test('survives damage to one of its two tables, and is refused when both are damaged', async () => {
    const plain = await writeLargeSegment(60)
    const file = path.join(folder, 'events.log')
    const whole = fs.readFileSync(file)
    const flip = (...places: number[]) => {
      const bytes = Buffer.from(whole)
      for (const at of places) bytes[at] = (bytes[at] ?? 0) ^ 0x41
      fs.writeFileSync(file, bytes)
    }
    for (const at of [FILE_HEADER_BYTES, FILE_HEADER_BYTES + 8, FILE_HEADER_BYTES + 11, whole.length - 5]) {
      flip(at)
      const data = await openSegmentData(file)
      const read = Buffer.alloc(plain.length)
      await data.read(read, 0, plain.length, 0)
      await data.close()
      expect(read.equals(plain)).toBe(true)
    }
    flip(FILE_HEADER_BYTES + 9, whole.length - 6)
    await expect(openSegmentData(file)).rejects.toMatchObject({ code: 'log_corrupt' })
  })
})

describe('a store', () => {
  test('compresses what is sealed, and the first segment when nothing holds the lock', async () => {
    let onShrunk = () => {}
    const store = EventStore.create(folder, options({ onShrunk: () => onShrunk() }))
    const shrunk = new Promise<void>((resolve) => {
      onShrunk = () => {
        if (compressed().length === segments().length - 2) resolve()
      }
    })
    appendTexts(store, 40)
    await store.writeCheckpoint('screen', 40, Buffer.from('state'))
    await shrunk
    expect(await compressLog(stored(), { signal: SIGNAL, bytesMin: 0 })).toBe(0) // the lock is held
    expect(compressed()).toEqual(segments().slice(1, -1))
    expect(store.sizeBytes).toBe(await stored().sizeBytes())
    await store.close()
    const saved = await compressLog(stored(), { signal: SIGNAL, bytesMin: 0 })
    expect(compressed()).toEqual(segments())
    expect(store.sizeBytes - saved).toBe(await stored().sizeBytes())
    expect(await stored().sizeBytes()).toBeLessThan(store.endOffset / 2)
    expect(await seqs()).toEqual(counted(1, 40))
    for (const from of [1, 7, 23, 40]) expect(await seqs({ from })).toEqual(counted(from, 40))
    expect((await verifyLog(stored())).report).toMatchObject({ tail: 'none', records: 40, missing: 0 })
    expect(await stored().lastSeqAt(1000 + 30.5)).toBe(31)
    expect((await stored().readCheckpoint('screen', 40))?.seq).toBe(40)
  })

  test('is read by cursor, whatever is compressed', async () => {
    await writeTexts(40)
    const { chain } = await stored().extent()
    const expected = Buffer.from(counted(1, 40).map(textOf).join(''))
    for (const cursor of [0, 1, 5000, expected.length - 1]) {
      const from = chain.before(cursor)
      const reader = new OutputReader(chain, { from, verify: true })
      const pieces: Buffer[] = []
      for (let piece = reader.next(chain.endOffset); piece !== null; piece = reader.next(chain.endOffset))
        pieces.push(Buffer.from(piece.bytes))
      reader.close()
      expect(Buffer.concat(pieces).equals(expected.subarray(from.cursor))).toBe(true)
    }
  })

  test('goes on in a new segment after its last one was compressed', async () => {
    for (const count of [1, 30]) {
      fs.rmSync(folder, { recursive: true })
      fs.mkdirSync(folder)
      await writeTexts(count)
      const before = segments().map((file) => fs.readFileSync(file))
      const store = await EventStore.reopen(folder, options())
      expect(store?.seq).toBe(count)
      expect(await EventStore.reopen(folder, options())).toBeNull()
      if (store !== null) appendTexts(store, 3)
      await store?.close()
      expect(
        segments()
          .slice(0, before.length)
          .map((file) => fs.readFileSync(file)),
      ).toEqual(before)
      expect(store?.sizeBytes).toBe(await stored().sizeBytes())
      expect(await seqs()).toEqual(counted(1, count + 3))
    }
  })

  test('is followed while its segments are compressed', async () => {
    const store = EventStore.create(folder, options())
    appendTexts(store, 2)
    const stop = new AbortController()
    const seen: number[] = []
    for await (const records of stored().follow({ from: 1, signal: stop.signal })) {
      seen.push(...records.map(({ seq }) => seq))
      if (seen.length === 200) break
      if (store.seq < 200) appendTexts(store, 2)
    }
    stop.abort()
    await store.close()
    expect(seen).toEqual(counted(1, 200))
  })

  test('small segments stay plain', async () => {
    await writeTexts(20, { compressedBytesMin: 1 << 20 })
    expect(compressed()).toEqual([])
  })
})

describe('damage to a compressed segment', () => {
  test('costs the records of one block, which verify finds and repair leaves out', async () => {
    const plain = await writeLargeSegment(120)
    const file = path.join(folder, 'events.log')
    const whole = fs.readFileSync(file)
    for (const part of [0.3, 0.5, 0.8]) {
      const bytes = Buffer.from(whole)
      bytes.fill(0x55, Math.floor(whole.length * part), Math.floor(whole.length * part) + 40)
      fs.writeFileSync(file, bytes)
      const { report } = await verifyLog(stored())
      expect(report).toMatchObject({ tail: 'damaged', bytes: plain.length })
      expect(report.missing).toBeGreaterThan(0)
      expect(report.missing).toBeLessThan(2 + BLOCK_BYTES / (300 * 20))
      const repaired = await repairLog(stored(), { dryRun: false, now: 0 })
      expect(repaired).toMatchObject({ tail: 'damaged', records: report.records })
      expect(fs.readFileSync(repaired.damaged_copy ?? '').equals(bytes)).toBe(true)
      expect((await verifyLog(stored())).report).toMatchObject({ tail: 'none', records: report.records })
      fs.rmSync(repaired.damaged_copy ?? '')
    }
  })

  test('is never taken for the end of the log, also at its end', async () => {
    await writeTexts(20)
    const last = segments().at(-1) ?? ''
    const bytes = fs.readFileSync(last)
    bytes.fill(0, Math.floor(bytes.length / 2) - 6, Math.floor(bytes.length / 2) + 6)
    fs.writeFileSync(last, bytes)
    fs.rmSync(last.replace(/log$/, 'idx'), { force: true })
    expect(await stored().extent()).toMatchObject({ tail: 'damaged' })
    await expect(EventStore.reopen(folder, options())).rejects.toMatchObject({ code: 'log_corrupt' })
    await expect(seqs({ damage: 'refuse' })).rejects.toMatchObject({ code: 'log_corrupt' })
  })

  test('a file that was cut loses its last blocks', async () => {
    await writeLargeSegment(120)
    const file = path.join(folder, 'events.log')
    fs.truncateSync(file, Math.floor(fs.statSync(file).size / 2))
    const { report } = await verifyLog(stored())
    expect(report.tail).toBe('damaged')
    expect(report.records).toBeGreaterThan(10)
  })
})
