import { z } from 'zod'
import { block, shellMode } from './block.ts'
import { needsInput } from './needs-input.ts'
import { actor, commandTargetErrors, operation, sessionRef } from './operation.ts'

const COMMAND_CHARS_MAX = 1 << 20 // a command is read into a variable of the shell; a program belongs in a file

export const conversation = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'a conversation id has no control characters')
  .describe(
    'The conversation: it has one terminal session, opened at first use. A session’s id or name, too.',
  )
  .meta({ placeholder: 'CONVERSATION' })

export const commandText = z
  .string()
  .min(1)
  .max(COMMAND_CHARS_MAX)
  .regex(/^[^\0]*$/, 'a command has no NUL')
  .describe('What the shell shall run: one command, or as many lines as you like.')
  .meta({ placeholder: 'COMMAND' })

export const interactiveSession = z
  .string()
  .min(1)
  .optional()
  .describe('The interactive session that is meant; refused when it is not the active one.')

const execParams = {
  conversation_id: conversation,
  command: commandText,
  cwd: z
    .string()
    .min(1)
    .optional()
    .describe('The folder to run it in; the shell stays there.')
    .meta({ parse: 'path' }),
  start_cwd: z
    .string()
    .min(1)
    .optional()
    .describe('Where the shell starts if the conversation has none; the user’s home folder when left out.')
    .meta({ from: 'cwd', hidden: true }),
  queue: z
    .boolean()
    .optional()
    .describe('Run it after those that run or wait already, in place of an error.'),
  must_exist: z
    .boolean()
    .optional()
    .describe('Refuse a conversation that has no running shell, in place of opening one.')
    .meta({ flag: 'must-exist' }),
  actor,
}

/** The conversation stands for its session: what a token for some sessions may do is seen by that. */
const access = { restricted: 'conversation' } as const

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
  'shell_not_integrated',
  'shell_busy',
  'shell_interactive',
  'cwd_not_found',
  'input_queue_full',
] as const
const opens = ['spawn_failed', 'program_not_found', 'host_stopping'] as const
const sent = z.object({ ...ok, log_seq: z.int(), cursor: z.int() })
const inputParams = { conversation_id: conversation, session_id: interactiveSession, actor }
const inputErrors = [
  ...conversationErrors,
  'conversation_not_found',
  'interactive_ended',
  'input_queue_full',
] as const

const raw = z.boolean().optional().describe('The bytes as they were printed, as base64, and no plain text.')
const budget = {
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
    .describe('As max_bytes, in what a language model counts, roughly.')
    .meta({ placeholder: 'N' }),
}
/** Output within a budget: as plain text, or as bytes. */
const output = {
  data: z.string().optional().describe('Plain text, without escape sequences.'),
  data_b64: z.string().optional().describe('With `raw`: the bytes; the head of them when some are left out.'),
  tail_b64: z.string().optional().describe('With `raw`, when bytes are left out: those behind the gap.'),
  bytes: z.int().describe('How many bytes were printed.'),
  omitted: z
    .object({ from_cursor: z.int(), to_cursor: z.int() })
    .nullable()
    .describe('The cursors of what was left out.'),
}
const blockOutput = z.object({ ...ok, block, ...output })
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
    access,
    cli: null,
  }),
  'pty.exec_interactive': operation({
    summary: 'Run a program that is going to be talked to, as one block.',
    params: z.object(execParams),
    result: z.object({ ...begun, session_id: z.string().describe('The interactive session.') }),
    errors: [...shellErrors, ...opens, 'conversation_not_found'],
    readOnly: false,
    access,
    cli: {
      command: 'exec',
      positionals: ['conversation_id', 'command'],
      examples: ["transom exec work 'python3 -q'", 'transom exec work ./installer'],
    },
  }),
  'pty.send': operation({
    summary: 'Send text or bytes to the program in front, exactly as they are.',
    params: z.object({
      ...inputParams,
      data: z.string().optional().describe('Text; the Enter key is \\r.'),
      data_b64: z.base64().optional().describe('Bytes, instead of `data`.'),
    }),
    result: sent,
    errors: inputErrors,
    readOnly: false,
    access,
    cli: null,
  }),
  'pty.ctrl_c': operation({
    summary: 'Interrupt the program in front. Overtakes input that it has not read.',
    params: z.object(inputParams),
    result: sent,
    errors: inputErrors,
    readOnly: false,
    access,
    cli: null,
  }),
  'pty.ctrl_d': operation({
    summary: 'Send Ctrl+D: the end of the input for what reads lines.',
    params: z.object(inputParams),
    result: sent,
    errors: inputErrors,
    readOnly: false,
    access,
    cli: null,
  }),
  'pty.enter': operation({
    summary: 'Press Enter.',
    params: z.object(inputParams),
    result: sent,
    errors: inputErrors,
    readOnly: false,
    access,
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
      active_command: z.string().nullable(),
      queued: z.int().describe('How many blocks wait for the shell.'),
      shell_id: z.string().describe('The terminal session behind the conversation.'),
      pid: z.int().nullable().describe('The shell’s process.'),
      cwd: z.string().nullable().describe('The shell’s folder, as of the last prompt.'),
      cursor: z.int().describe('The end of the output stream.'),
      log_seq: z.int(),
      needs_input: needsInput.describe('Whether the program in front waits for input, and for what.'),
    }),
    errors: [...conversationErrors, 'conversation_not_found'],
    readOnly: true,
    access,
    cli: null,
  }),
  'pty.end_session': operation({
    summary: 'End an interactive session: as its program expects it, and with force when that does not help.',
    params: z.object({
      conversation_id: conversation,
      session_id: interactiveSession,
      actor,
    }),
    result: z.object({
      ...ok,
      ended_with: z.enum(['exit_command', 'interrupt', 'terminate', 'kill']).describe('What it took.'),
      block,
    }),
    errors: [...inputErrors, 'block_running'],
    readOnly: false,
    access,
    cli: null,
  }),
  'pty.reset': operation({
    summary: 'End a conversation’s shell and whatever runs in it, and start another. The history stays.',
    params: z.object({ conversation_id: conversation, start_cwd: execParams.start_cwd }),
    result: z.object({
      ...ok,
      session: z.string().describe('The new terminal session.'),
      previous_session: z.string().nullable(),
    }),
    errors: [...conversationErrors, ...opens],
    readOnly: false,
    cli: null,
  }),
  'pty.blocks': operation({
    summary: 'List the blocks of a session’s shell, or those that a text occurs in.',
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
    access,
    cli: {
      command: 'blocks',
      positionals: ['conversation_id'],
      examples: ['transom blocks work', "transom blocks work --query 'not found' --json"],
    },
  }),
  'pty.read': operation({
    summary: 'Print what a block printed, or what lies between two cursors of the output stream.',
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
    access,
    cli: {
      command: 'block',
      positionals: ['conversation_id', 'block'],
      examples: ['transom block work 3', 'transom block work 3 --max-bytes 2000 --json'],
    },
  }),
  'session.run': operation({
    summary:
      'Run a command in a session’s shell, wait for its end, print its output, exit with its exit code.',
    params: z.object({
      session: sessionRef,
      command: z
        .array(commandText)
        .min(1)
        .describe('One word is a text for the shell; several are a program and its arguments.')
        .meta({ placeholder: 'COMMAND' }),
      cwd: execParams.cwd,
      queue: execParams.queue,
      no_wait: z.boolean().optional().describe('Do not wait for its end.'),
      timeout_ms: z
        .int()
        .min(0)
        .max(2 ** 31 - 1)
        .optional()
        .describe('Wait no longer than this; the command runs on.')
        .meta({ flag: 'timeout', placeholder: 'MS' }),
      ...budget,
      actor,
    }),
    result: blockOutput,
    errors: [
      ...commandTargetErrors,
      'shell_not_integrated',
      'shell_busy',
      'shell_interactive',
      'cwd_not_found',
      'input_queue_full',
      'block_running',
      'block_not_started',
    ],
    readOnly: false,
    mcp: {
      name: 'run_command',
      title: 'Run a command in a shell',
      description:
        'Runs a command in the shell of a session and answers with its exit code and exactly what it printed. A list: ["cd src && make | tail"] is a line for the shell (pipes, cd and variables work, and last), ["ls", "-l"] a program and its arguments. Refused where the session’s program is no shell that Transom has prepared: then use interact. After the time limit the command runs on, and wait_for sees its end.',
    },
    cli: {
      command: 'run',
      positionals: ['session', 'command'],
      examples: [
        'transom run work -- make test',
        "transom run work -- 'cd src && ls | wc -l'",
        "transom run work --timeout 60000 --json -- 'npm ci'",
      ],
    },
  }),
} as const
