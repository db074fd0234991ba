import { z } from 'zod'
import { HOUSEKEEPING_OPERATIONS } from './housekeeping-operations.ts'
import { actor, cols, operation, rows, sessionRef } from './operation-definition.ts'
import { sessionInfo } from './session-info.ts'
import { snapshot } from './snapshot.ts'
import { waitConditions, waitOptions, waitResult } from './wait.ts'

export type { CliSpelling, OperationDefinition } from './operation-definition.ts'

const cell = z
  .object({ row: z.int().min(0), col: z.int().min(0) })
  .meta({ placeholder: 'ROW,COL', parse: 'point' })

const NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/ // no path separator, no control character, no leading dash
const environment = z.record(z.string().regex(/^[^=\0]+$/), z.string().regex(/^[^\0]*$/))

const seqResult = z.object({ seq: z.int().describe('Its record in the Event Log, a baseline for waits.') })
const commandTargetErrors = ['session_not_found', 'session_ambiguous', 'session_ended', 'disk_full'] as const

/**
 * Each operation, once. The CLI's parsing and help, JSON-RPC, and docs/operations.md are derived from this
 * table; there is no second one.
 */
export const OPERATIONS = {
  'session.create': operation({
    summary: 'Start a program on a terminal of its own and print the session id.',
    params: z.object({
      command: z
        .array(z.string().regex(/^[^\0]*$/))
        .min(1)
        .optional()
        .describe("Program and arguments; the caller's $SHELL when left out."),
      name: z
        .string()
        .regex(NAME_PATTERN, 'a name has 1 to 64 letters, digits, dots, dashes or underscores')
        .optional()
        .describe('A name to address the session by; unique among active sessions.')
        .meta({ placeholder: 'N' }),
      cols: cols.optional().describe('Width in cells; the Home’s config.json says, else 80.'),
      rows: rows.optional().describe('Height in cells; the Home’s config.json says, else 24.'),
      cwd: z
        .string()
        .min(1)
        .optional()
        .describe('Working folder.')
        .meta({ placeholder: 'D', parse: 'path', from: 'cwd' }),
      env: environment
        .optional()
        .describe('Variables to set on top of the inherited ones.')
        .meta({ placeholder: 'K=V', parse: 'assignments' }),
      base_env: environment
        .optional()
        .describe("The environment to start from; the host's own when left out.")
        .meta({ from: 'environment', hidden: true }),
    }),
    result: sessionInfo,
    errors: [
      'program_not_found',
      'cwd_not_found',
      'name_taken',
      'spawn_failed',
      'disk_full',
      'host_stopping',
    ],
    readOnly: false,
    cli: {
      command: 'create',
      positionals: [],
      rest: 'command',
      examples: [
        'transom create -- bash',
        'transom create --name edit --cols 100 --rows 30 -- vim notes.txt',
      ],
    },
  }),
  'session.list': operation({
    summary: 'List the sessions of this Home.',
    params: z.object({ all: z.boolean().optional().describe('Ended sessions too.') }),
    result: z.object({ sessions: z.array(sessionInfo) }),
    errors: [],
    readOnly: true,
    cli: { command: 'list', positionals: [], examples: ['transom list', 'transom list --all --json'] },
  }),
  'session.inspect': operation({
    summary: 'Show what is known of one session, and where its Event Log is.',
    params: z.object({ session: sessionRef }),
    result: sessionInfo.extend({
      seq: z.int().describe('The last record of the Event Log.'),
      log: z.object({ path: z.string(), bytes: z.int() }),
    }),
    errors: ['session_not_found', 'session_ambiguous', 'log_corrupt'],
    readOnly: true,
    cli: { command: 'inspect', positionals: ['session'], examples: ['transom inspect edit'] },
  }),
  'session.type': operation({
    summary: 'Type text into a session, as at its keyboard; a line break is the Enter key.',
    params: z.object({
      session: sessionRef,
      text: z.string().describe('The text to type.').meta({ placeholder: 'TEXT', readable: true }),
      enter: z.boolean().optional().describe('Press Enter after it.'),
      actor,
    }),
    result: seqResult,
    errors: [...commandTargetErrors, 'input_queue_full'],
    readOnly: false,
    cli: {
      command: 'type',
      positionals: ['session', 'text'],
      examples: ["transom type edit 'hello'", "transom type work 'make test' --enter"],
    },
  }),
  'session.keys': operation({
    summary: 'Press keys in a session, encoded as its program expects them.',
    params: z.object({
      session: sessionRef,
      keys: z
        .array(z.string().min(1))
        .min(1)
        .max(1000)
        .describe('Key names: Enter, Up, F5, Ctrl+C, Alt+x, Shift+Tab, é, Down*3 …')
        .meta({ placeholder: 'KEY' }),
      actor,
    }),
    result: seqResult,
    errors: [...commandTargetErrors, 'unknown_key', 'input_queue_full'],
    readOnly: false,
    cli: {
      command: 'keys',
      positionals: ['session', 'keys'],
      examples: [
        'transom keys edit Escape : w q Enter',
        "transom keys menu 'Down*3' Enter",
        'transom keys work Ctrl+C',
      ],
    },
  }),
  'session.paste': operation({
    summary: 'Paste text into a session: marked as pasted when the program asked for that.',
    params: z.object({
      session: sessionRef,
      text: z.string().describe('The text to paste.').meta({ placeholder: 'TEXT', readable: true }),
      actor,
    }),
    result: seqResult.extend({
      bracketed: z.boolean().describe('Whether the program was told that it is a paste.'),
    }),
    errors: [...commandTargetErrors, 'input_queue_full'],
    readOnly: false,
    cli: {
      command: 'paste',
      positionals: ['session', 'text'],
      examples: [
        "transom paste edit 'two lines'",
        'transom paste edit --file notes.txt',
        'transom paste edit -',
      ],
    },
  }),
  'session.mouse': operation({
    summary: 'Use the mouse in a session whose program asked for it, at a cell or at a visible text.',
    params: z.object({
      session: sessionRef,
      action: z
        .enum(['click', 'double_click', 'drag', 'wheel', 'move'])
        .describe('click, double_click, drag, wheel or move.')
        .meta({ placeholder: 'ACTION' }),
      at: cell.optional().describe('Where, counted from 0.'),
      text: z
        .string()
        .min(1)
        .optional()
        .describe('Where: in the middle of the first place that shows this text.')
        .meta({ placeholder: 'T' }),
      to: cell.optional().describe('Where a drag ends.'),
      button: z.enum(['left', 'middle', 'right']).default('left').describe('left, middle or right.'),
      lines: z
        .int()
        .min(-100)
        .max(100)
        .default(3)
        .describe('Notches of the wheel; below 0 is up.')
        .meta({ placeholder: 'N' }),
      actor,
    }),
    result: seqResult.extend({ row: z.int(), col: z.int() }),
    errors: [...commandTargetErrors, 'mouse_not_enabled', 'text_not_found', 'input_queue_full'],
    readOnly: false,
    cli: {
      command: 'mouse',
      positionals: ['session', 'action'],
      examples: [
        "transom mouse menu click --text 'OK'",
        'transom mouse files wheel --at 10,5 --lines -3',
        'transom mouse edit drag --at 2,0 --to 4,10',
      ],
    },
  }),
  'session.signal': operation({
    summary: 'Send a signal to the program in front, or to the session’s first process.',
    params: z.object({
      session: sessionRef,
      signal: z
        .enum(['INT', 'TERM', 'HUP', 'QUIT', 'KILL', 'STOP', 'CONT', 'TSTP', 'USR1', 'USR2', 'WINCH'])
        .describe('The signal, without SIG.')
        .meta({ placeholder: 'SIGNAL' }),
      to: z
        .enum(['foreground', 'leader'])
        .default('foreground')
        .describe('The foreground process group of the terminal, or the session’s first process.'),
      actor,
    }),
    result: seqResult.extend({
      pid: z.int().describe('The process, or the leader of the group, it was sent to.'),
    }),
    errors: commandTargetErrors,
    readOnly: false,
    cli: {
      command: 'signal',
      positionals: ['session', 'signal'],
      examples: ['transom signal work INT', 'transom signal work TERM --to leader'],
    },
  }),
  'session.mark': operation({
    summary: 'Give the present moment of a session a name, to come back to it later.',
    params: z.object({
      session: sessionRef,
      label: z
        .string()
        .min(1)
        .max(200)
        .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'a label has no control characters')
        .describe('The name.')
        .meta({ placeholder: 'LABEL' }),
      actor,
    }),
    result: seqResult,
    errors: commandTargetErrors,
    readOnly: false,
    cli: {
      command: 'mark',
      positionals: ['session', 'label'],
      examples: ["transom mark work 'before the upgrade'"],
    },
  }),
  'session.resize': operation({
    summary: 'Change the size of a session’s terminal.',
    params: z.object({ session: sessionRef, cols: cols.optional(), rows: rows.optional() }),
    result: seqResult.extend({ cols: z.int(), rows: z.int() }),
    errors: commandTargetErrors,
    readOnly: false,
    cli: {
      command: 'resize',
      positionals: ['session'],
      examples: ['transom resize edit --cols 100 --rows 30'],
    },
  }),
  'session.wait': operation({
    summary: 'Wait until the screen, the cursor or the program is as described.',
    params: z.object({ session: sessionRef, ...waitConditions.shape, ...waitOptions.shape }),
    result: waitResult,
    errors: [
      'session_not_found',
      'session_ambiguous',
      'session_ended',
      'wait_timeout',
      'bad_pattern',
      'log_corrupt',
    ],
    readOnly: true,
    cli: {
      command: 'wait',
      positionals: ['session'],
      examples: [
        "transom wait work --text 'BUILD OK' --after-input --timeout 60000",
        "transom wait work --regex 'listening on :\\d+'",
        'transom wait edit --screen-stable-ms 200',
        'transom wait job --exit',
      ],
    },
  }),
  'session.snapshot': operation({
    summary: 'Print what a session shows.',
    params: z.object({
      session: sessionRef,
      cells: z.boolean().optional().describe('Colours, attributes and links of the cells too (with --json).'),
      scrollback: z.boolean().optional().describe('The lines that have scrolled off the top, too.'),
    }),
    result: snapshot,
    errors: ['session_not_found', 'session_ambiguous', 'log_corrupt'],
    readOnly: true,
    cli: {
      command: 'snapshot',
      positionals: ['session'],
      examples: ['transom snapshot edit', 'transom snapshot edit --json --cells'],
    },
  }),
  'session.destroy': operation({
    summary: 'End a session and every process it started. Its Event Log stays.',
    params: z.object({ session: sessionRef }),
    result: sessionInfo,
    errors: ['session_not_found', 'session_ambiguous'],
    readOnly: false,
    cli: { command: 'destroy', positionals: ['session'], examples: ['transom destroy edit'] },
  }),
  'session.subscribe': operation({
    summary: 'Follow a session: one dump, then every change, as notifications.',
    params: z.object({
      session: sessionRef,
      to: z.enum(['screen', 'events']),
      after_seq: z
        .int()
        .min(0)
        .optional()
        .describe('With `events`: start after this record instead of after the newest.'),
    }),
    result: z.object({ subscription: z.int() }),
    errors: ['session_not_found', 'session_ambiguous', 'log_corrupt'],
    readOnly: true,
    cli: null,
  }),
  'session.unsubscribe': operation({
    summary: 'End a subscription of this connection.',
    params: z.object({ subscription: z.int() }),
    result: z.object({ ended: z.boolean() }),
    errors: [],
    readOnly: true,
    cli: null,
  }),
  ...HOUSEKEEPING_OPERATIONS,
  'host.status': operation({
    summary: 'Show the host of this Home.',
    params: z.object({}),
    result: z.object({
      home: z.string(),
      pid: z.int(),
      version: z.string(),
      protocol: z.int(),
      socket: z.string(),
      started_at: z.string(),
      sessions: z.int().describe('Active sessions.'),
      connections: z.int(),
      rss_bytes: z.int(),
    }),
    errors: ['host_unavailable'],
    readOnly: true,
    cli: { command: 'host status', positionals: [], examples: ['transom host status'], startsHost: false },
  }),
  'host.stop': operation({
    summary: 'Stop the host of this Home.',
    params: z.object({
      force: z.boolean().optional().describe('Even with active sessions: they are destroyed.'),
    }),
    result: z.object({ stopped: z.literal(true), destroyed: z.int().describe('Sessions that were ended.') }),
    errors: ['host_unavailable', 'host_busy'],
    readOnly: false,
    cli: {
      command: 'host stop',
      positionals: [],
      examples: ['transom host stop', 'transom host stop --force'],
      startsHost: false,
    },
  }),
} as const

export type OperationName = keyof typeof OPERATIONS
/** What a caller passes: defaults may be left out. */
export type Params<N extends OperationName> = z.input<(typeof OPERATIONS)[N]['params']>
/** What a handler receives: validated, defaults filled in. */
export type ParsedParams<N extends OperationName> = z.output<(typeof OPERATIONS)[N]['params']>
export type Result<N extends OperationName> = z.output<(typeof OPERATIONS)[N]['result']>

export function isOperationName(name: string): name is OperationName {
  return Object.hasOwn(OPERATIONS, name)
}
