import { describe, expect, test } from 'vitest'
import { inReadingOrder } from './reading-order.ts'

function read(painted: string): string {
  const row = Array.from(painted, (text, col) => ({ text, col }))
  return inReadingOrder(row)
    .map(({ text }) => text)
    .join('')
}

describe('painted text is read in the order in which it was written', () => {
  test.each([
    ['a line from left to right stays as it is', 'one (two) 3', 'one (two) 3'],
    ['Hebrew begins on the right', 'םלוע םולש', 'שלום עולם'],
    ['the point at its end is on the left', '.םולש', 'שלום.'],
    ['numbers in it are read from the left', 'וננוח 1,234.5 םה', 'הם 1,234.5 חוננו'],
    ['a price keeps its sign', 'ריחמ $9 קר', 'רק $9 מחיר'],
    ['brackets open on the side where they are read from', '(םולש)', '(שלום)'],
    ['English in Hebrew', '!דואמ Hello world רמא', 'אמר Hello world מאוד!'],
    ['Hebrew in English', 'He said םלוע םולש to all', 'He said שלום עולם to all'],
    ['two columns are read each for itself', 'םולש   abc   םלוע', 'שלום   abc   עולם'],
    ['Arabic with a number', '.القع 123 .قوقحلاو', 'والحقوق. 123 عقلا.'],
    ['a heading before its number', '12 קרפ', 'פרק 12'],
  ])('%s', (_name, painted, written) => {
    expect(read(painted)).toBe(written)
  })
})
