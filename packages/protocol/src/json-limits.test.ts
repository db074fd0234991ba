import { expect, test } from 'vitest'
import fc from 'fast-check'
import { parseJson, type JsonLimits } from './json-limits.ts'

const limits: JsonLimits = { depthMax: 4, entriesMax: 10, valuesMax: 20 }
const none: JsonLimits = { depthMax: 1000, entriesMax: 1e6, valuesMax: 1e6 }

test.each([
  ['depth', '['.repeat(5) + ']'.repeat(5), 'nested more than 4 deep'],
  ['depth that is never closed', '{"a":'.repeat(5), 'nested more than 4 deep'],
  ['entries of a list', `[${'1,'.repeat(10)}1]`, 'more than 10 entries'],
  ['entries of an inner list', `[[1,2],[${'1,'.repeat(10)}1]]`, 'more than 10 entries'],
  [
    'keys of an object',
    `{${Array.from({ length: 11 }, (_, index) => `"k${index}":1`).join()}}`,
    'more than 10 entries',
  ],
  ['the same key again and again', `{${'"k":1,'.repeat(10)}"k":1}`, 'more than 10 entries'],
  ['values in all', `[${'[1,1,1],'.repeat(7)}[]]`, 'more than 20 values'],
  ['lists without entries', `[${'[],'.repeat(9)}[${'[],'.repeat(9)}[]]]`, 'more than 20 values'],
])('refuses a message by its %s', (_name, text, message) => {
  expect(() => parseJson(text, limits)).toThrow(
    expect.objectContaining({ code: 'frame_too_large', message: expect.stringContaining(message) }),
  )
})

test.each([
  '"[[[[[[,,,,,,,,,,,,,,,,,,,,,,,"',
  String.raw`["a\"[[[[[[","\\",",,,,,,,,,,,,"]`,
  '[[[[]]],[[[]]]]',
])('takes %s', (text) => {
  expect(parseJson(text, limits)).toEqual(JSON.parse(text))
})

test.each(['', '[', '{"a"', '"\\', '"abc', ']]]]]]', 'nul', '[1,]'])('says that %j is not JSON', (text) => {
  expect(() => parseJson(text, limits)).toThrow(expect.objectContaining({ code: 'parse_error' }))
})

test('parses every value as JSON.parse() does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      expect(parseJson(text, none)).toEqual(JSON.parse(text))
    }),
  )
})

test('counts what a value has, whatever is in its strings', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null
      ? 1 + Math.max(0, ...Object.values(value).map((part) => depthOf(part)))
      : 0
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.integer({ min: 0, max: 6 }), (value, depthMax) => {
      const parse = () => parseJson(JSON.stringify(value), { ...none, depthMax })
      if (depthOf(value) <= depthMax) expect(parse).not.toThrow()
      else expect(parse).toThrow(expect.objectContaining({ code: 'frame_too_large' }))
    }),
  )
})
