import { z } from 'zod'
import { needsInput } from './needs-input.ts'
import { operation } from './operation.ts'
import { conversation, interactiveSession } from './pty-operations.ts'
import { exitRecord } from './session-info.ts'
import { WAIT_MS_MAX, WAIT_TIMEOUT_MS_DEFAULT } from './wait.ts'

const MATCH_CHARS_MAX = 4096 // what a caller looks for is a line or two; a longer pattern takes long to compile

/** Waiting for what a conversation's shell prints. */
export const WAIT_FOR_OPERATIONS = {
  'pty.wait_for': operation({
    summary: 'Wait until something is in the output of a conversation’s shell, behind a cursor.',
    params: z.object({
      conversation_id: conversation,
      session_id: interactiveSession.describe(
        'The interactive session that is meant: the wait is over when it ends.',
      ),
      match: z
        .string()
        .min(1)
        .max(MATCH_CHARS_MAX)
        .describe(
          'Text that the program prints, escape sequences and `\\r\\n` included. `PROMPT`: the shell is ready for a command. `EOF`: the interactive session, or without one the shell, has ended.',
        ),
      regex: z.boolean().optional().describe('`match` is an RE2 pattern.'),
      literal: z.boolean().optional().describe('`match` is text, also when it is PROMPT or EOF.'),
      from_cursor: z
        .int()
        .min(0)
        .optional()
        .describe('Where in the output stream to begin; else where the last block begins.'),
      timeout_ms: z
        .int()
        .min(0)
        .max(WAIT_MS_MAX)
        .default(WAIT_TIMEOUT_MS_DEFAULT)
        .describe('Give up after this long; 0 looks at what is there.')
        .meta({ flag: 'timeout', placeholder: 'MS' }),
      max_bytes: z.int().min(1).optional().describe('Look no further than this behind the cursor.'),
    }),
    result: z.object({
      ok: z.literal(true),
      matched: z.boolean(),
      match_text: z.string().optional().describe('What matched; absent for PROMPT and EOF.'),
      match_cursor: z.int().optional().describe('Where it begins.'),
      cursor: z
        .int()
        .describe('To go on from: behind the match, or without one where a match may have begun.'),
      reason: z
        .enum(['timeout', 'ended', 'max_bytes'])
        .optional()
        .describe('Why nothing matched: out of time, or there will be nothing more to look at.'),
      tail: z.string().optional().describe('Without a match: the end of what was seen, as plain text.'),
      needs_input: needsInput.optional().describe('Without a match: what the program waits for.'),
      exit: exitRecord.nullable().describe('How the shell ended; null while it runs.'),
      session: z.string().describe('The terminal session behind the conversation.'),
      elapsed_ms: z.number(),
    }),
    errors: ['session_ambiguous', 'conversation_not_found', 'block_not_found', 'bad_pattern', 'log_corrupt'],
    readOnly: true,
    access: { restricted: 'conversation' },
    cli: null,
  }),
} as const
