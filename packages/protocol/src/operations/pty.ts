import { z } from 'zod'
import { ACTS, LOOKS } from '../access.ts'
import { block, shellMode } from '../block.ts'
import { needsInput } from '../needs-input.ts'
import { acting, leaseErrors, operation } from '../operation.ts'
import { exitRecord } from '../session-info.ts'
import { budget, commandText, output, queue, shellFolder } from '../shell-params.ts'
import { untrusted } from '../untrusted.ts'
import { WAIT_MS_MAX, WAIT_TIMEOUT_MS_DEFAULT, sought } from '../wait.ts'
import { INPUT_CHARS_MAX, PATH_CHARS_MAX, REF_CHARS_MAX } from '../limits.ts'

const conversation = z
  .string()
  .min(1)
  .max(REF_CHARS_MAX)
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'a conversation id has no control characters')
  .describe(
    'The conversation: it has one terminal session, opened at first use. A session’s id or name, too.',
  )
  .meta({ placeholder: 'CONVERSATION', completes: 'sessions' })

const interactiveSession = z
  .string()
  .min(1)
  .max(REF_CHARS_MAX)
  .optional()
  .describe('The interactive session that is meant; refused when it is not the active one.')

const execParams = {
  conversation_id: conversation,
  command: commandText,
  cwd: shellFolder,
  start_cwd: z
    .string()
    .min(1)
    .max(PATH_CHARS_MAX)
    .optional()
    .describe('Where the shell starts if the conversation has none; the user’s home folder when left out.')
    .meta({ from: 'cwd', hidden: true, touches: 'machine' }),
  queue,
  must_exist: z
    .boolean()
    .optional()
    .describe('Refuse a conversation that has no running shell, in place of opening one.')
    .meta({ hidden: true, from: 'yes' }), // a mistyped session is refused at the command line
  ...acting,
}

/** The conversation stands for its session: what a token for some sessions may do is seen by that. */
const looks = { ...LOOKS, reach: 'conversation' } as const
const acts = { ...ACTS, reach: 'conversation' } as const

const ok = { ok: z.literal(true) }
const begun = {
  ...ok,
  block_id: z.string(),
  seq: z.int().describe('The block’s ordinal.'),
  ts_begin: z.number().describe('When it was given to the shell, or queued. Milliseconds since 1970.'),
  session: z.string().describe('The terminal session behind the conversation.'),
  cursor: z.int().describe('The end of the output stream before it: waits for its output begin here.'),
  log_seq: z.int().describe('The last record of the Event Log before it.'),
  queued: z.boolean().describe('Whether it waits for the shell.'),
}
const conversationErrors = ['session_ended', 'session_ambiguous', 'disk_full'] as const
const shellErrors = [
  ...conversationErrors,
  ...leaseErrors,
  'shell_not_integrated',
  'shell_busy',
  'shell_interactive',
  'cwd_not_found',
  'input_queue_full',
] as const
const opens = ['spawn_failed', 'program_not_found', 'host_stopping'] as const
const sent = z.object({ ...ok, log_seq: z.int(), cursor: z.int() })
const inputParams = { conversation_id: conversation, session_id: interactiveSession, ...acting }
const inputErrors = [
  ...conversationErrors,
  ...leaseErrors,
  'conversation_not_found',
  'interactive_ended',
  'input_queue_full',
] as const

const ordinal = z.int().min(1).describe('The block’s ordinal.').meta({ placeholder: 'N' })
const historyErrors = ['session_not_found', 'session_ambiguous', 'log_corrupt'] as const

/** A conversation's shell, as the interactive PTY specification names its operations. */
export const PTY_OPERATIONS = {
  'pty.exec_block': operation({
    summary: 'Run a command in a conversation’s shell, as one block.',
    params: z.object(execParams),
    result: z.object(begun),
    errors: [...shellErrors, ...opens, 'conversation_not_found'],
    readOnly: false,
    access: acts,
    mcp: { set: 'pty', name: 'exec_block' },
    cli: null,
  }),
  'pty.exec_interactive': operation({
    summary: 'Start a program that is going to be talked to, as one block; returns when it has begun.',
    description:
      'The command gets the shell until it ends: type, keys and wait talk to it, and run is refused meanwhile. Prints the number of its block. Every command takes the ids in its JSON for the session.',
    params: z.object(execParams),
    result: z.object({ ...begun, session_id: z.string().describe('The interactive session.') }),
    errors: [...shellErrors, ...opens, 'conversation_not_found', 'block_not_started'],
    readOnly: false,
    access: acts,
    step: 'input',
    mcp: { set: 'pty', name: 'exec_interactive' },
    cli: {
      command: 'exec',
      positionals: ['conversation_id', 'command'],
      examples: ["transom exec work 'python3 -q'", 'transom exec work ./installer'],
      seeAlso: ['run', 'type', 'wait', 'block'],
      render: { text: 'block {seq}' },
    },
  }),
  'pty.send': operation({
    summary: 'Send text or bytes to the program in front, exactly as they are.',
    params: z.object({
      ...inputParams,
      data: z.string().max(INPUT_CHARS_MAX).optional().describe('Text; the Enter key is \\r.'),
      data_b64: z.base64().max(INPUT_CHARS_MAX).optional().describe('Bytes, instead of `data`.'),
    }),
    result: sent,
    errors: inputErrors,
    readOnly: false,
    needs: 'blocks',
    access: acts,
    mcp: { set: 'pty', name: 'send' },
    cli: null,
  }),
  'pty.ctrl_c': operation({
    summary: 'Interrupt the program in front. Overtakes input that it has not read.',
    params: z.object(inputParams),
    result: sent,
    errors: inputErrors,
    readOnly: false,
    needs: 'blocks',
    access: acts,
    mcp: { set: 'pty', name: 'ctrl_c' },
    cli: null,
  }),
  'pty.ctrl_d': operation({
    summary: 'Send Ctrl+D: the end of the input for what reads lines.',
    params: z.object(inputParams),
    result: sent,
    errors: inputErrors,
    readOnly: false,
    needs: 'blocks',
    access: acts,
    mcp: { set: 'pty', name: 'ctrl_d' },
    cli: null,
  }),
  'pty.enter': operation({
    summary: 'Press Enter.',
    params: z.object(inputParams),
    result: sent,
    errors: inputErrors,
    readOnly: false,
    needs: 'blocks',
    access: acts,
    mcp: { set: 'pty', name: 'enter' },
    cli: null,
  }),
  'pty.wait_for': operation({
    summary: 'Wait until something is in the output of a conversation’s shell, after a cursor.',
    params: z.object({
      conversation_id: conversation,
      session_id: interactiveSession.describe(
        'The interactive session that is meant: the wait is over when it ends.',
      ),
      match: sought.describe(
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
        .meta({ flag: 'timeout', placeholder: 'TIME', parse: 'duration' }),
      max_bytes: z.int().min(1).optional().describe('Look no further than this after the cursor.'),
    }),
    result: z.object({
      ok: z.literal(true),
      matched: z.boolean(),
      match_text: untrusted(z.string().optional()).describe('What matched; absent for PROMPT and EOF.'),
      match_cursor: z.int().optional().describe('Where it begins.'),
      cursor: z
        .int()
        .describe('To go on from: after the match, or without one where a match may have begun.'),
      reason: z
        .enum(['timeout', 'ended', 'max_bytes'])
        .optional()
        .describe('Why nothing matched: out of time, or there will be nothing more to look at.'),
      tail: untrusted(z.string().optional()).describe(
        'Without a match: the end of what was seen, as plain text.',
      ),
      needs_input: needsInput.optional().describe('Without a match: what the program waits for.'),
      exit: exitRecord.nullable().describe('How the shell ended; null while it runs.'),
      session: z.string().describe('The terminal session behind the conversation.'),
      elapsed_ms: z.number(),
    }),
    errors: ['session_ambiguous', 'conversation_not_found', 'block_not_found', 'bad_pattern', 'log_corrupt'],
    readOnly: true,
    access: looks,
    mcp: { set: 'pty', name: 'wait_for' },
    cli: null,
  }),
  'pty.status': operation({
    summary: 'Say what a conversation’s shell is doing.',
    params: z.object({ conversation_id: conversation }),
    result: z.object({
      ...ok,
      mode: shellMode,
      ready: z.boolean().describe('Whether the shell has shown its first prompt.'),
      integrated: z.boolean().describe('Whether the program is a shell that has blocks.'),
      active_session_id: z.string().nullable().describe('The interactive session.'),
      active_block_id: z.string().nullable(),
      active_command: untrusted(z.string().nullable()),
      queued: z.int().describe('How many blocks wait for the shell.'),
      shell_id: z.string().describe('The terminal session behind the conversation.'),
      pid: z.int().nullable().describe('The shell’s process.'),
      cwd: untrusted(z.string().nullable()).describe('The shell’s folder, as of the last prompt.'),
      cursor: z.int().describe('The end of the output stream.'),
      log_seq: z.int(),
      needs_input: needsInput.describe('Whether the program in front waits for input, and for what.'),
    }),
    errors: [...conversationErrors, 'conversation_not_found'],
    readOnly: true,
    needs: 'blocks',
    access: looks,
    mcp: { set: 'pty', name: 'status' },
    cli: null,
  }),
  'pty.end_session': operation({
    summary: 'End an interactive session: as its program expects it, and with force when that does not help.',
    params: z.object({
      conversation_id: conversation,
      session_id: interactiveSession,
      ...acting,
    }),
    result: z.object({
      ...ok,
      ended_with: z.enum(['exit_command', 'interrupt', 'terminate', 'kill']).describe('What it took.'),
      block,
    }),
    errors: [...inputErrors, 'block_running'],
    readOnly: false,
    needs: 'blocks',
    access: acts,
    mcp: { set: 'pty', name: 'end_session' },
    cli: null,
  }),
  'pty.reset': operation({
    summary: 'End a conversation’s shell and whatever runs in it, and start another. The history stays.',
    params: z.object({
      conversation_id: conversation,
      start_cwd: execParams.start_cwd,
      lease: acting.lease,
    }),
    result: z.object({
      ...ok,
      session: z.string().describe('The new terminal session.'),
      previous_session: z.string().nullable(),
    }),
    errors: [...conversationErrors, ...leaseErrors, ...opens],
    readOnly: false,
    access: { ...acts, touches: ['machine'] }, // it starts another shell
    mcp: { set: 'pty', name: 'reset' },
    cli: null,
  }),
  'pty.blocks': operation({
    summary: 'List the blocks of a session’s shell, or those that a text occurs in.',
    description:
      'A block is one command of an integrated shell: asked for by run, or typed at its prompt. Blocks can be listed and read after the session has ended.',
    params: z.object({
      conversation_id: conversation,
      query: z
        .string()
        .min(1)
        .max(1000)
        .optional()
        .describe('Only blocks with this text in their command or their output.')
        .meta({ placeholder: 'TEXT' }),
      limit: z
        .int()
        .min(1)
        .max(10_000)
        .default(100)
        .describe('The latest so many.')
        .meta({ placeholder: 'N' }),
    }),
    result: z.object({
      ...ok,
      blocks: z.array(
        block.extend({
          match: z
            .object({ in: z.enum(['command', 'output']), cursor: z.int().nullable() })
            .optional()
            .describe('Where the text was found; for output, its cursor.'),
        }),
      ),
      more: z.boolean().describe('Whether there are older ones.'),
    }),
    errors: historyErrors,
    readOnly: true,
    access: looks,
    mcp: { set: 'pty', name: 'blocks', paged: 'blocks' },
    cli: {
      command: 'blocks',
      positionals: ['conversation_id'],
      examples: ['transom blocks work', "transom blocks work --query 'not found' --json"],
      seeAlso: ['block', 'run'],
      render: {
        table: 'blocks',
        columns: {
          BLOCK: '{seq}',
          EXIT: '{exit_code|state}',
          TIME: '{duration_ms:seconds}',
          BYTES: '{output_bytes}',
          COMMAND: '{command|"(typed)"}',
        },
      },
    },
  }),
  'pty.read': operation({
    summary: 'Print what a block printed, or the output between two cursors of the stream.',
    description:
      'Plain text, unless --raw asks for the bytes as base64. With --max-bytes or --max-tokens the middle is left out, and the cursors say where it is.',
    params: z.object({
      conversation_id: conversation,
      block: ordinal.optional(),
      from_cursor: z
        .int()
        .min(0)
        .optional()
        .describe('From here on; the block’s begin when left out.')
        .meta({ placeholder: 'N' }),
      to_cursor: z
        .int()
        .min(0)
        .optional()
        .describe('Up to here; the block’s end when left out.')
        .meta({ placeholder: 'N' }),
      ...budget,
    }),
    result: z.object({
      ...ok,
      block: block.nullable(),
      from_cursor: z.int(),
      to_cursor: z.int().describe('Where to read on.'),
      ...output,
    }),
    errors: [...historyErrors, 'block_not_found'],
    readOnly: true,
    access: looks,
    mcp: [
      { set: 'pty', name: 'read' },
      {
        name: 'read_block',
        title: 'Read what a command printed',
        description:
          'Reads what a command of run_command printed, by its block number (`block.seq`): also one that still runs, or whose output was cut. To get what was left out, give the cursors of `omitted` as from_cursor and to_cursor.',
        renamed: { conversation_id: 'session' },
      },
    ],
    cli: {
      command: 'block',
      positionals: ['conversation_id', 'block'],
      examples: ['transom block work 3', 'transom block work 3 --max-bytes 2000 --json'],
      seeAlso: ['blocks', 'run'],
      render: { text: '{data|data_b64:plain}' },
    },
  }),
} as const
