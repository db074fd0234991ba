import { z } from 'zod'
import { block, blockRef } from './block.ts'
import { needsInput } from './needs-input.ts'
import { lease } from './operation.ts'
import { exitRecord } from './session-info.ts'
import { snapshot } from './snapshot.ts'
import { untrusted } from './untrusted.ts'
import { HASH_CHARS_MAX, SOUGHT_CHARS_MAX } from './limits.ts'

export const WAIT_TIMEOUT_MS_DEFAULT = 30_000
export const WAIT_MS_MAX = 24 * 60 * 60 * 1000 // a day: past it a timer's 32 bits are near their end

/** A text or a pattern to look for. */
export const sought = z.string().min(1).max(SOUGHT_CHARS_MAX)
const PATTERNS_MAX = 100 // each is looked for on every change of the screen

const durationMs = z.int().min(0).max(WAIT_MS_MAX)

/** One text or pattern, or several that are a condition each. */
export const patterns = z
  .union([sought, z.array(sought).min(1).max(PATTERNS_MAX)])
  .optional()
  .meta({ parse: 'list' })
export type Patterns = z.infer<typeof patterns>

/** What a wait looks for. Several conditions must all hold, unless `any` is set. */
export const waitConditions = z.object({
  text: patterns.describe('This text, or each of several, is on the screen (wrapped lines are joined).'),
  regex: patterns.describe('This RE2 pattern, or each of several, matches the screen text.'),
  title: sought
    .optional()
    .describe('The title of the terminal or page has this in it.')
    .meta({ placeholder: 'TEXT' }),
  url: sought.optional().describe('The address of a web page has this in it.').meta({ placeholder: 'TEXT' }),
  cursor: z
    .object({ row: z.int().min(0), col: z.int().min(0) })
    .optional()
    .describe('The cursor is at this cell, counted from 0.')
    .meta({ placeholder: 'ROW,COL', parse: 'point', tool: { hidden: true } }),
  screen_stable_ms: durationMs
    .optional()
    .describe('The visible text has not changed for this long.')
    .meta({ placeholder: 'TIME', parse: 'duration' }),
  idle_ms: durationMs
    .optional()
    .describe('Nothing has been printed or painted for this long; a page that loads takes at least 5 s.')
    .meta({ placeholder: 'TIME', parse: 'duration' }),
  network_idle_ms: durationMs
    .optional()
    .describe('A web page has had no request open for this long.')
    .meta({ placeholder: 'TIME', parse: 'duration' }),
  screen_changed_from: z
    .string()
    .min(1)
    .max(HASH_CHARS_MAX)
    .optional()
    .describe('The Screen Hash is no longer this one.')
    .meta({ placeholder: 'HASH' }),
  exit: z.boolean().optional().describe('The program has ended.'),
  needs_input: z.boolean().optional().describe('The program in front waits for input from the terminal.'),
  writable: z.boolean().optional().describe('No other caller holds the session’s lease.'),
  block_end: blockRef
    .optional()
    .describe(
      'This block of an integrated shell has ended; `last`: the one that was asked for or typed last.',
    )
    .meta({ placeholder: '[N]', parse: 'block' }),
})
export type WaitConditions = z.infer<typeof waitConditions>

export const waitOptions = z.object({
  snapshot: z
    .boolean()
    .optional()
    .describe('Print the screen, too, and keep it in the report of a batch; other answers always have it.')
    .meta({ tool: { hidden: true } }),
  any: z.boolean().optional().describe('One of the conditions is enough.'),
  timeout_ms: durationMs
    .default(WAIT_TIMEOUT_MS_DEFAULT)
    .describe('Give up after this long; 0 judges the present state once.')
    .meta({ flag: 'timeout', placeholder: 'TIME', parse: 'duration' }),
  after_seq: z
    .int()
    .min(0)
    .optional()
    .describe(
      'Wait Baseline: text counts only on rows written to after this seq, and no echo of text typed since.',
    )
    .meta({ placeholder: 'N' }),
  after_input: z.boolean().optional().describe("Wait Baseline at the session's last input."),
  lease,
  settle_ms: durationMs
    .default(100)
    .describe(
      'With a baseline: after this long without output the present state counts if nothing has been drawn since, and in a full-screen program or on a page.',
    )
    .meta({ placeholder: 'TIME', parse: 'duration', tool: { hidden: true } }),
})

export const waitResult = z.object({
  session: z.string(),
  matched: z.literal(true),
  outcome: z.enum(['immediate', 'changed']).describe('Whether it was true at once or came true.'),
  elapsed_ms: z.number(),
  condition: z.string().describe('The condition in words.'),
  match: untrusted(
    z
      .object({
        row: z.int().describe('Screen row where the match starts, from 0.'),
        text: z.string().describe('The matching text.'),
        line: z.string().describe('The whole line it is in, wrapped rows joined.'),
      })
      .nullable(),
  ).describe('Where `text` or `regex` matched.'),
  exit: exitRecord.nullable(),
  block: block.optional().describe('With `block_end`: the block.'),
  needs_input: needsInput.optional().describe('With `needs_input`: what the program waits for.'),
  snapshot,
})
export type WaitResult = z.infer<typeof waitResult>
