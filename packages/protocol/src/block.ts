import { z } from 'zod'
import { blockEndedBy, blockKind } from './events.ts'
import { untrusted } from './untrusted.ts'

/** A block as clients see it: one command of an integrated shell, with what it printed and how it ended. */
export const block = z.object({
  block_id: z.string(),
  seq: z.int().describe('The block’s ordinal in its session or conversation, from 1.'),
  session: z.string().describe('The terminal session that ran it.'),
  kind: blockKind,
  state: z
    .enum(['running', 'ended', 'lost'])
    .describe('`lost`: its session ended without anyone seeing its end.'),
  command: untrusted(z.string().nullable()),
  cwd: untrusted(z.string().nullable()).describe('Where it began.'),
  cwd_after: untrusted(z.string().nullable()).describe('Where it left the shell.'),
  actor: z.string().nullable().describe('Who asked for it; null for one that was typed at the prompt.'),
  actor_label: z.string().nullable().describe('What the caller called itself.'),
  exit_code: z.int().nullable(),
  ended_by: blockEndedBy.nullable(),
  ts_begin: z.number().describe('Milliseconds since 1970, with fractions.'),
  ts_end: z.number().nullable(),
  duration_ms: z.number().nullable(),
  cursor_begin: z.int().describe('Where its output begins in the output stream.'),
  cursor_end: z.int().nullable().describe('Where it ends; null while it runs.'),
  output_bytes: z.int(),
  log_seq_begin: z.int(),
  log_seq_end: z.int().nullable(),
})
export type Block = z.infer<typeof block>

/** A block by its ordinal, or the one that was asked for or typed last. */
export const blockRef = z.union([z.literal('last'), z.int().min(1)])
export type BlockRef = z.infer<typeof blockRef>

export const shellMode = z
  .enum(['idle', 'block_running', 'interactive'])
  .describe('Whether the shell takes a command, runs one, or is in an interactive session.')
export type ShellMode = z.infer<typeof shellMode>
