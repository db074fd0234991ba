import type { Block, Result } from '@transom/protocol'
import type { WireError } from '@transom/protocol/errors'
import { CONTENT_CHARS_DEFAULT } from './answer-budget.ts'
import { stepDefinitions } from './tool-params.ts'
import type { Tool } from './tool-table.ts'

type Arguments = Readonly<Record<string, unknown>>

/** The call to go on with, after one that ended before what it waited for. */
interface Resume {
  readonly tool: string
  /** Left out where they are too long for an answer: the caller has them. */
  readonly arguments?: Arguments
}

/**
 * The answer of a call whose time was over: no failure, for nothing was lost. It has what was seen, and the call to go
 * on with. Null for every other error, and where the tools offer no way to go on.
 */
export function timedOutAnswer(
  { code, message, details }: WireError,
  given: Arguments,
  called: Tool,
  tools: readonly Tool[],
): object | null {
  const { next: _steps, ...seen } = details
  if (code === 'wait_timeout' && 'snapshot' in details) {
    // The same wait again, from the same baseline: what comes true in between is not missed.
    const resume = resumeBy(called, given)
    return { session: given['session'], matched: false, ...seen, resume }
  }
  if (code !== 'block_running' || called.operation !== 'session.run') return null
  const wait = tools.find(({ operation }) => operation === 'session.wait')
  if (wait === undefined) return null
  const { seq } = details['block'] as Block // a run reports its block
  const resume = resumeBy(wait, { session: given['session'], block_end: seq })
  return { ok: false, timed_out: true, note: message, ...seen, resume }
}

/** The answer of a batch; of one that was stopped, with the steps that are left. */
export function batchAnswer(
  { stopped, ...result }: Result<'session.batch'>,
  given: Arguments,
  called: Tool,
): object {
  if (stopped === undefined) return result
  const steps = given['steps'] as readonly Step[] // the host has run them
  const left = remainingSteps(steps.slice(stopped.number - 1), stopped)
  const resume = resumeBy(called, { ...given, steps: left })
  const note = `stopped at step ${stopped.number} of ${steps.length}: the time of a call is over, and the program goes on`
  return { ...result, timed_out: true, note, stopped, resume }
}

function resumeBy({ tool: { name } }: Tool, given: Arguments): Resume {
  return JSON.stringify(given).length > CONTENT_CHARS_DEFAULT
    ? { tool: name }
    : { tool: name, arguments: given }
}

type Step = Readonly<Record<string, unknown>> & { readonly step: string }

/** A command that was begun is waited for, not begun again; a wait keeps the input that it was anchored to. */
function remainingSteps(
  [first, ...rest]: readonly Step[],
  { after_seq, block }: NonNullable<Result<'session.batch'>['stopped']>,
): readonly Step[] {
  if (first === undefined) return []
  if (block !== null) return [{ step: 'wait', block_end: block }, ...rest]
  if (after_seq === null) return [first, ...rest]
  const definitions = stepDefinitions()
  let isBeforeInput = true
  return [first, ...rest].map((step) => {
    isBeforeInput &&= definitions.get(step.step)?.step !== 'input'
    const isAnchored = isBeforeInput && step.step === 'wait'
    return isAnchored && !('after_seq' in step) && !('after_input' in step) ? { ...step, after_seq } : step
  })
}
