import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { VtEmulator } from '../../transom/src/terminal/vt/vt-emulator.ts'
import { textCells, textWidth } from './text-cells.ts'

describe('text is split into cells', () => {
  test.each([
    ['abc', ['a', 'b', 'c'], 3],
    ['e\u0301漢', ['e\u0301', '漢'], 3],
    ['👨‍👩‍👧x', ['👨‍👩‍👧', 'x'], 3],
    ['🇩🇪🇫', ['🇩🇪', '🇫'], 3],
    ['\u0301a', ['a'], 1],
    ['❤\ufe0f', ['❤\ufe0f'], 2],
    ['⌚\ufe0e', ['⌚\ufe0e'], 1],
    ['', [], 0],
  ])('%j', (text, cells, width) => {
    expect(textCells(text).map((cell) => cell.text)).toEqual(cells)
    expect(textWidth(text)).toBe(width)
  })

  test('as the terminal engine splits it', () => {
    const pieces =
      'a| |é|漢|\u0301|\u200d|\ufe0f|\ufe0e|🇩|❤|👨|👩|🏽|한|ᄒ|\u1161|\u11ab|क|\u094d|ष|\u0600|⌚|1|\u20e3'
    const piece = fc.constantFrom(...pieces.split('|'))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (drawn) => {
        const text = drawn.join('')
        const emulator = new VtEmulator(40, 2)
        emulator.write(Buffer.from(text))
        const { grid, cursor } = emulator.frame()
        const shown: string[] = []
        for (let col = 0; col < cursor.col; col++)
          if (grid.codes[col] !== 0xffff_ffff) shown.push(grid.textOf(0, col, col + 1))
        expect(textCells(text).map((cell) => cell.text)).toEqual(shown)
        expect(textWidth(text)).toBe(cursor.col)
      }),
      { numRuns: 500 },
    )
  })
})
