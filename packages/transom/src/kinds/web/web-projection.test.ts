import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EVENT_TYPE_NUMBERS } from '@transom/protocol'
import {
  CELL_BLANK,
  CELL_GRAPHIC,
  CELL_TEXT,
  CLUSTER_BASE,
  DEFAULT_STYLE,
  EMPTY_CELL,
  Grid,
  RGB_COLOR,
  WIDE_SPACER,
  createGridTables,
} from '@transom/grid'
import type { LogRecord } from '../../log/record.ts'
import { decodeCells, encodeCells, type PageCells } from './cell-runs.ts'
import { WebProjection } from './web-projection.ts'

const COLS = 6
const ROWS = 3
const tables = createGridTables()

interface TestCell {
  readonly text: string
  readonly kind: number
  readonly fg: number
  readonly bg: number
}

const color = fc.constantFrom(0, 0xffffff, 0x123456, 0xff0000)
const cell: fc.Arbitrary<TestCell> = fc.oneof(
  fc.record({
    text: fc.constantFrom('', 'a', 'é', '世', 'e\u0323\u0301', '\u{10ffff}'),
    kind: fc.constant(CELL_TEXT),
    fg: color,
    bg: color,
  }),
  fc.record({ text: fc.constantFrom('▀', '▌', '█'), kind: fc.constant(CELL_GRAPHIC), fg: color, bg: color }),
)
const caret = fc.option(
  fc.record({ row: fc.integer({ min: 0, max: ROWS - 1 }), col: fc.integer({ min: 0, max: COLS - 1 }) }),
)

function pageOf(cells: readonly TestCell[], at: PageCells['caret']): PageCells {
  const grid = new Grid(COLS, ROWS, tables)
  const kinds = new Uint8Array(COLS * ROWS)
  cells.forEach(({ text, kind, fg, bg }, index) => {
    const points = Array.from(text)
    if (text === '') grid.codes[index] = EMPTY_CELL
    else if (points.length > 1) grid.codes[index] = CLUSTER_BASE + tables.clusters.idOf(text)
    else grid.codes[index] = text.codePointAt(0) ?? EMPTY_CELL
    if (index % COLS > 0 && cells[index - 1]?.text === '世') grid.codes[index] = WIDE_SPACER
    grid.styleIds[index] = tables.styles.idOf({ ...DEFAULT_STYLE, fg: fg | RGB_COLOR, bg: bg | RGB_COLOR })
    kinds[index] = text === '' ? CELL_BLANK : kind
  })
  return { grid, kinds, caret: at }
}

const page = fc
  .tuple(fc.array(cell, { minLength: COLS * ROWS, maxLength: COLS * ROWS }), caret)
  .map(([cells, at]) => pageOf(cells, at))

function frameRecord(seq: number, payload: Uint8Array): LogRecord {
  return { seq, time: 0, typeNumber: EVENT_TYPE_NUMBERS.web_frame, payload }
}

/** What is seen of each cell: the colour of the letters does not matter where there are none. */
function seenOf(grid: Grid) {
  return Array.from(grid.codes, (code, index) => {
    const { fg, bg } = grid.tables.styles.valueOf(grid.styleIds[index] ?? 0)
    const [row, col] = [Math.floor(index / grid.cols), index % grid.cols]
    return code === EMPTY_CELL ? { bg } : { text: grid.textOf(row, col, col + 1), fg, bg }
  })
}

describe('the screen of a web page', () => {
  test('shows after any sequence of changed cells what the last frame showed', () => {
    fc.assert(
      fc.property(fc.array(page, { minLength: 1, maxLength: 6 }), (pages) => {
        const screen = new WebProjection(COLS, ROWS)
        let before: PageCells | null = null
        for (const [index, now] of pages.entries()) {
          screen.apply(frameRecord(index + 1, encodeCells(now, before)))
          before = now
          const frame = screen.frame()
          expect(seenOf(frame.grid)).toEqual(seenOf(now.grid))
          expect(frame.cursor).toMatchObject({
            ...(now.caret ?? { row: 0, col: 0 }),
            visible: now.caret !== null,
          })
        }
      }),
    )
  })

  test('has graphics in its cells and not in its text', () => {
    const blank = { text: '', kind: CELL_TEXT, fg: 0, bg: 0 }
    const cells = ['a', 'b'].map((text) => ({ ...blank, text }))
    const drawn = { ...blank, text: '█', kind: CELL_GRAPHIC }
    const rest = Array.from({ length: COLS * ROWS - 4 }, () => blank)
    const screen = new WebProjection(COLS, ROWS)
    const now = pageOf([...cells, drawn, { ...blank, text: '█' }, ...rest], null)
    screen.apply(frameRecord(1, encodeCells(now, null)))
    expect(screen.canonical().text).toBe('ab █') // the second is text of the page itself
    expect(screen.frame().grid.lineOf(0)).toBe('ab██')
  })

  test('a frame that was handed out stays as it is', () => {
    const blank = { text: '', kind: CELL_TEXT, fg: 0, bg: 0 }
    const one = pageOf(
      Array.from({ length: COLS * ROWS }, () => ({ ...blank, text: 'x' })),
      null,
    )
    const two = pageOf(
      Array.from({ length: COLS * ROWS }, () => ({ ...blank, text: 'y' })),
      null,
    )
    const screen = new WebProjection(COLS, ROWS)
    screen.apply(frameRecord(1, encodeCells(one, null)))
    const frame = screen.frame()
    screen.apply(frameRecord(2, encodeCells(two, one)))
    expect(frame.text.lineOf(0)).toBe('xxxxxx')
    expect(screen.frame().text.lineOf(0)).toBe('yyyyyy')
  })

  test('damaged cells are an error with the record’s seq, and never anything else', () => {
    fc.assert(
      fc.property(page, fc.nat(), fc.integer({ min: 0, max: 255 }), (now, place, value) => {
        const bytes = encodeCells(now, null)
        bytes[place % bytes.length] = value
        const cut = bytes.subarray(0, bytes.length - (place % 3))
        const screen = new WebProjection(COLS, ROWS)
        try {
          screen.apply(frameRecord(7, cut))
          screen.canonical()
        } catch (error) {
          expect(error).toMatchObject({ code: 'log_corrupt', details: { seq: 7 } })
        }
      }),
    )
  })

  test('an unchanged page takes a few bytes', () => {
    const now = pageOf([], null)
    expect(encodeCells(now, now)).toHaveLength(6)
    expect(decodeCells(encodeCells(now, now))).toMatchObject({ isKeyframe: false, runs: [] })
  })
})
