import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EchoCutter } from './echo-cutter.ts'

const ECHO = ' eval 1;eval 2\r\n'

/** What comes out when a text comes in, in chunks that end at these places. */
function cut(text: string, ends: readonly number[] = []): string {
  const cutter = new EchoCutter()
  cutter.expect(ECHO)
  const places = [0, ...[...ends].sort((a, b) => a - b), text.length]
  const parts = places.slice(1).map((end, index) => cutter.take(Buffer.from(text.slice(places[index], end))))
  return [...parts, cutter.release()].join('')
}

test('an echo is taken out once, wherever it comes and in whatever pieces', () => {
  const text = `before ${ECHO}after${ECHO}`
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: text.length })), (ends) => {
      expect(cut(text, ends)).toBe(`before after${ECHO}`)
    }),
  )
})

test('output that only begins like the echo passes unchanged', () => {
  for (const text of ['', ' ', ' eval 1;eval', ' eval 1; eval 1;eval 3\r\n', ' eval 1;eval 2\n'])
    for (let end = 0; end <= text.length; end++) expect(cut(text, [end])).toBe(text)
})

test('nothing is taken out when none is expected any more', () => {
  const cutter = new EchoCutter()
  cutter.expect(ECHO)
  expect(cutter.take(Buffer.from(' eval 1')).toString()).toBe('')
  expect(cutter.unsure).toBe(true)
  cutter.expect(null)
  expect(cutter.take(Buffer.from(';eval 2\r\n')).toString()).toBe(ECHO)
})
