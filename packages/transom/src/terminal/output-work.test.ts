import fc from 'fast-check'
import { expect, test } from 'vitest'
import { turnLength } from './output-work.ts'

const LARGE = { cols: 1000, rows: 1000, sideMargins: false }
const SMALL = { cols: 80, rows: 24, sideMargins: false }

/** How many times a sequence is written in one turn, of as many as a read gives. */
function timesIn(sequence: string, shape = LARGE): number {
  const bytes = Buffer.from(sequence.repeat(Math.ceil(8192 / sequence.length)))
  return turnLength(bytes, shape) / Buffer.byteLength(sequence)
}

test.each([
  ['DECALN', '\x1b#8', 3],
  ['erase', '\x1b[2J', 3],
  ['erase by an eight-bit control', '\u009b2J', 3],
  ['erase with a control within', '\x1b[2\x01J', 3],
  ['selective erase', '\x1b[?2J', 1],
  ['scroll', '\x1b[999S', 3],
  ['fill a rectangle', '\x1b[88;1;1;1000;1000$x', 1],
  ['change attributes', '\x1b[1;1;999;999;1;4$r', 1],
  ['checksum', '\x1b[1;1;1;1;1000;1000*y', 1],
  ['reset', '\x1bc', 3],
  ['repeat', 'A\x1b[10000b', 9],
  ['synchronized updates', '\x1b[?2026h', 1],
  ['the other screen', '\x1b[?1049h', 1],
])('on the largest screen, in one turn: %s', (_name, sequence, max) => {
  expect(timesIn(sequence)).toBeGreaterThan(0)
  expect(timesIn(sequence)).toBeLessThanOrEqual(max)
})

test('with left and right margins every line may copy the screen', () => {
  expect(timesIn('\n', { ...LARGE, sideMargins: true })).toBeLessThan(10)
  const bytes = Buffer.from(`\x1b[?69h${'\n'.repeat(8000)}`)
  expect(turnLength(bytes, LARGE)).toBeLessThan(20)
})

test('ordinary output is one turn, on any screen', () => {
  const lines = Array.from(
    { length: 200 },
    (_, row) => `\x1b[${row};1H\x1b[38;5;9mtext \x1b[?25l\x1b[K\x1b[0m\r\n`,
  )
  for (const shape of [SMALL, LARGE]) {
    const bytes = Buffer.from(lines.join(''))
    expect(turnLength(bytes, shape)).toBe(bytes.length)
  }
  expect(timesIn('y\n', SMALL)).toBe(4096)
})

test('something is always taken, and never more than there is', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.boolean(), (bytes, sideMargins) => {
      const taken = turnLength(bytes, { ...LARGE, sideMargins })
      expect(taken).toBeGreaterThanOrEqual(1)
      expect(taken).toBeLessThanOrEqual(bytes.length)
    }),
  )
})
