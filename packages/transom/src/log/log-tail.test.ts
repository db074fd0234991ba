import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LogTail } from './log-tail.ts'

test('the tail returns what was written, and always holds the last bytes', () => {
  const sizes = fc.array(fc.oneof(fc.nat(300), fc.nat(9000), fc.constantFrom(8192, 16384, 16385, 50_000)), {
    maxLength: 60,
  })
  fc.assert(
    fc.property(fc.nat(1000), sizes, (header, written) => {
      const tail = new LogTail(header)
      let file = Buffer.alloc(header)
      for (const [index, size] of written.entries()) {
        const bytes = Buffer.from(Array.from({ length: size }, (_, at) => (index * 31 + at * 7) % 251))
        tail.add(bytes)
        file = Buffer.concat([file, bytes])
        for (const back of [1, 100, 4000, 8192, 16384, 20_000]) {
          const offset = file.length - back
          const into = Buffer.alloc(back)
          if (offset >= 0 && tail.read(into, offset, back)) {
            expect(into.equals(file.subarray(offset))).toBe(true)
          }
        }
        const recent = Math.min(file.length - header, 8192)
        expect(tail.read(Buffer.alloc(recent), file.length - recent, recent)).toBe(true)
        expect(tail.read(Buffer.alloc(2), file.length - 1, 2)).toBe(false)
      }
    }),
  )
})
