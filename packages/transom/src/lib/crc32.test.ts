import fc from 'fast-check'
import { expect, test } from 'vitest'
import { crc32, crc32ByTable } from './crc32.ts'

test('the check value of CRC-32 is what the standard says', () => {
  expect(crc32ByTable(Buffer.from('123456789'))).toBe(0xcbf43926)
})

test('the table and zlib agree, also when they go on from a seed', () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.uint8Array(), (first, second) => {
      const seed = crc32(first)
      expect(crc32ByTable(first)).toBe(seed)
      expect(crc32ByTable(second, seed)).toBe(crc32(second, seed))
      expect(crc32(second, seed)).toBe(crc32(Buffer.concat([first, second])))
    }),
  )
})
