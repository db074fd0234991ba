import { describe, expect, test } from 'vitest'
import type { CellSize } from './glyph.ts'
import { drawnGlyph } from './glyph-set.ts'

const SIZES: CellSize[] = [1, 2, 3].map((line) => ({
  width: 9 * line,
  height: 18 * line,
  baseline: 14 * line,
  line,
}))

/** The opacities along one edge of a drawn character. */
function edge(codePoint: number, cell: CellSize, side: 'left' | 'right' | 'top' | 'bottom'): number[] {
  const glyph = drawnGlyph(codePoint, cell)
  if (glyph === null) throw new Error(`U+${codePoint.toString(16)} is not drawn by code`)
  const { width, height } = cell
  const isColumn = side === 'left' || side === 'right'
  return Array.from({ length: isColumn ? height : width }, (_, index) => {
    const x = side === 'left' ? 0 : side === 'right' ? width - 1 : index
    const y = side === 'top' ? 0 : side === 'bottom' ? height - 1 : index
    return glyph.alpha[y * width + x] ?? 0
  })
}

const code = (character: string) => character.codePointAt(0) ?? 0

describe.each(SIZES)('in a cell of $width × $height', (cell) => {
  test('lines of one weight meet at the edge without a step', () => {
    const pairs = [
      ['─', '┼', '├', '╭', '╰', '┐', '╯', '╮', '╨', '╥', '╫'],
      ['━', '╋', '┣', '┏', '┓'],
      ['═', '╬', '╠', '╔', '╝', '╪', '╤'],
    ]
    for (const [line = '', ...others] of pairs) {
      const wanted = edge(code(line), cell, 'left')
      for (const other of others) {
        const sides = (['left', 'right'] as const).map((side) => edge(code(other), cell, side))
        expect(
          sides.some((side) => side.join() === wanted.join()),
          `${line} and ${other}`,
        ).toBe(true)
      }
    }
  })

  test('a vertical line is the same at its top and at its bottom', () => {
    for (const line of ['│', '┃', '║', '┼', '╋', '╬', '╫', '╪', '┤'])
      expect(edge(code(line), cell, 'top')).toEqual(edge(code(line), cell, 'bottom'))
  })

  test('blocks, halves and sextants leave no gap between them', () => {
    const coverage = (...characters: string[]) => {
      const masks = characters.map((it) => drawnGlyph(code(it), cell)?.alpha ?? new Uint8Array())
      return Array.from({ length: cell.width * cell.height }, (_, at) =>
        masks.reduce((sum, mask) => sum + (mask[at] ?? 0), 0),
      )
    }
    const full = Array.from({ length: cell.width * cell.height }, () => 15)
    for (const parts of ['▀▄', '▌▐', '▘▝▖▗', '▚▞', '\u{1fb00}\u{1fb3b}', '▔\u{2587}', '\u{1fb82}▆', '▉▕'])
      expect(coverage(...Array.from(parts)), parts).toEqual(full)
  })

  test('every character of the drawn ranges shows something, but the blank ones', () => {
    const ranges = [
      [0x2500, 0x259f],
      [0x2801, 0x28ff],
      [0x1fb00, 0x1fb3b],
      [0x1fb70, 0x1fb8b],
      [0xe0a0, 0xe0a2],
      [0xe0b0, 0xe0bf],
    ]
    for (const [from = 0, to = 0] of ranges) {
      for (let point = from; point <= to; point++)
        expect(
          drawnGlyph(point, cell)?.alpha.some((value) => value > 0),
          `U+${point.toString(16)}`,
        ).toBe(true)
    }
  })

  test('no two box drawing characters look alike', () => {
    const seen = new Set<string>()
    for (let point = 0x2500; point <= 0x257f; point++) seen.add(drawnGlyph(point, cell)?.alpha.join('') ?? '')
    expect(seen.size).toBe(128)
  })
})
