import { expect, test, vi } from 'vitest'
import { canonicalText } from './canonical-text.ts'
import { findInText, findPlaces } from './find-text.ts'
import { Grid, createGridTables } from './grid.ts'

const found = (shown: string, text: string) =>
  Array.from(findInText(shown, text), ({ start, end }) => shown.slice(start, end))

test('a blank within a text stands for any run of blanks, one at its end for itself', () => {
  expect(found('first   thing, first thing', 'first thing')).toEqual(['first   thing', 'first thing'])
  expect(found('cost: $5\n$ ls', '$ ')).toEqual(['$ '])
  expect(found('other', ' other ')).toEqual([])
})

test('nothing is found nowhere, and blanks where they are', () => {
  expect(found('text', '')).toEqual([])
  const grid = new Grid(4, 1, createGridTables())
  Array.from('a b').forEach((character, index) => (grid.codes[index] = character.charCodeAt(0)))
  const shown = { grid, canonical: canonicalText(grid) }
  expect(findPlaces(shown, '')).toEqual([])
  expect(findPlaces(shown, ' ')).toMatchObject([{ row: 0, col: 1, width: 1 }])
})

test('a phrase on a page goes over the ends of lines, unless it has too many words to try them all', () => {
  const grid = new Grid(40, 20, createGridTables(), 'painted')
  const text = Array.from({ length: 20 }, () => 'a '.repeat(20).trimEnd())
  text.forEach((line, row) =>
    Array.from(line).forEach((character, col) => (grid.codes[row * 40 + col] = character.charCodeAt(0))),
  )
  const shown = { grid, canonical: canonicalText(grid) }
  expect(findPlaces(shown, 'a '.repeat(30).trimEnd()).length).toBeGreaterThan(0)
  using patterns = vi.spyOn(RegExp.prototype, 'exec')
  expect(findPlaces(shown, `${'a '.repeat(2000)}b`)).toEqual([])
  expect(patterns.mock.calls.length).toBeLessThan(10_000) // some for each word, not for each word of each line
})
