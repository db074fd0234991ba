import {
  OPERATIONS,
  isOperationName,
  stepOperation,
  type BatchStepReport,
  type OperationDefinition,
  type OperationName,
  type ParsedParams,
  type Result,
  type Snapshot,
  type WaitConditions,
} from '@transom/protocol'
import { OpError, toWireError } from '@transom/protocol/errors'
import { compileConditions } from '../session/conditions.ts'
import { dispatch, type HostOperations, type RequestContext } from './dispatch.ts'

type Step = ParsedParams<'session.batch'>['steps'][number]

interface Batch {
  /** The Command Target, by its id: resolved once, even if its name is reused meanwhile. */
  readonly session: string
  readonly keepGoing: boolean
  readonly actor: string | undefined
}

/**
 * Runs the steps of a Batch, each as the operation it is named after. All are checked before the first one runs, so
 * that a mistake in the last line does not leave a program half driven.
 */
export async function runBatch(
  operations: HostOperations,
  batch: Batch,
  steps: readonly Step[],
  context: RequestContext,
): Promise<Result<'session.batch'>> {
  const calls = steps.map((step, index) => callOf(step, index + 1, batch))
  const startMs = performance.now()
  const reports: BatchStepReport[] = []
  let failure: { number: number; error: unknown; snapshot: Snapshot } | null = null
  let inputSeq: number | undefined
  for (const [index, { name, isInput, params }] of calls.entries()) {
    const number = index + 1
    const step = steps[index]?.step ?? ''
    const stepStartMs = performance.now()
    context.progress({ number, steps: steps.length, step })
    const report = { number, step, ok: true, elapsed_ms: 0, result: null, error: null }
    try {
      const result = await dispatch(operations, name, anchored(name, params, inputSeq), context)
      if (name === 'session.run') checkExitCode(result)
      if (isInput) inputSeq = seqOf(result) ?? inputSeq
      reports.push({ ...report, elapsed_ms: since(stepStartMs), result: brief(name, result) })
    } catch (error) {
      context.signal.throwIfAborted()
      const { code, message } = toWireError(error)
      reports.push({ ...report, ok: false, elapsed_ms: since(stepStartMs), error: { code, message } })
      failure ??= { number, error, snapshot: await seen(operations, batch, error, context) }
      if (!batch.keepGoing) break
    }
  }
  if (failure !== null) throw failed(batch, failure, reports, steps.length)
  const { seq, screen_hash } = await screenOf(operations, batch, context)
  return { session: batch.session, steps: reports, elapsed_ms: since(startMs), seq, screen_hash }
}

interface Call {
  readonly name: OperationName
  /** Whether a wait after it is anchored to it. */
  readonly isInput: boolean
  readonly params: Record<string, unknown>
}

function callOf({ step, ...given }: Step, number: number, { session, actor }: Batch): Call {
  const name = stepOperation(step)
  if (!isOperationName(name)) {
    const message = `step ${number}: there is no step ${JSON.stringify(step)} in this version`
    throw new OpError('usage', message, { step: number })
  }
  const { params: schema, step: role }: OperationDefinition = OPERATIONS[name]
  const hasActor = actor !== undefined && 'actor' in schema.shape
  // Every operation of a conversation takes a session's id, too.
  const target = 'session' in schema.shape ? { session } : { conversation_id: session, must_exist: true }
  const params = { ...(hasActor ? { actor } : {}), ...given, ...target }
  const parsed = schema.safeParse(params)
  if (parsed.success) {
    if (name === 'session.wait') checkConditions(number, parsed.data)
    return { name, isInput: role === 'input', params }
  }
  const problems = parsed.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.map(String).join('.')}: ${message}`,
  )
  throw new OpError('usage', `step ${number} (${step}): ${problems.join('; ')}`, { step: number, problems })
}

/** Whether it waits for anything, by patterns that can be used. */
function checkConditions(number: number, params: WaitConditions): void {
  try {
    compileConditions(params)
  } catch (error) {
    if (!(error instanceof OpError)) throw error
    throw new OpError(error.code, `step ${number} (wait): ${error.message}`, {
      ...error.details,
      step: number,
    })
  }
}

/** A wait looks past the input before it, unless it gives its own baseline. */
function anchored(
  name: OperationName,
  params: Record<string, unknown>,
  inputSeq: number | undefined,
): Record<string, unknown> {
  if (name !== 'session.wait' || inputSeq === undefined) return params
  return 'after_seq' in params || 'after_input' in params ? params : { ...params, after_seq: inputSeq }
}

/** Where in the log something happened. The `seq` of what exec made is that of its block. */
function seqOf(result: unknown): number | undefined {
  const answer = (result ?? {}) as { seq?: number; log_seq?: number; block?: Result<'session.run'>['block'] }
  return answer.block?.log_seq_begin ?? answer.log_seq ?? answer.seq
}

/** A Waited Run whose command failed has failed, as in a script of a shell with `set -e`. */
function checkExitCode(result: unknown): void {
  const { exit_code, command } = (result as Result<'session.run'>).block
  if (exit_code === null || exit_code === 0) return
  const message = `${JSON.stringify(command)} ended with exit code ${exit_code}`
  throw new OpError('assert_failed', message, { exit_code, command })
}

/** A wait carries the screen it saw; a report of many steps has no use for one each. */
function brief(name: OperationName, result: unknown): Record<string, unknown> {
  const all = result as Record<string, unknown> // every operation of a step answers with an object
  if (name !== 'session.wait') return all
  const { snapshot, ...rest } = all
  return { ...rest, seq: seqOf(snapshot) }
}

/** The screen that the failed step saw itself, or the one that is there now. */
async function seen(
  operations: HostOperations,
  batch: Batch,
  error: unknown,
  context: RequestContext,
): Promise<Snapshot> {
  const own = error instanceof OpError ? error.details['snapshot'] : undefined
  return (own as Snapshot | undefined) ?? (await screenOf(operations, batch, context))
}

async function screenOf(
  { handlers }: HostOperations,
  { session }: Batch,
  context: RequestContext,
): Promise<Snapshot> {
  return handlers['session.snapshot']({ session }, context)
}

function failed(
  { session }: Batch,
  { number, error, snapshot }: { number: number; error: unknown; snapshot: Snapshot },
  reports: readonly BatchStepReport[],
  stepCount: number,
): OpError {
  const failures = reports.flatMap((report) =>
    report.error === null ? [] : [{ ...report, error: report.error }],
  )
  const words = failures.map(
    (it) => `step ${it.number} of ${stepCount} (${it.step}) failed: ${it.error.message}`,
  )
  const { next, quote } = toWireError(error).details // of the first: what it advises is what the batch needs
  const advice = { ...(next === undefined ? {} : { next }), ...(quote === undefined ? {} : { quote }) }
  const details = { session, step: number, failures, steps: reports, snapshot, ...advice }
  return new OpError('batch_failed', words.join('\n'), details)
}

function since(startMs: number): number {
  return performance.now() - startMs
}
