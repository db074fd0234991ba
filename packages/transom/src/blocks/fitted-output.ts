import { endsBudget, outputBudget, type BudgetOptions, type BudgetedOutput } from './output-budget.ts'
import { READ_BYTES_MAX, readOutput, type OutputStream } from './output-stream.ts'

/** Of output that is longer than what is read at once, this much of either end is looked at. */
const END_BYTES = READ_BYTES_MAX / 2

/** The output between two cursors, made to fit; of very long output only the ends are read. */
export async function fittedOutput(
  stream: OutputStream,
  { from, to }: { from: number; to: number },
  options: Omit<BudgetOptions, 'fromCursor'>,
): Promise<BudgetedOutput> {
  if (to - from <= READ_BYTES_MAX) {
    return outputBudget(await readOutput(stream, from, to), { ...options, fromCursor: from })
  }
  const head = { bytes: await readOutput(stream, from, from + END_BYTES), cursor: from }
  const tail = { bytes: await readOutput(stream, to - END_BYTES, to), cursor: to - END_BYTES }
  return endsBudget({ head, tail: fromLineStart(tail), bytes: to - from }, options)
}

/** Where a stretch begins in the middle of a line, escape sequences and characters may be cut: that line is left out. */
function fromLineStart(stretch: { bytes: Buffer; cursor: number }): { bytes: Buffer; cursor: number } {
  const start = stretch.bytes.indexOf(0x0a) + 1
  return { bytes: stretch.bytes.subarray(start), cursor: stretch.cursor + start }
}
