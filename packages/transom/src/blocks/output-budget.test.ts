import { describe, expect, test } from 'vitest'
import * as fc from 'fast-check'
import { budgetedText, endsBudget, outputBudget } from './output-budget.ts'
import { plainText } from '../lib/plain-text.ts'

const LINES = Array.from({ length: 1000 }, (_, index) => `line ${index}\r\n`).join('')

describe('an output budget', () => {
  test('keeps everything that fits', () => {
    const output = outputBudget(Buffer.from('\x1b[32mok\x1b[0m\r\n'), { maxBytes: 100 })
    expect(output).toMatchObject({ bytes: 13, omitted: null })
    expect(budgetedText(output)).toBe('ok\n')
  })

  test('keeps whole lines of the head and, more of them, of the tail', () => {
    const output = outputBudget(Buffer.from(LINES), { maxBytes: 200 })
    expect(output.head.toString()).toBe(Array.from({ length: 11 }, (_, index) => `line ${index}\n`).join(''))
    expect(output.tail.toString()).toMatch(/^line 987\n[^]*line 999\n$/)
    expect(output.head.length + output.tail.length).toBeLessThanOrEqual(200)
  })

  test('says between which cursors the rest is, counted from where the bytes began', () => {
    const bytes = Buffer.from(LINES)
    const { head, tail, omitted } = outputBudget(bytes, { maxBytes: 200, fromCursor: 5000 })
    const middle = bytes.subarray((omitted?.from_cursor ?? 0) - 5000, (omitted?.to_cursor ?? 0) - 5000)
    expect(head.toString() + plainText(middle) + tail.toString()).toBe(plainText(bytes))
  })

  test('puts a note where something was left out', () => {
    const text = budgetedText(outputBudget(Buffer.from(LINES), { maxBytes: 40 }))
    expect(text).toBe('line 0\nline 1\n[… 9854 bytes left out: cursors 16 to 9870 …]\nline 998\nline 999\n')
  })

  test('cuts one long line between characters', () => {
    const { head, tail } = outputBudget(Buffer.from('ž🐈'.repeat(1000)), { maxBytes: 41 })
    expect(head.toString()).toMatch(/^(?:ž🐈)+ž?$/u)
    expect(tail.toString()).toMatch(/^🐈?(?:ž🐈)+$/u)
  })

  test('does not part a letter from its accents, nor the members of a family', () => {
    const { head, tail } = outputBudget(Buffer.from('e\u0301'.repeat(50)), { maxBytes: 20 })
    expect(head.toString()).toMatch(/^(?:e\u0301)+$/)
    expect(tail.toString()).toMatch(/^(?:e\u0301)+$/)
    const family = '👩\u200d👩\u200d👧'
    expect(outputBudget(Buffer.from(family.repeat(9)), { maxBytes: 60 }).head.toString()).toBe(family)
  })

  test('counts tokens by an estimate: four ASCII characters, or one other', () => {
    const ascii = outputBudget(Buffer.from('x'.repeat(1000)), { maxTokens: 100 })
    expect(ascii.head.length + ascii.tail.length).toBe(400)
    const other = outputBudget(Buffer.from('漢'.repeat(1000)), { maxTokens: 100 })
    expect(other.head.toString().length + other.tail.toString().length).toBe(100)
  })

  test('gives raw bytes on demand, cut between characters too', () => {
    const bytes = Buffer.from('\x1b[31mž🐈'.repeat(100))
    const { head, tail, omitted } = outputBudget(bytes, { maxBytes: 50, plain: false })
    expect(head.toString()).not.toContain('\ufffd')
    expect(tail.toString()).not.toContain('\ufffd')
    const middle = bytes.subarray(omitted?.from_cursor, omitted?.to_cursor)
    expect(Buffer.concat([head, middle, tail])).toEqual(bytes)
  })

  test('of the two ends of something long keeps what it would keep of the whole', () => {
    const bytes = Buffer.from(LINES)
    for (const plain of [true, false]) {
      const options = { maxBytes: 300, plain, fromCursor: 50 }
      const tailStart = bytes.indexOf('\n', bytes.length - 1000) + 1
      const ends = {
        head: { bytes: bytes.subarray(0, 1000), cursor: 50 },
        tail: { bytes: bytes.subarray(tailStart), cursor: 50 + tailStart },
        bytes: bytes.length,
      }
      expect(endsBudget(ends, options)).toEqual(outputBudget(bytes, options))
    }
  })

  test('never gives more than the budget, nor loses a line between head, middle and tail', () => {
    const printed = fc.array(
      fc.constantFrom(
        'a',
        'bc d',
        'ž',
        '🐈',
        'e\u0301',
        '\n',
        '\r\n',
        '\r',
        '\b',
        '\x1b[1m',
        '\x1b[K',
        '\xff',
        '\t',
      ),
      { maxLength: 120 },
    )
    fc.assert(
      fc.property(printed, fc.nat(60), fc.boolean(), (pieces, maxBytes, plain) => {
        const bytes = Buffer.concat(
          pieces.map((piece) => Buffer.from(piece, piece === '\xff' ? 'latin1' : 'utf8')),
        )
        const { head, tail, omitted } = outputBudget(bytes, { maxBytes, plain })
        expect(head.length + tail.length).toBeLessThanOrEqual(maxBytes)
        const whole = plain ? Buffer.from(plainText(bytes)) : bytes
        if (omitted === null) {
          expect(head).toEqual(whole)
          return
        }
        expect(omitted.from_cursor).toBeLessThanOrEqual(omitted.to_cursor)
        expect(whole.subarray(0, head.length)).toEqual(head)
        expect(whole.subarray(whole.length - tail.length)).toEqual(tail)
        if (plain) return
        const middle = bytes.subarray(omitted.from_cursor, omitted.to_cursor)
        expect(Buffer.concat([head, middle, tail])).toEqual(bytes)
      }),
      { numRuns: 500 },
    )
  })
})
