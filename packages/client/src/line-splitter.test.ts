import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LineSplitter } from './line-splitter.ts'

test('lines come out whole for any chunking', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ minLength: 1, maxLength: 30 }).filter((line) => !line.includes('\n'))),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (lines, sizes) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
        const seen: string[] = []
        const splitter = new LineSplitter(
          1000,
          (line) => seen.push(Buffer.from(line).toString()),
          expect.unreachable,
        )
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1
          splitter.push(bytes.subarray(at, at + size))
          at += size
        }
        expect(seen).toEqual(lines)
      },
    ),
  )
})

test('a line that is too long is reported once and passed over', () => {
  const seen: string[] = []
  let tooLong = 0
  const splitter = new LineSplitter(
    10,
    (line) => seen.push(Buffer.from(line).toString()),
    () => tooLong++,
  )
  for (const chunk of ['short\n', 'far too ', 'long a line', ' it is\n', 'next\n\n'])
    splitter.push(Buffer.from(chunk))
  expect([seen, tooLong]).toEqual([['short', 'next'], 1])
})
