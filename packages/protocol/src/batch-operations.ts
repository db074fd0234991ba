import { z } from 'zod'
import { BATCH_STEPS } from './batch-steps.ts'
import { actor, operation, sessionRef } from './operation.ts'

export const BATCH_STEPS_MAX = 1000 // a script that a person can still review; and its reports fit into an answer

/** What became of one Batch Step. */
export const batchStepReport = z.object({
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

/** Several steps as one, and the check that they share with the command line. */
export const BATCH_OPERATIONS = {
  'session.batch': operation({
    summary: 'Run steps one after another in a session: input, waits, checks, captures.',
    params: z.object({
      session: sessionRef,
      steps: z
        .array(z.looseObject({ step: z.enum(BATCH_STEPS) }))
        .min(1)
        .max(BATCH_STEPS_MAX)
        .describe(
          'Each has the name of an operation without `session.` as `step`, and its parameters: `{"step": "type", "text": "ls", "enter": true}`. A wait without a baseline is anchored to the input before it.',
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
    mcp: {
      name: 'interact',
      title: 'Several steps at once',
      description:
        'Runs steps in a session one after another in one call: type, keys, paste, mouse, wait, assert, snapshot. A wait is anchored to the input before it, so that [type, wait, snapshot] is a whole turn. Stops at the first step that fails and says which.',
    },
    cli: null, // the command reads a script and is one of the client's own
  }),
  'session.assert': operation({
    summary: 'Check what a session shows at this moment, or how its program ended.',
    params: z.object({
      session: sessionRef,
      text: z.string().min(1).optional().describe('This text is on the screen (wrapped lines are joined).'),
      no_text: z.string().min(1).optional().describe('This text is not on the screen.'),
      regex: z.string().min(1).optional().describe('This RE2 pattern matches the screen text.'),
      no_regex: z.string().min(1).optional().describe('This RE2 pattern does not match the screen text.'),
      cursor: z
        .object({ row: z.int().min(0), col: z.int().min(0) })
        .optional()
        .describe('The cursor is at this cell, counted from 0.')
        .meta({ placeholder: 'ROW,COL', parse: 'point' }),
      title: z.string().optional().describe('The window title is this.'),
      screen_hash: z
        .string()
        .min(1)
        .optional()
        .describe('The Screen Hash is this.')
        .meta({ flag: 'hash', placeholder: 'HASH' }),
      exit_code: z
        .int()
        .min(0)
        .optional()
        .describe('The program has ended with this code.')
        .meta({ placeholder: 'N' }),
    }),
    result: z.object({ session: z.string(), seq: z.int(), checks: z.int().describe('How many held.') }),
    errors: ['session_not_found', 'session_ambiguous', 'assert_failed', 'bad_pattern', 'log_corrupt'],
    readOnly: true,
    cli: {
      command: 'assert',
      positionals: ['session'],
      examples: [
        "transom assert work --text '3 passed' --no-text FAILED",
        'transom assert job --exit-code 0',
      ],
    },
  }),
} as const
