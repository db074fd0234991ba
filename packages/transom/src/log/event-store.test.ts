import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EVENT_TYPE_NUMBERS } from '@transom/protocol'
import { EventStore } from './event-store.ts'
import { FILE_HEADER_BYTES, type LogRecord } from './record.ts'
import { StoredEvents } from './stored-events.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-log-'))
  file = path.join(folder, 'events.log')
})

afterEach(() => fs.rmSync(folder, { recursive: true }))

const clock = () => {
  let time = 1_000
  return () => (time += 0.5)
}

async function readAll(): Promise<LogRecord[]> {
  const all: LogRecord[] = []
  for await (const records of StoredEvents.at(folder).read()) all.push(...records)
  return all
}

async function extent() {
  const { chain, tail } = await StoredEvents.at(folder).extent()
  return { lastSeq: chain.lastSeq, tail }
}

describe('the Event Log', () => {
  test('gives back every record as it was appended, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 5000 }), { maxLength: 40 }), async (payloads) => {
        fs.rmSync(folder, { recursive: true })
        fs.mkdirSync(folder)
        const log = EventStore.create(folder, { now: clock() })
        const seqs = payloads.map((payload) => log.append('output', payload))
        await log.close()
        const records = await readAll()
        expect(seqs).toEqual(payloads.map((_, index) => index + 1))
        expect(records.map(({ seq }) => seq)).toEqual(seqs)
        expect(records.map(({ payload }) => [...payload])).toEqual(payloads.map((payload) => [...payload]))
        expect(records.every(({ typeNumber }) => typeNumber === EVENT_TYPE_NUMBERS.output)).toBe(true)
        expect(log.sizeBytes).toBe(fs.statSync(file).size)
      }),
      { numRuns: 30 },
    )
  })

  test('cut at any byte of its last two records loses only those, and goes on after them', async () => {
    const log = EventStore.create(folder, { now: clock() })
    for (const text of ['first', 'second', 'third']) log.append('output', Buffer.from(text))
    const ends: number[] = [log.sizeBytes]
    for (const text of ['fourth, which is longer', 'fifth']) {
      log.append('output', Buffer.from(text))
      ends.push(log.sizeBytes)
    }
    await log.close()
    const whole = fs.readFileSync(file)
    const [third = 0, fourth = 0, fifth = 0] = ends
    for (let cut = third; cut < fifth; cut++) {
      fs.writeFileSync(file, whole.subarray(0, cut))
      const kept = cut < fourth ? 3 : 4
      const reopened = await EventStore.reopen(folder, { now: clock() })
      expect(reopened?.seq).toBe(kept)
      expect(fs.statSync(file).size).toBe(kept === 3 ? third : fourth)
      expect(reopened?.append('output', Buffer.from('next'))).toBe(kept + 1)
      await reopened?.close()
      const texts = (await readAll()).map(({ payload }) => Buffer.from(payload).toString())
      expect(texts).toEqual([
        ...['first', 'second', 'third', 'fourth, which is longer'].slice(0, kept),
        'next',
      ])
    }
  })

  test('sees any single changed bit', async () => {
    const log = EventStore.create(folder, { now: clock() })
    log.append('output', Buffer.from('payload'))
    await log.close()
    const whole = fs.readFileSync(file)
    for (let bit = FILE_HEADER_BYTES * 8; bit < whole.length * 8; bit++) {
      const damaged = Buffer.from(whole)
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      fs.writeFileSync(file, damaged)
      expect(await extent()).toMatchObject({ lastSeq: 0 })
    }
  })

  test('is never cut where good records follow the damage', async () => {
    const log = EventStore.create(folder, { now: clock() })
    for (let index = 0; index < 5; index++) log.append('output', Buffer.from(`record ${index}`))
    await log.close()
    const bytes = fs.readFileSync(file)
    const at = bytes.indexOf('record 1')
    bytes[at] = 0
    fs.writeFileSync(file, bytes)
    await expect(EventStore.reopen(folder, { now: clock() })).rejects.toMatchObject({ code: 'log_corrupt' })
    expect(fs.readFileSync(file).equals(bytes)).toBe(true)
    expect(await extent()).toMatchObject({ lastSeq: 1, tail: 'damaged' })
  })

  test('a tail of zeros, as a power cut leaves it, is cut', async () => {
    const log = EventStore.create(folder, { now: clock() })
    log.append('output', Buffer.from('kept'))
    await log.close()
    fs.appendFileSync(file, Buffer.alloc(10_000))
    const reopened = await EventStore.reopen(folder, { now: clock() })
    expect(reopened?.seq).toBe(1)
    expect(fs.statSync(file).size).toBe(reopened?.sizeBytes)
    await reopened?.close()
  })

  test('goes on in order when the clock was set back between two writers', async () => {
    const log = EventStore.create(folder, { now: () => 5000 })
    log.append('output', Buffer.from('late'))
    await log.close()
    const reopened = await EventStore.reopen(folder, { now: () => 1000 })
    expect(reopened?.append('output', Buffer.from('early'))).toBe(2)
    await reopened?.close()
    expect((await readAll()).map(({ seq, time }) => [seq, time])).toEqual([
      [1, 5000],
      [2, 1000],
    ])
    expect(await extent()).toMatchObject({ lastSeq: 2, tail: 'none' })
  })

  test('is left alone while another holds its lock', async () => {
    const log = EventStore.create(folder, { now: clock() })
    log.append('output', Buffer.from('x'))
    fs.appendFileSync(file, 'torn')
    const size = fs.statSync(file).size
    expect(await EventStore.reopen(folder, { now: clock() })).toBeNull()
    expect(fs.statSync(file).size).toBe(size)
    await log.close()
  })

  test('a file of another kind or version is refused by name', async () => {
    fs.writeFileSync(file, 'something else entirely')
    await expect(extent()).rejects.toMatchObject({
      code: 'log_corrupt',
      message: expect.stringContaining(file),
    })
  })

  test('a follower gets what is there, then each append, once and in order', async () => {
    const log = EventStore.create(folder, { now: clock() })
    const stop = new AbortController()
    for (let index = 0; index < 10; index++) log.append('output', Buffer.from(`${index}`))
    const seen: number[] = []
    const following = (async () => {
      for await (const records of StoredEvents.at(folder).follow({ from: 4, signal: stop.signal })) {
        seen.push(...records.map(({ seq }) => seq))
        if (seen.at(-1) === 10)
          for (let index = 0; index < 5; index++) log.append('output', Buffer.from('more'))
        if (seen.at(-1) === 15) stop.abort()
      }
    })()
    await following.catch(() => {})
    expect(seen).toEqual([4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])
    await log.close()
  })
})
