import { expect, test } from 'vitest'
import { decodeRecord, encodeRecordHeader } from './record.ts'

const encoded = (time: number) =>
  encodeRecordHeader({ seq: 1, time, typeNumber: 1, payload: Buffer.alloc(0) })

test.each([0, 1_790_000_000_000.25, -5, 8.64e15])('the time %d is read as it was written', (time) => {
  expect(decodeRecord(encoded(time), 0)).toMatchObject({ kind: 'record', record: { time } })
})

test.each([1e300, -1e300, NaN, Infinity, 8.64e15 + 1])('a record of the time %d is damaged', (time) => {
  expect(decodeRecord(encoded(time), 0)).toEqual({ kind: 'bad' })
})
