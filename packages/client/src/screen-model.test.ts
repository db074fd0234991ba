import { expect, test } from 'vitest'
import type { Snapshot } from '@transom/protocol'
import { ScreenModel } from './screen-model.ts'

const CURSOR = { row: 0, col: 0, visible: true, shape: 'block', blink: false } as const
const PAGE = {
  url: 'http://a.test/',
  title: 'A',
  loading: true,
  can_go_back: false,
  can_go_forward: false,
  dialog: null,
}
const DUMP: Snapshot = {
  session: 's',
  seq: 3,
  cols: 4,
  rows: 2,
  cursor: CURSOR,
  title: 'A',
  bells: 0,
  page: PAGE,
  lines: [
    { text: 'one', wrapped: false },
    { text: 'two', wrapped: false },
  ],
  screen_hash: 'aa',
}

test('a dump, then changes, is what the session shows; what was read before stays as it was', () => {
  const model = new ScreenModel()
  expect(model.shown).toBeNull()
  model.apply({ type: 'screen', subscription: 1, snapshot: DUMP })
  const before = model.shown
  const line = { text: 'TWO', wrapped: false }
  const change = { seq: 5, cursor: { ...CURSOR, col: 2 }, title: 'B', bells: 1, screen_hash: 'bb' }
  model.apply({ type: 'rows', subscription: 1, rows: [{ row: 1, line }], ...change })
  expect(model.shown).toEqual({ ...DUMP, ...change, lines: [DUMP.lines[0], line] })
  const page = { ...PAGE, loading: false }
  model.apply({ type: 'rows', subscription: 1, rows: [], ...change, seq: 6, page })
  expect(model.shown).toMatchObject({ seq: 6, page, cols: 4, lines: [DUMP.lines[0], line] })
  expect(before).toEqual(DUMP)
})
