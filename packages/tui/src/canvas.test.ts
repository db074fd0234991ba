import { describe, expect, test } from 'vitest'
import type { Grid } from '@transom/grid'
import { VtEmulator } from '../../transom/src/terminal/vt/vt-emulator.ts'
import { Canvas } from './canvas.ts'

const at = (row: number, col: number, rows: number, cols: number) => ({ row, col, rows, cols })

/** The rows of a Grid as they are, with dots for blanks. */
function rowsOf(grid: Grid): string[] {
  return Array.from({ length: grid.rows }, (_, row) => grid.textOf(row).replaceAll(' ', '.'))
}

function styleAt({ grid }: Canvas, row: number, col: number) {
  return grid.tables.styles.valueOf(grid.styleIds[row * grid.cols + col] ?? 0)
}

describe('text on a canvas', () => {
  test('is clipped to its rectangle, and never half of a character', () => {
    const canvas = new Canvas(8, 3)
    expect(canvas.text(at(0, 2, 1, 3), 'a漢字b')).toBe(3)
    expect(canvas.text(at(1, -1, 1, 5), '漢xyz')).toBe(5)
    expect(canvas.text(at(2, 6, 1, 9), 'abcdef')).toBe(6)
    expect(canvas.text(at(3, 0, 1, 8), 'below')).toBe(0)
    expect(rowsOf(canvas.grid)).toEqual(['..a漢...', '.xyz....', '......ab'])
  })

  test('holds no control character and stays in one line', () => {
    const canvas = new Canvas(12, 2)
    canvas.text(canvas.area, 'a\nb\tc\u001b[31md\u202e')
    expect(rowsOf(canvas.grid)).toEqual(['a.b.c\ufffd[31md.', '............'])
  })

  test('takes the other half of a wide character with it', () => {
    const canvas = new Canvas(4, 1)
    canvas.text(canvas.area, '漢字')
    canvas.text(at(0, 1, 1, 2), 'ab')
    expect(rowsOf(canvas.grid)).toEqual(['.ab.'])
  })

  test('has the style that was asked for', () => {
    const canvas = new Canvas(4, 1)
    canvas.text(canvas.area, 'ab', { bold: true, fg: 3 })
    expect(styleAt(canvas, 0, 1)).toMatchObject({ bold: true, fg: 3, bg: -1 })
    expect(styleAt(canvas, 0, 2)).toMatchObject({ bold: false })
  })
})

test('boxes, rules and areas are drawn if they fit', () => {
  const canvas = new Canvas(10, 4)
  expect(canvas.box(canvas.area, {}, 'T漢')).toEqual(at(1, 1, 2, 8))
  canvas.rule(at(2, 1, 1, 8))
  canvas.paint(at(1, 8, 9, 1), {}, '▒')
  expect(canvas.box(at(0, 0, 1, 5))).toMatchObject({ rows: 0, cols: 0 })
  expect(rowsOf(canvas.grid)).toEqual(['┌─.T漢.──┐', '│.......▒│', '│───────▒│', '└───────▒┘'])
  expect(() => canvas.paint(canvas.area, {}, '漢')).toThrow('does not fill a column')
})

test('a status line fills its row; its right end gives way', () => {
  const canvas = new Canvas(12, 2)
  canvas.statusLine(at(0, 0, 1, 12), 'left', { right: 'right' })
  canvas.statusLine(at(1, 0, 1, 12), 'a long text', { right: 'right' })
  expect(rowsOf(canvas.grid)).toEqual(['left...right', 'a.long.text.'])
  expect(styleAt(canvas, 0, 5)).toMatchObject({ inverse: true })
})

describe('a Grid is copied', () => {
  const emulator = new VtEmulator(8, 3)
  emulator.write(Buffer.from('\u001b[31mab漢字e\u0301f\r\n\u001b[msecond\r\nthird'))
  const { grid } = emulator.frame()

  test('with its styles, from any cell on', () => {
    const canvas = new Canvas(6, 2)
    canvas.copy(grid, canvas.area, { row: 0, col: 1 })
    expect(rowsOf(canvas.grid)).toEqual(['b漢字e\u0301', 'econd.'])
    expect(styleAt(canvas, 0, 0)).toMatchObject({ fg: 1 })
    expect(styleAt(canvas, 1, 0)).toMatchObject({ fg: -1 })
  })

  test('without halves of characters at its edges', () => {
    const canvas = new Canvas(6, 1)
    canvas.copy(grid, at(0, 1, 1, 3), { row: 0, col: 3 })
    expect(rowsOf(canvas.grid)).toEqual(['..字..'])
    canvas.begin(6, 2)
    canvas.copy(grid, at(0, 1, 2, 3), { row: -1, col: 0 })
    expect(rowsOf(canvas.grid)).toEqual(['......', '.ab...'])
    canvas.copy(grid, at(0, 0, 2, 6), { row: 2, col: -4 })
    expect(rowsOf(canvas.grid)).toEqual(['....th', '.ab...'])
  })
})
