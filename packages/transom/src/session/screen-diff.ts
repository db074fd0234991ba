import type { Result } from '@transom/protocol'
import { changedRows } from '@transom/grid'
import { screenLine } from './styled-runs.ts'
import type { Projection } from './projection.ts'
import type { Frame } from '../terminal/emulator.ts'
import { screenHash } from './snapshot.ts'

/** The rows of `now` that differ from `before`, also when the two come from different replays. */
export function diffScreens(
  session: string,
  before: { readonly seq: number; readonly frame: Frame },
  now: Projection,
  cells: boolean,
): Result<'session.diff'> {
  const frame = now.frame()
  const { grid, cursor, title } = frame
  const old = before.frame
  const sameSize = old.grid.cols === grid.cols && old.grid.rows === grid.rows
  const look = (of: Frame, row: number) => JSON.stringify(screenLine(of, row, true))
  const rows = changedRows(old.grid, grid).filter((row) => !sameSize || look(old, row) !== look(frame, row))
  return {
    session,
    since_seq: before.seq,
    seq: now.seq,
    cols: grid.cols,
    rows: grid.rows,
    changed: rows.map((row) => ({ row, line: screenLine(frame, row, cells) })),
    cursor,
    title,
    screen_hash: screenHash(now.canonical()),
  }
}
