import type { Block } from '@transom/protocol'
import { shortened } from './answer-budget.ts'

/** Enough to see which command it is: the caller has given it, and the block has a number. */
const COMMAND_CHARS_MAX = 100

/** Whether a part of a result is a block: those of a batch come without a schema. */
export function isBlock(value: unknown): value is Block {
  return typeof value === 'object' && value !== null && 'block_id' in value && 'cursor_begin' in value
}

/** A block as a tool answers with it: what became of the command, and where its output is. */
export function compactBlock({ command, cwd_after, duration_ms, ...block }: Block): object {
  const kept = Object.entries(block).filter(([key]) => !LEFT_OUT.has(key))
  return {
    ...Object.fromEntries(kept),
    ...(cwd_after === block.cwd ? {} : { cwd_after }),
    command: command && shortened(command, COMMAND_CHARS_MAX),
    duration_ms: duration_ms && Math.round(duration_ms),
  }
}

/** Who asked for it and when, in two measures. */
const LEFT_OUT = new Set<string>([
  'actor',
  'actor_label',
  'ts_begin',
  'ts_end',
  'log_seq_begin',
  'log_seq_end',
] satisfies (keyof Block)[])
