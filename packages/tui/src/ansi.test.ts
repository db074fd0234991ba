import { describe, expect, test } from 'vitest'
import { VtEmulator } from '../../transom/src/terminal/vt/vt-emulator.ts'
import { paintCursor, paintRows } from './ansi.ts'
import { styledRuns } from '../../transom/src/session/styled-runs.ts'

const all = (rows: number) => Array.from({ length: rows }, (_, row) => row)

function show(text: string, cols = 20, rows = 5): VtEmulator {
  const emulator = new VtEmulator(cols, rows)
  emulator.write(Buffer.from(text))
  return emulator
}

describe('painting a Grid', () => {
  const screens: [what: string, text: string][] = [
    ['text', 'hello\r\nworld'],
    ['colours', '\u001b[31mred\u001b[92mbright\u001b[38;5;200mx\u001b[48;2;1;2;3my\u001b[m z'],
    ['attributes', '\u001b[1;3;4;9mA\u001b[0;2;7mB\u001b[0;4:3;53mC\u001b[0;5;8mD\u001b[mE'],
    ['wide characters and clusters', '漢字 e\u0301 \u{1f600} x\r\n1234567890123456789漢'],
    ['coloured blanks', 'a\u001b[44m\u001b[K\u001b[2;5H\u001b[1K\u001b[m'],
    ['a full row', '12345678901234567890next'],
  ]
  for (const [what, text] of screens) {
    test(`gives the same cells again: ${what}`, () => {
      const { grid, cursor } = show(text).frame()
      const painted = show(paintRows(grid, all(5)) + paintCursor(cursor)).frame()
      expect(all(5).map((row) => styledRuns(painted.grid, row))).toEqual(
        all(5).map((row) => styledRuns(grid, row)),
      )
      expect([painted.cursor.row, painted.cursor.col]).toEqual([cursor.row, cursor.col])
    })
  }

  test('cuts off what lies outside, and never half of a wide character', () => {
    const { grid, cursor } = show('ab漢字\r\nsecond').frame()
    const painted = show(paintRows(grid, all(5), { cols: 3, rows: 1 })).frame()
    expect([painted.grid.lineOf(0), painted.grid.lineOf(1)]).toEqual(['ab', ''])
    expect(paintCursor(cursor, { cols: 3, rows: 1 })).toBe('\u001b[?25l')
  })

  test('shows the cursor as it is', () => {
    expect(paintCursor({ row: 2, col: 4, visible: true, shape: 'bar', blink: false })).toBe(
      '\u001b[3;5H\u001b[6 q\u001b[?25h',
    )
  })
})
