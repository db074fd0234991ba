import { expect, test } from 'vitest'
import { DEFAULT_STYLE, RGB_COLOR } from '@transom/grid'
import { Canvas } from '@transom/tui'
import { drawScreen } from './draw-screen.ts'

test('runs are drawn at their cells, in their styles, and clipped to the rectangle', () => {
  const canvas = new Canvas(8, 3)
  const link = 'http://a.test/'
  const lines = [
    { text: 'ab 漢', wrapped: false, cells: [{ col: 1, width: 2, text: 'ab', bold: true as const, fg: 3 }] },
    { text: 'x', wrapped: false, cells: [{ col: 0, width: 5, text: 'x漢字', bg: '#102030', link }] },
    { text: 'outside', wrapped: false, cells: [{ col: 0, width: 7, text: 'outside' }] },
  ]
  drawScreen(canvas, { row: 1, col: 1, rows: 2, cols: 4 }, { lines })
  const { grid } = canvas
  expect([0, 1, 2].map((row) => grid.textOf(row))).toEqual(['        ', '  ab    ', ' x漢    '])
  const styleAt = (row: number, col: number) =>
    grid.tables.styles.valueOf(grid.styleIds[row * grid.cols + col] ?? 0)
  expect(styleAt(1, 2)).toEqual({ ...DEFAULT_STYLE, bold: true, fg: 3 })
  expect(styleAt(2, 1)).toEqual({ ...DEFAULT_STYLE, bg: RGB_COLOR | 0x102030, link })
  expect(styleAt(1, 1)).toEqual(DEFAULT_STYLE)
})

test('what a program prints is drawn as text only', () => {
  const canvas = new Canvas(10, 1)
  const text = 'a\u001b]0;x\u0007b'
  drawScreen(canvas, canvas.area, { lines: [{ text, wrapped: false, cells: [{ col: 0, width: 10, text }] }] })
  // eslint-disable-next-line no-control-regex
  expect(canvas.grid.textOf(0)).not.toMatch(/[\u0000-\u001f]/)
})
