import { offsetInLine, type CanonicalText, type TextSpan } from '@transom/grid'
import type { Frame } from '../terminal/emulator.ts'

/**
 * The rows that nothing has been written to since `seq`, as stretches of the text: they stood there before. A frame that
 * does not know when its rows were written has none.
 */
export function standingText(
  seq: number,
  { text: grid, written }: Frame,
  canonical: CanonicalText,
): TextSpan[] {
  return canonical.lines.flatMap((line) => {
    const rows = Array.from({ length: line.rowCount }, (_, index) => line.rowIndex + index)
    const offsets = rows.map((row) => Math.min(offsetInLine(grid, line, row, 0), line.text.length))
    return rows.flatMap((row, index) => {
      if ((written[row] ?? Infinity) > seq) return []
      const end = offsets[index + 1] ?? line.text.length + 1 // the line break, too
      return [{ start: line.start + (offsets[index] ?? 0), end: line.start + end }]
    })
  })
}

/** Whether anything has been written to the screen since `seq`. */
export function isWrittenSince(seq: number, { written }: Frame): boolean {
  return written.length === 0 || written.some((last) => last > seq)
}

/** Stretches that touch or overlap as one, in order. */
export function joinedSpans(spans: readonly TextSpan[]): TextSpan[] {
  const joined: TextSpan[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start)) {
    const last = joined.at(-1)
    if (last === undefined || span.start > last.end) joined.push(span)
    else joined[joined.length - 1] = { start: last.start, end: Math.max(last.end, span.end) }
  }
  return joined
}
