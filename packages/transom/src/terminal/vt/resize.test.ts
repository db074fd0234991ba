import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalText } from '@transom/grid'
import { VtEmulator } from './vt-emulator.ts'

function emulate(text: string, cols: number, rows: number): VtEmulator {
  const emulator = new VtEmulator(cols, rows)
  emulator.write(Buffer.from(text))
  return emulator
}

function allLines(emulator: VtEmulator): string[] {
  const { grid: above } = emulator.scrollback()
  const { grid } = emulator.frame()
  const lines: string[] = []
  for (const rows of [above, grid]) {
    for (let row = 0; row < rows.rows; row++) {
      const text = rows.textOf(row, 0, rows.usedCols(row))
      if (rows.isWrapped(row)) lines.push((lines.pop() ?? '') + text)
      else lines.push(text)
    }
  }
  while (lines.at(-1) === '') lines.pop()
  return lines
}

describe('another size', () => {
  test('wraps lines anew, the one with the cursor too', () => {
    const emulator = emulate('first line\r\nprompt$ abcdefghij', 20, 4)
    emulator.resize(10, 4)
    const { grid, cursor } = emulator.frame()
    expect([0, 1, 2].map((row) => grid.lineOf(row))).toEqual(['first line', 'prompt$ ab', 'cdefghij'])
    expect([cursor.col, cursor.row]).toEqual([8, 2])
    emulator.resize(20, 4)
    expect(canonicalText(emulator.frame().grid).text).toBe('first line\nprompt$ abcdefghij')
    expect(emulator.frame().cursor).toMatchObject({ row: 1, col: 18 })
  })

  test('never cuts a wide character in two', () => {
    const emulator = emulate('漢字漢字', 8, 3)
    emulator.resize(5, 3)
    const { grid } = emulator.frame()
    expect([0, 1].map((row) => grid.lineOf(row))).toEqual(['漢字', '漢字'])
    emulator.resize(8, 3)
    expect(emulator.frame().grid.lineOf(0)).toBe('漢字漢字')
  })

  test('takes rows back from the scrollback when there is room, but not under a cleared screen', () => {
    const full = emulate('1\r\n2\r\n3\r\n4\r\n5', 10, 3)
    full.resize(10, 5)
    expect(allLines(full)).toEqual(['1', '2', '3', '4', '5'])
    expect(full.frame().grid.lineOf(0)).toBe('1')
    const cleared = emulate('1\r\n2\r\n3\r\n4\r\n5\x1b[2J\x1b[H$', 10, 3)
    cleared.resize(10, 5)
    expect(cleared.frame().grid.lineOf(0)).toBe('$')
  })

  test('leaves the lines of the alternate screen as they are', () => {
    const emulator = emulate('main text\x1b[?1049h\x1b[Habcdefghij', 10, 3)
    emulator.resize(5, 3)
    expect(emulator.frame().grid.lineOf(0)).toBe('abcde')
    emulator.write(Buffer.from('\x1b[?1049l'))
    expect(canonicalText(emulator.frame().grid).text).toBe('main text')
  })

  test('there and back shows the same lines', () => {
    const words = fc.array(
      fc.constantFrom('a', 'bc', 'def ', '漢', '\r\n', '\r\n', 'longer words', '\u{1f600}'),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(
        words,
        fc.integer({ min: 2, max: 40 }),
        fc.integer({ min: 1, max: 9 }),
        (parts, cols, rows) => {
          const emulator = emulate(`x${parts.join('')}`, 20, 5)
          const before = allLines(emulator)
          emulator.resize(cols, rows)
          expect(allLines(emulator)).toEqual(before)
          emulator.resize(20, 5)
          expect(allLines(emulator)).toEqual(before)
        },
      ),
      { numRuns: 500 },
    )
  })

  test('is reported to a program that asked for it (mode 2048)', () => {
    const emulator = emulate('\x1b[?2048h', 80, 24)
    expect(emulator.takeAnswers()).toEqual(['\x1b[48;24;80;384;640t'])
    emulator.resize(100, 30)
    expect(emulator.takeAnswers()).toEqual(['\x1b[48;30;100;480;800t'])
  })
})
