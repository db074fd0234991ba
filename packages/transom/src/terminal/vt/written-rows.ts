/** What a resize keeps of when rows were written: a line that is only wrapped anew has not changed. */
import type { ScreenBuffer } from './screen-buffer.ts'

interface CursorRow {
  readonly screen: ScreenBuffer
  readonly row: number
}

/** For lines that were wrapped anew: both screens are compared line by line, from the cursor's line on. */
export function keepWritten(before: CursorRow, after: CursorRow): void {
  const seqs = new Map<number, number>()
  for (const { row, line } of linesFrom(before)) {
    const seq = before.screen.written[before.screen.slotOf(row)] ?? 0
    seqs.set(line, Math.max(seq, seqs.get(line) ?? 0))
  }
  for (const { row, line } of linesFrom(after))
    after.screen.written[after.screen.slotOf(row)] = seqs.get(line) ?? 0 // 0: it comes from the history
  after.screen.skipWritten()
}

/** For rows that were only moved up by `top`. */
export function keepWrittenRows(before: ScreenBuffer, after: ScreenBuffer, top: number): void {
  for (let row = 0; row < after.rows && top + row < before.rows; row++)
    after.written[after.slotOf(row)] = before.written[before.slotOf(top + row)] ?? 0
  after.skipWritten()
}

/** Every row of a screen, with the number of its line; the cursor's line has the number 0. */
function linesFrom({ screen, row: cursorRow }: CursorRow): { row: number; line: number }[] {
  const rows: { row: number; line: number }[] = []
  let line = 0
  for (let row = 0; row < screen.rows; row++) {
    if (row > 0 && !screen.isWrapped(row)) line++
    rows.push({ row, line })
  }
  const cursorLine = rows[cursorRow]?.line ?? 0
  return rows.map((it) => ({ row: it.row, line: it.line - cursorLine }))
}
