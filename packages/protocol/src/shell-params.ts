import { z } from 'zod'
import { block } from './block.ts'
import { untrusted } from './untrusted.ts'
import { PATH_CHARS_MAX } from './limits.ts'

const COMMAND_CHARS_MAX = 1 << 20 // a command is read into a variable of the shell; a program belongs in a file

export const commandText = z
  .string()
  .min(1)
  .max(COMMAND_CHARS_MAX)
  .regex(/^[^\0]*$/, 'a command has no NUL')
  .describe('What the shell runs: one command, or as many lines as you like.')
  .meta({ placeholder: 'COMMAND' })

export const shellFolder = z
  .string()
  .min(1)
  .max(PATH_CHARS_MAX)
  .optional()
  .describe('The folder to run it in; the shell stays there.')
  .meta({ parse: 'path' })

export const queue = z
  .boolean()
  .optional()
  .describe('Run it after those that run or wait already, in place of an error.')

const raw = z.boolean().optional().describe('The exact bytes in place of plain text; in JSON as base64.')
export const budget = {
  raw,
  max_bytes: z
    .int()
    .min(1)
    .optional()
    .describe('At most this much output: its head and its tail, and where the rest is.')
    .meta({ placeholder: 'N' }),
  max_tokens: z
    .int()
    .min(1)
    .optional()
    .describe('As `max_bytes`, in what a language model counts, roughly.')
    .meta({ placeholder: 'N' }),
}
/** Output within a budget: as plain text, or as bytes. */
export const output = {
  data: untrusted(z.string().optional()).describe('Plain text, without escape sequences.'),
  data_b64: untrusted(z.string().optional()).describe(
    'With `raw`: the bytes; the head of them when some are left out.',
  ),
  tail_b64: untrusted(z.string().optional()).describe(
    'With `raw`, when bytes are left out: those after the gap.',
  ),
  bytes: z.int().describe('How many bytes were printed.'),
  omitted: z
    .object({ from_cursor: z.int(), to_cursor: z.int() })
    .nullable()
    .describe('The cursors of what was left out.'),
}
/** A block with what it printed. */
export const blockOutput = z.object({ ok: z.literal(true), block, ...output })
