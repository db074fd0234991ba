import * as texts from '../query-answers.ts'
import type { TerminalState } from './terminal-state.ts'

const CSI = '\x1b['

/** Mode 2048: the size in rows, columns and pixels. */
export function sizeReport({ cols, rows }: TerminalState): string {
  const pixels = texts.windowReport(14, cols, rows)?.slice(CSI.length + 2, -1) ?? ''
  return `${CSI}48;${rows};${cols};${pixels}t`
}
