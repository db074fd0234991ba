/**
 * What a Batch may do, by the names of operations without their `session.`. Steps whose operation this version does
 * not have are unknown steps. No zod here: the CLI bundles this file.
 */
export const BATCH_STEPS = [
  'type',
  'keys',
  'paste',
  'mouse',
  'secret',
  'run',
  'signal',
  'resize',
  'mark',
  'wait',
  'assert',
  'snapshot',
  'screenshot',
] as const
export type BatchStepName = (typeof BATCH_STEPS)[number]

/** Those that a wait behind them is anchored to: their seq is its Wait Baseline. */
export const INPUT_STEPS: readonly string[] = [
  'type',
  'keys',
  'paste',
  'mouse',
  'secret',
  'run',
  'signal',
] satisfies BatchStepName[]
