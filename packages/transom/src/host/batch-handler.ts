import {
  OPERATIONS,
  isOperationName,
  stepOperation,
  type BatchStepReport,
  type Block,
  type OperationDefinition,
  type OperationName,
  type ParsedParams,
  type Result,
  type Snapshot,
} from '@transom/protocol'
import { OpError, toWireError, type ErrorDetails } from '@transom/protocol/errors'
import { Turns } from '../lib/turns.ts'
import { compileConditions } from '../session/conditions.ts'
import { problemsOf, usageError } from '../session/bad-parameters.ts'
import { dispatch, type HostOperations, type RequestContext } from './dispatch.ts'

type Step = ParsedParams<'session.batch'>['steps'][number]

interface Batch {
  /** The Command Target, by its id: resolved once, even if its name is reused meanwhile. */
  readonly session: string
  readonly keepGoing: boolean
  readonly actor: string | undefined
  readonly lease: string | undefined
  /** How long all steps together may take. */
  readonly timeoutMs: number | undefined
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
  const turns = new Turns()
  const giveTurn = async () => {
    if (!turns.isDue) return
    await turns.give()
    context.signal.throwIfAborted()
  }
  const calls = await checkedCalls(steps, batch, giveTurn)
  const startMs = performance.now()
  const reports: BatchStepReport[] = []
  let failure: { number: number; error: unknown; snapshot: Snapshot } | null = null
  let stopped: Result<'session.batch'>['stopped']
  let inputSeq: number | undefined
  for (const [index, { name, isInput, params, timeoutMs }] of calls.entries()) {
    const number = index + 1
    const step = steps[index]?.step ?? ''
    const stepStartMs = performance.now()
    const leftMs = (batch.timeoutMs ?? Infinity) - since(startMs)
    if (leftMs <= 0) {
      stopped = { number, after_seq: inputSeq ?? null, block: null }
      break
    }
    context.progress({ number, steps: steps.length, step })
    const report = { number, step, ok: true, elapsed_ms: 0, result: null, error: null }
    try {
      const limit = timeoutMs > leftMs ? { timeout_ms: Math.floor(leftMs) } : {}
      const given = { ...anchored(name, params, inputSeq), ...limit }
      const result = await dispatch(operations, name, given, context)
      if (name === 'session.run') checkExitCode(result)
      if (isInput) inputSeq = seqOf(result) ?? inputSeq
      reports.push({ ...report, elapsed_ms: since(stepStartMs), result: brief(name, params, result) })
    } catch (error) {
      context.signal.throwIfAborted()
      const { code, message, details } = toWireError(error)
      if (OUT_OF_TIME.has(code) && timeoutMs > leftMs) {
        stopped = { number, after_seq: inputSeq ?? null, block: blockOf(details) }
        break
      }
      reports.push({ ...report, ok: false, elapsed_ms: since(stepStartMs), error: { code, message } })
      failure ??= { number, error, snapshot: await seen(operations, batch, error, context) }
      if (!batch.keepGoing) break
    }
    await giveTurn() // waits that are over at once never leave this turn of the event loop
  }
  if (failure !== null) throw failed(batch, failure, reports, steps.length)
  const { seq, screen_hash } = await screenOf(operations, batch, context)
  const result = { session: batch.session, steps: reports, elapsed_ms: since(startMs), seq, screen_hash }
  return stopped === undefined ? result : { ...result, stopped }
}

/** How a step ends that was given less time than it asked for. */
const OUT_OF_TIME: ReadonlySet<string> = new Set(['wait_timeout', 'block_running'])

function blockOf({ block }: ErrorDetails): number | null {
  return (block as Block | undefined)?.seq ?? null // a run reports its block
}

interface Call {
  readonly name: OperationName
  /** Whether a wait after it is anchored to it. */
  readonly isInput: boolean
  readonly params: Record<string, unknown>
  /** How long it waits at most; 0 for one that does not wait. */
  readonly timeoutMs: number
}

/** What is wrong with a step, for a caller that sent many. */
interface BadStep {
  readonly number: number
  readonly step: string
  readonly message: string
}

/** The calls of all steps. Throws `usage` (or `bad_pattern`, if no step has another fault), listing every bad step. */
async function checkedCalls(
  steps: readonly Step[],
  batch: Batch,
  giveTurn: () => Promise<void>,
): Promise<Call[]> {
  const calls: Call[] = []
  const errors: OpError[] = []
  const bad: BadStep[] = []
  for (const [index, step] of steps.entries()) {
    try {
      calls.push(callOf(step, batch)) // compiles the pattern of a wait
    } catch (error) {
      if (!(error instanceof OpError)) throw error
      errors.push(error)
      bad.push({ number: index + 1, step: step.step, message: error.message })
    }
    await giveTurn()
  }
  const [first] = bad
  if (first === undefined) return calls
  const message = bad.map((it) => `step ${it.number} (${it.step}): ${it.message}`).join('\n')
  const code = errors.every((error) => error.code === 'bad_pattern') ? 'bad_pattern' : 'usage'
  throw new OpError(code, message, { step: first.number, bad_steps: bad })
}

function callOf({ step, ...given }: Step, { session, actor, lease }: Batch): Call {
  const name = stepOperation(step)
  if (!isOperationName(name)) throw new OpError('usage', 'this version has no such step')
  const { params: schema, step: role }: OperationDefinition = OPERATIONS[name]
  const by = Object.entries({ actor, lease }).filter(
    ([key, value]) => value !== undefined && key in schema.shape,
  )
  // Every operation of a conversation takes a session's id, too.
  const target = 'session' in schema.shape ? { session } : { conversation_id: session, must_exist: true }
  const params = { ...Object.fromEntries(by), ...given, ...target }
  const parsed = schema.safeParse(params)
  if (parsed.success) {
    if (name === 'session.wait') compileConditions(parsed.data)
    const { timeout_ms: timeoutMs = 0 } = parsed.data as { timeout_ms?: number } // as every wait calls it
    return { name, isInput: role === 'input', params, timeoutMs }
  }
  throw usageError(problemsOf(parsed.error.issues, params), {})
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

/** A wait carries the screen it saw; a report of many steps has no use for one each, unless it is asked for. */
function brief(
  name: OperationName,
  params: Record<string, unknown>,
  result: unknown,
): Record<string, unknown> {
  const all = result as Record<string, unknown> // every operation of a step answers with an object
  if (name !== 'session.wait' || params['snapshot'] === true) return all
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
