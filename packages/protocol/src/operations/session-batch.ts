import { z } from 'zod'
import { ACTS } from '../access.ts'
import { actor, operation, sessionRef, type OperationDefinition } from '../operation.ts'
import { SESSION_OPERATIONS } from './session.ts'
import { SESSION_CAPTURE_OPERATIONS } from './session-capture.ts'
import { SESSION_INPUT_OPERATIONS } from './session-input.ts'
import { SESSION_SHELL_OPERATIONS } from './session-shell.ts'
import { SESSION_VIEW_OPERATIONS } from './session-view.ts'

const BATCH_STEPS_MAX = 1000 // a script that a person can still review; and its reports fit into an answer

const STEP_OPERATIONS: Readonly<Record<string, OperationDefinition>> = {
  ...SESSION_OPERATIONS,
  ...SESSION_INPUT_OPERATIONS,
  ...SESSION_SHELL_OPERATIONS,
  ...SESSION_VIEW_OPERATIONS,
  ...SESSION_CAPTURE_OPERATIONS,
}
/** A step whose operation is not one of a session: it names the session as its conversation. */
const EXEC_STEP = 'exec'
/** By the names of operations without their `session.`. */
const stepNames = Object.entries(STEP_OPERATIONS).flatMap(([name, { step }]) =>
  step === undefined ? [] : [name.slice('session.'.length)],
)

/** The operation that a Batch Step is, by the step's name. */
export function stepOperation(step: string): string {
  return step === EXEC_STEP ? 'pty.exec_interactive' : `session.${step}`
}

/** What became of one Batch Step. */
const batchStepReport = z.object({
  number: z.int().describe('From 1.'),
  step: z.string(),
  ok: z.boolean(),
  elapsed_ms: z.number(),
  result: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('What its operation answered; of a wait without the screen.'),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
})
export type BatchStepReport = z.infer<typeof batchStepReport>

/** Several operations as one. */
export const SESSION_BATCH_OPERATIONS = {
  'session.batch': operation({
    summary: 'Run steps one after another in a session: input, waits, checks, captures.',
    params: z.object({
      session: sessionRef,
      steps: z
        .array(z.looseObject({ step: z.enum([...stepNames, EXEC_STEP]) }))
        .min(1)
        .max(BATCH_STEPS_MAX)
        .describe(
          'Each has the name of an operation without `session.` as `step`, or `exec`, and its parameters: `{"step": "type", "text": "ls", "enter": true}`. A wait without a baseline is anchored to the input before it.',
        ),
      keep_going: z.boolean().optional().describe('Go on after a step that failed.'),
      actor,
    }),
    result: z.object({
      session: z.string(),
      steps: z.array(batchStepReport),
      elapsed_ms: z.number(),
      seq: z.int(),
      screen_hash: z.string(),
    }),
    errors: ['session_not_found', 'session_ambiguous', 'session_ended', 'batch_failed'],
    readOnly: false,
    access: ACTS,
    mcp: {
      name: 'interact',
      title: 'Several steps at once',
      description:
        'Runs steps in a session one after another in one call: exec, type, keys, paste, mouse, wait, assert, snapshot. A wait is anchored to the input before it, so that [type, wait, snapshot] is a whole turn. Stops at the first step that fails and says which.',
    },
    cli: null, // the command reads a script and is one of the client's own
  }),
} as const
