import type { Result } from '@transom/protocol'
import { changedRows } from '../grid/grid.ts'
import { screenLine } from '../grid/styled-runs.ts'
import type { Screen } from '../terminal/screen.ts'
import { screenHash } from './snapshot.ts'

/** The rows of `now` that differ from `before`, also when the two come from different replays. */
export function diffScreens(
  session: string,
  before: Screen,
  now: Screen,
  cells: boolean,
): Result<'session.diff'> {
  const { grid, cursor, title } = now.frame()
  const old = before.frame().grid
  const sameSize = old.cols === grid.cols && old.rows === grid.rows
  const look = (of: typeof grid, row: number) => JSON.stringify(screenLine(of, row, true))
  const rows = changedRows(old, grid).filter((row) => !sameSize || look(old, row) !== look(grid, row))
  return {
    session,
    since_seq: before.seq,
    seq: now.seq,
    cols: grid.cols,
    rows: grid.rows,
    changed: rows.map((row) => ({ row, line: screenLine(grid, row, cells) })),
    cursor,
    title,
    screen_hash: screenHash(now.canonical()),
  }
}
