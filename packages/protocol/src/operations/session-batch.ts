import { z } from 'zod'
import { ACTS } from '../access.ts'
import { acting, operation, sessionRef, type OperationDefinition } from '../operation.ts'
import { WAIT_MS_MAX } from '../wait.ts'
import { SESSION_OPERATIONS } from './session.ts'
import { SESSION_CAPTURE_OPERATIONS } from './session-capture.ts'
import { SESSION_INPUT_OPERATIONS } from './session-input.ts'
import { SESSION_SHELL_OPERATIONS } from './session-shell.ts'
import { SESSION_VIEW_OPERATIONS } from './session-view.ts'
import { STEP_KEYS_MAX } from '../limits.ts'

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
export const BATCH_STEPS: readonly string[] = [
  ...Object.entries(STEP_OPERATIONS).flatMap(([name, { step }]) =>
    step === undefined ? [] : [name.slice('session.'.length)],
  ),
  EXEC_STEP,
]

/** The operation checks its own parameters. */
const batchStep = z
  .looseObject({ step: z.enum(BATCH_STEPS) })
  .refine((step) => Object.keys(step).length <= STEP_KEYS_MAX, 'more parameters than any step has')
  .meta({ maxProperties: STEP_KEYS_MAX })

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
    .describe('What its operation answered; of a wait without the screen, unless `snapshot` is set.'),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
})
export type BatchStepReport = z.infer<typeof batchStepReport>

/** Several operations as one. */
export const SESSION_BATCH_OPERATIONS = {
  'session.batch': operation({
    summary: 'Run steps one after another in a session: input, waits, checks, captures.',
    description:
      'A step is an operation on the session, named without its `session.`, or `exec`. A wait without a baseline is anchored to the input before it.',
    params: z.object({
      session: sessionRef,
      steps: z
        .array(batchStep)
        .min(1)
        .max(BATCH_STEPS_MAX)
        .describe(
          'What each does, as `step`, and its parameters: `{"step": "type", "text": "ls", "enter": true}`.',
        ),
      keep_going: z.boolean().optional().describe('Go on after a step that failed.'),
      timeout_ms: z
        .int()
        .min(0)
        .max(WAIT_MS_MAX)
        .optional()
        .describe(
          'Stop after this long, at a step that would wait longer; the steps that are left are not run.',
        )
        .meta({ tool: { hidden: true } }), // a call of a tool always has its own
      ...acting,
    }),
    result: z.object({
      session: z.string(),
      steps: z.array(batchStepReport),
      elapsed_ms: z.number(),
      seq: z.int(),
      screen_hash: z.string(),
      stopped: z
        .object({
          number: z.int().describe('The first step that is left.'),
          after_seq: z
            .int()
            .nullable()
            .describe('The baseline that a wait there had; null without input before it.'),
          block: z.int().nullable().describe('The block that it has begun, and that runs on.'),
        })
        .optional()
        .describe('Where `timeout_ms` has stopped it.'),
    }),
    errors: ['session_not_found', 'session_ambiguous', 'session_ended', 'batch_failed'],
    readOnly: false,
    access: ACTS,
    mcp: {
      name: 'interact',
      title: 'Several steps at once',
      description:
        'Runs steps in a session one after another in one call; each takes what the tool of its name takes. A wait is anchored to the input before it, so that [type, wait, snapshot] is a whole turn. Stops at the first step that fails and says which; after 50 s it gives the steps that are left as `resume`.',
    },
    cli: null, // the command reads a script and is one of the client's own
  }),
} as const
