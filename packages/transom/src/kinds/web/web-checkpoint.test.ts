import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  CELL_BLANK,
  CELL_GRAPHIC,
  CELL_TEXT,
  CLUSTER_BASE,
  DEFAULT_STYLE,
  Grid,
  RGB_COLOR,
  WIDE_SPACER,
  createGridTables,
} from '@transom/grid'
import { EVENT_TYPE_NUMBERS, type EventType } from '@transom/protocol'
import type { LogRecord } from '../../log/record.ts'
import { encodeCells, type PageCells } from './cell-runs.ts'
import { WebProjection } from './web-projection.ts'

const [COLS, ROWS] = [5, 3]
const tables = createGridTables()

const cell = fc.record({
  code: fc.constantFrom(0, 0, 0x41, 0x4e16, WIDE_SPACER, CLUSTER_BASE + tables.clusters.idOf('e\u0301')),
  kind: fc.constantFrom(CELL_BLANK, CELL_TEXT, CELL_GRAPHIC),
  fg: fc.constantFrom(0, 0x123456),
  bg: fc.constantFrom(0, 0xffffff),
})

const page = fc
  .tuple(
    fc.array(cell, { minLength: COLS * ROWS, maxLength: COLS * ROWS }),
    fc.option(fc.record({ row: fc.nat(ROWS - 1), col: fc.nat(COLS - 1) })),
  )
  .map(([cells, caret]): PageCells => {
    const grid = new Grid(COLS, ROWS, tables)
    cells.forEach(({ code, fg, bg }, index) => {
      grid.codes[index] = code
      grid.styleIds[index] = tables.styles.idOf({ ...DEFAULT_STYLE, fg: fg | RGB_COLOR, bg: bg | RGB_COLOR })
    })
    return { grid, kinds: Uint8Array.from(cells, ({ kind }) => kind), caret }
  })

function recordOf(seq: number, type: EventType, payload: Uint8Array): LogRecord {
  return { seq, time: 0, typeNumber: EVENT_TYPE_NUMBERS[type], payload }
}

/** Everything that can be seen of a screen, cells in which nothing is shown included. */
function allOf(screen: WebProjection) {
  const { grid, text, cursor, title } = screen.frame()
  const cells = Array.from(grid.codes, (code, index) => [
    code < CLUSTER_BASE || code === WIDE_SPACER ? code : grid.tables.clusters.valueOf(code - CLUSTER_BASE),
    grid.tables.styles.valueOf(grid.styleIds[index] ?? 0),
    text.codes[index] === 0,
  ])
  return { seq: screen.seq, cells, cursor, title, page: screen.page(), text: screen.canonical().text }
}

test('a web screen from a checkpoint shows what the one that was kept shows, now and after more frames', () => {
  fc.assert(
    fc.property(
      fc.array(page, { minLength: 1, maxLength: 5 }),
      fc.nat(4),
      fc.string(),
      (pages, pick, title) => {
        const live = new WebProjection(COLS, ROWS)
        let restored: WebProjection | null = null
        let before: PageCells | null = null
        for (const [index, now] of pages.entries()) {
          const cells = encodeCells(now, before)
          before = now
          const seq = index * 2 + 1
          const named = Buffer.from(JSON.stringify({ title: `${title} ${index} 世\u{1f600}` }))
          for (const screen of restored === null ? [live] : [live, restored]) {
            screen.apply(recordOf(seq, 'web_frame', cells))
            screen.apply(recordOf(seq + 1, 'web_title', named))
          }
          if (index === pick % pages.length) restored = WebProjection.restore(live.checkpoint())
          if (restored !== null) expect(allOf(restored)).toEqual(allOf(live))
        }
        expect(restored).not.toBeNull()
      },
    ),
  )
})
