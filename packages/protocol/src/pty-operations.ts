import { z } from 'zod'
import { shellMode } from './block.ts'
import { needsInput } from './needs-input.ts'
import { actor, operation } from './operation.ts'

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
  queue: z
    .boolean()
    .optional()
    .describe('Run it after those that run or wait already, in place of an error.'),
  actor,
}

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

/** A conversation's shell, as the interactive PTY specification names its operations. */
export const PTY_OPERATIONS = {
  'pty.exec_block': operation({
    summary: 'Run a command in a conversation’s shell, as one block.',
    params: z.object(execParams),
    result: z.object(begun),
    errors: [...shellErrors, ...opens],
    readOnly: false,
    cli: null,
  }),
  'pty.exec_interactive': operation({
    summary: 'Run a program that is going to be talked to, as one block.',
    params: z.object(execParams),
    result: z.object({ ...begun, session_id: z.string().describe('The interactive session.') }),
    errors: [...shellErrors, ...opens],
    readOnly: false,
    cli: null,
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
    cli: null,
  }),
  'pty.ctrl_c': operation({
    summary: 'Interrupt the program in front. Overtakes input that it has not read.',
    params: z.object(inputParams),
    result: sent,
    errors: inputErrors,
    readOnly: false,
    cli: null,
  }),
  'pty.ctrl_d': operation({
    summary: 'Send Ctrl+D: the end of the input for what reads lines.',
    params: z.object(inputParams),
    result: sent,
    errors: inputErrors,
    readOnly: false,
    cli: null,
  }),
  'pty.enter': operation({
    summary: 'Press Enter.',
    params: z.object(inputParams),
    result: sent,
    errors: inputErrors,
    readOnly: false,
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
    cli: null,
  }),
} as const
