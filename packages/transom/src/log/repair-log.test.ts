import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EventStore } from './event-store.ts'
import {
  FILE_HEADER_BYTES,
  RECORD_HEADER_BYTES,
  encodeFileHeader,
  encodeRecordHeader,
  type LogRecord,
} from './record.ts'
import { repairLog } from './repair-log.ts'
import { StoredEvents } from './stored-events.ts'
import { verifyLog } from './verify-log.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-repair-'))
  file = path.join(folder, 'events.log')
})

afterEach(() => fs.rmSync(folder, { recursive: true }))

const NOW = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
const OUTPUT = 2
const FROM_THE_FUTURE = 999

/** Writes a log with these payloads and returns where each record begins, and the file's size. */
function writeLog(payloads: readonly Uint8Array[], typeNumber = OUTPUT): number[] {
  const offsets: number[] = []
  const parts: Buffer[] = [encodeFileHeader()]
  let at = FILE_HEADER_BYTES
  for (const [index, payload] of payloads.entries()) {
    offsets.push(at)
    const header = encodeRecordHeader({ seq: index + 1, time: 1000 + index, typeNumber, payload })
    parts.push(header, Buffer.from(payload))
    at += header.length + payload.length
  }
  fs.writeFileSync(file, Buffer.concat(parts))
  return [...offsets, at]
}

function damage(offset: number, bytes: Uint8Array): void {
  const fd = fs.openSync(file, 'r+')
  fs.writeSync(fd, bytes, 0, bytes.length, offset)
  fs.closeSync(fd)
}

async function records(): Promise<LogRecord[]> {
  const all: LogRecord[] = []
  for await (const batch of StoredEvents.at(folder).read()) all.push(...batch)
  return all
}

async function extent() {
  const { chain, tail } = await StoredEvents.at(folder).extent()
  return { lastSeq: chain.lastSeq, tail }
}

const texts = (count: number) =>
  Array.from({ length: count }, (_, index) => Buffer.from(`record ${index + 1}`))
const repair = (dryRun = false) => repairLog(StoredEvents.at(folder), { dryRun, now: NOW })

describe('verifying a log', () => {
  test('counts its records by type, unknown ones too', async () => {
    writeLog(texts(3), FROM_THE_FUTURE)
    const { report } = await verifyLog(StoredEvents.at(folder))
    expect(report).toEqual({
      path: file,
      segments: 1,
      stored_bytes: fs.statSync(file).size,
      bytes: fs.statSync(file).size,
      records: 3,
      types: { unknown_999: 3 },
      first: { seq: 1, time: 1000 },
      last: { seq: 3, time: 1002 },
      missing: 0,
      tail: 'none',
      offset: null,
      unreadable_bytes: 0,
    })
  })

  test('finds every record but the damaged one, whichever byte of it has changed', async () => {
    const offsets = writeLog(texts(5))
    const whole = fs.readFileSync(file)
    const [, second = 0, third = 0] = offsets
    for (let at = second; at < third; at++) {
      for (const value of [0x00, 0x5a, 0xff]) {
        if (whole[at] === value) continue
        fs.writeFileSync(file, whole)
        damage(at, Buffer.from([value]))
        const { report } = await verifyLog(StoredEvents.at(folder))
        expect(report).toMatchObject({ records: 4, missing: 1, tail: 'damaged', offset: second })
        expect(report.unreadable_bytes).toBe(third - second)
      }
    }
  })

  test('takes no record in a damaged payload for one of the log', async () => {
    const payload = Buffer.from('printed by a program that shows another log')
    const decoy = encodeRecordHeader({ seq: 3, time: 1, typeNumber: OUTPUT, payload })
    const offsets = writeLog([...texts(1), Buffer.concat([Buffer.alloc(40), decoy, payload]), ...texts(1)])
    damage((offsets[1] ?? 0) + 30, Buffer.from('!'))
    expect((await verifyLog(StoredEvents.at(folder))).report).toMatchObject({
      records: 2,
      last: { seq: 3, time: 1002 },
    })
  })

  test('reads no further than the given end: a live session writes on', async () => {
    const offsets = writeLog(texts(3))
    const next = encodeRecordHeader({ seq: 4, time: 1003, typeNumber: OUTPUT, payload: Buffer.alloc(9) })
    fs.appendFileSync(file, next.subarray(0, 20))
    expect((await verifyLog(StoredEvents.at(folder), { endOffset: offsets[3] })).report).toMatchObject({
      tail: 'none',
      records: 3,
    })
    expect((await verifyLog(StoredEvents.at(folder))).report).toMatchObject({
      tail: 'torn',
      offset: offsets[3],
    })
  })
})

describe('repairing a log', () => {
  test('cuts a torn tail, and nothing else', async () => {
    const offsets = writeLog(texts(3))
    fs.truncateSync(file, (offsets[3] ?? 0) - 2)
    const before = fs.readFileSync(file)
    expect(await repair(true)).toMatchObject({ tail: 'torn', records: 2 })
    expect(fs.readFileSync(file)).toEqual(before)
    expect(await repair()).toMatchObject({ tail: 'torn', records: 2, damaged_copy: null })
    expect(fs.readFileSync(file)).toEqual(before.subarray(0, offsets[2]))
    expect(fs.readdirSync(folder)).toEqual(['events.log'])
    expect(await repair()).toMatchObject({ tail: 'none', removed_bytes: 0 })
  })

  test('keeps a damaged log beside the readable records, which stay as they are', async () => {
    const offsets = writeLog(texts(5), FROM_THE_FUTURE)
    damage((offsets[2] ?? 0) + 9, Buffer.from([7]))
    const before = fs.readFileSync(file)
    const copy = `${file}.damaged-2026-01-02T030405.678Z`
    expect(await repair(true)).toMatchObject({ tail: 'damaged', records: 4, damaged_copy: copy })
    expect(fs.readdirSync(folder)).toEqual(['events.log'])
    expect(await repair()).toMatchObject({ tail: 'damaged', records: 4, damaged_copy: copy })
    expect(fs.readFileSync(copy)).toEqual(before)
    expect((await records()).map(({ seq, typeNumber }) => [seq, typeNumber])).toEqual(
      [1, 2, 4, 5].map((seq) => [seq, FROM_THE_FUTURE]),
    )
    expect(fs.statSync(file).mode & 0o777).toBe(0o600)
    expect(await extent()).toEqual({ tail: 'none', lastSeq: 5 })
    expect(fs.readdirSync(folder)).toHaveLength(2)
  })

  test('loses only records that were hit, wherever the damage is', async () => {
    const payloads = fc.array(fc.uint8Array({ maxLength: 400 }), { minLength: 2, maxLength: 20 })
    const hits = fc.array(
      fc.record({ at: fc.nat(), bytes: fc.uint8Array({ minLength: 1, maxLength: 60 }) }),
      {
        maxLength: 3,
      },
    )
    await fc.assert(
      fc.asyncProperty(payloads, hits, async (contents, damages) => {
        fs.rmSync(folder, { recursive: true })
        fs.mkdirSync(folder)
        const offsets = writeLog(contents)
        const size = offsets.at(-1) ?? 0
        const whole = fs.readFileSync(file)
        for (const { at, bytes } of damages) {
          const start = FILE_HEADER_BYTES + (at % (size - FILE_HEADER_BYTES))
          damage(start, bytes.subarray(0, size - start))
        }
        const now = fs.readFileSync(file)
        const intact = contents.flatMap((_, index) => {
          const [start = 0, end = 0] = [offsets[index], offsets[index + 1]]
          return whole.subarray(start, end).equals(now.subarray(start, end)) ? [index + 1] : []
        })
        await repair()
        expect((await records()).map(({ seq }) => seq)).toEqual(intact)
        expect((await verifyLog(StoredEvents.at(folder))).report.tail).toBe('none')
      }),
      { numRuns: 150 },
    )
  })

  test('a damaged length that leads to a record further on loses none between', async () => {
    const offsets = writeLog(texts(9))
    const [first = 0, seventh = 0] = [offsets[0], offsets[6]]
    const length = Buffer.alloc(4)
    length.writeUInt32LE(seventh - first - RECORD_HEADER_BYTES)
    damage(first + 4, length)
    await repair()
    expect((await records()).map(({ seq }) => seq)).toEqual([2, 3, 4, 5, 6, 7, 8, 9])
  })

  test('leaves a log alone while another process writes it', async () => {
    const log = EventStore.create(folder, { now: () => 0 })
    log.append('output', Buffer.from('x'))
    await expect(repair()).rejects.toMatchObject({
      code: 'log_in_use',
      message: expect.stringContaining(file),
    })
    await log.close()
    expect(await repair()).toMatchObject({ tail: 'none', records: 1 })
  })

  test('a damaged length that points past the end does not make a log look torn', async () => {
    const offsets = writeLog(texts(5))
    damage((offsets[1] ?? 0) + 4, Buffer.from([0xff, 0xff, 0x0f, 0]))
    expect(await extent()).toEqual({ lastSeq: 1, tail: 'damaged' })
    await expect(EventStore.reopen(folder, { now: () => 0 })).rejects.toMatchObject({ code: 'log_corrupt' })
  })
})
