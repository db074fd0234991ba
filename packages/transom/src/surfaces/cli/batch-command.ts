import type { BatchStepReport, Command, Result, Snapshot } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { parseBatch, type ScriptStep } from './batch-script.ts'
import { callerContext } from './caller-context.ts'
import { localCommand, localParam, sessionParam, type LocalContext } from './local-command.ts'
import { spellParameters } from './spell-parameters.ts'
import { printable } from './text-layout.ts'

export const batchCommand = localCommand({
  command: 'batch',
  summary: 'Run the steps of a script in a session: input, waits, checks, captures.',
  description:
    'A script has a step a line, in the words of the command line without the session: type, keys, paste, mouse, run, exec, signal, resize, mark, wait, assert, snapshot, screenshot. # begins a comment. JSON (a list of steps) and JSON lines are read, too. A wait after an input looks only at what came after that input, and an input that prints nothing does not make it hang. The first step that fails ends the batch with status 1, with what was waited for and the screen; --keep-going goes on and fails at the end. All steps are checked before the first one runs.',
  seeAlso: ['type', 'wait', 'assert', 'snapshot'],
  examples: [
    'transom batch edit flow.batch',
    'transom batch edit flow.batch --keep-going',
    'transom batch work -',
  ],
  errors: ['session_not_found', 'session_ambiguous', 'session_ended', 'file_not_read', 'batch_failed'],
  positionals: ['session', 'script'],
  startsHost: true,
  params: [
    sessionParam(),
    localParam({
      name: 'script',
      type: 'string',
      placeholder: 'FILE',
      description: 'The file with the steps; - is standard input.',
      required: true,
    }),
    localParam({
      name: 'keep_going',
      type: 'boolean',
      flag: 'keep-going',
      description: 'Go on after a step that failed.',
    }),
    localParam({
      name: 'actor',
      type: 'string',
      flag: 'actor',
      placeholder: 'NAME',
      description: 'What the caller calls itself: a label that the Event Log keeps beside the actor.',
      from: '$TRANSOM_ACTOR',
    }),
  ],
  run: batch,
})

async function batch(context: LocalContext): Promise<number> {
  const { cli, params } = context
  const { script: file, ...rest } = params as { script: string; session: string }
  const name = file === '-' ? 'standard input' : file
  const steps = parseBatch(context.readText(file), name, context.commands, {
    ...callerContext(cli),
    public: false, // a file's lines
  })
  const onProgress = ({ number }: Record<string, unknown>) => {
    const step = steps[Number(number) - 1]
    if (step !== undefined) cli.progress(`${String(number)}/${steps.length}  ${printable(step.source)}`)
  }
  try {
    const request = { ...rest, steps: steps.map(({ step }) => step) }
    const result = (await context.call('session.batch', request, onProgress)) as Result<'session.batch'>
    cli.progress('')
    context.answer(result, result.steps.flatMap((report) => reportLines(report, steps)).join('\n'))
    return 0
  } catch (error) {
    cli.progress('')
    throw error instanceof OpError ? placed(error, name, steps, context.commands) : error
  }
}

function reportLines(
  { number, step, result, elapsed_ms, ok }: BatchStepReport,
  steps: readonly ScriptStep[],
) {
  const source = printable(steps[number - 1]?.source ?? step)
  const line = `${ok ? 'ok    ' : 'failed'}  ${String(number).padStart(3)}  ${source}  (${Math.round(elapsed_ms)} ms)`
  const shown = result === null ? [] : linesOf(step, result)
  const text = shown.map((it) => `        | ${printable(it)}`.trimEnd())
  return [line, ...text.slice(0, text.findLastIndex((it) => !it.endsWith('|')) + 1)]
}

/** What a step has to show: the screen, or what a command printed. */
function linesOf(step: string, result: Record<string, unknown>): string[] {
  if (step === 'snapshot') return (result as unknown as Snapshot).lines.map(({ text }) => text) // its answer
  if (step === 'wait')
    return (result as Partial<Result<'session.wait'>>).snapshot?.lines.map(({ text }) => text) ?? []
  if (step !== 'run') return []
  const { data, data_b64 } = result as Result<'session.run'>
  return (data ?? Buffer.from(data_b64 ?? '', 'base64').toString()).split(/\r?\n/)
}

/** The same error, telling which line of the file it is about. */
function placed(
  error: OpError,
  file: string,
  steps: readonly ScriptStep[],
  commands: readonly Command[],
): OpError {
  const where = (number: number) => {
    const step = steps[number - 1]
    return step === undefined ? '' : `${file}:${step.line}: ${step.source}\n  `
  }
  const { step, failures, bad_steps } = error.details
  if (Array.isArray(bad_steps)) {
    // as the host's batch handler wrote them
    const bad = bad_steps as { number: number; step: string; message: string }[]
    const messages = bad.map((it) => {
      const command = commands.find(({ isStep, command: name }) => isStep && name === it.step)
      return where(it.number) + spellParameters(it.message, commands, command)
    })
    return new OpError(error.code, messages.join('\n'), error.details)
  }
  if (error.code !== 'batch_failed' && typeof step === 'number')
    return new OpError(error.code, `${where(step)}${error.message}`, error.details)
  if (error.code !== 'batch_failed' || !Array.isArray(failures)) return error
  const messages = (failures as BatchStepReport[]).map(
    (it) => where(it.number) + stepMessage(it, steps.length),
  )
  return new OpError('batch_failed', messages.join('\n'), error.details)
}

function stepMessage({ number, step, error }: BatchStepReport, stepCount: number): string {
  return `step ${number} of ${stepCount} (${step}) failed: ${error?.message ?? ''}`
}
