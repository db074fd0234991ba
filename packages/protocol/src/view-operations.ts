import { z } from 'zod'
import { SNAPSHOT, SUBSCRIBE_EVENTS, WAIT_METHODS } from './operations/awi-views.ts'
import { operation, save, sessionRef } from './operation.ts'
import { cursorState, screenLine, snapshot } from './snapshot.ts'
import { waitConditions, waitOptions, waitResult } from './wait.ts'

/** A moment of the past, instead of now. */
export const moment = {
  at_seq: z
    .int()
    .min(1)
    .optional()
    .describe('As it was after this record of the Event Log.')
    .meta({ placeholder: 'N' }),
  at_mark: z
    .string()
    .min(1)
    .optional()
    .describe('As it was at the last mark with this label.')
    .meta({ placeholder: 'LABEL' }),
  at_time: z
    .string()
    .min(1)
    .optional()
    .describe('As it was at this time: ISO 8601, or milliseconds since 1970.')
    .meta({ placeholder: 'TIME' }),
}

/** What looks at a session, now or in the past. */
export const VIEW_OPERATIONS = {
  'session.wait': operation({
    summary: 'Wait until the screen, the cursor or the program is as described.',
    params: z.object({ session: sessionRef, ...waitConditions.shape, ...waitOptions.shape }),
    result: waitResult,
    errors: [
      'session_not_found',
      'session_ambiguous',
      'session_ended',
      'wait_timeout',
      'wrong_kind',
      'bad_pattern',
      'log_corrupt',
    ],
    readOnly: true,
    mcp: {
      name: 'wait_for',
      title: 'Wait for a session',
      description:
        'Waits until the screen shows a text or pattern, stands still, or the program ends; returns at once when it is so already. At most 50 s a call: when it timed out, the answer has the screen and `resume`, the arguments to go on waiting with. Use after_input: true after typing.',
    },
    awi: WAIT_METHODS,
    cli: {
      command: 'wait',
      positionals: ['session'],
      examples: [
        "transom wait work --text 'BUILD OK' --after-input --timeout 60000",
        "transom wait work --regex 'listening on :\\d+'",
        'transom wait edit --screen-stable-ms 200',
        'transom wait job --exit',
        'transom wait install --needs-input --exit --any',
      ],
    },
  }),
  'session.snapshot': operation({
    summary: 'Print what a session shows.',
    params: z.object({
      session: sessionRef,
      cells: z.boolean().optional().describe('Colours, attributes and links of the cells too (with --json).'),
      scrollback: z.boolean().optional().describe('The lines that have scrolled off the top, too.'),
      full_width: z.boolean().optional().describe('Lines with the blanks at their ends.'),
      max_chars: z
        .int()
        .min(1)
        .optional()
        .describe('At most this much text: lines in the middle are left out, and marked so.')
        .meta({ placeholder: 'N' }),
      ...moment,
      save,
    }),
    result: snapshot,
    errors: [
      'session_not_found',
      'session_ambiguous',
      'moment_not_found',
      'log_corrupt',
      'artifact_damaged',
      'disk_full',
    ],
    readOnly: true,
    mcp: {
      name: 'read_screen',
      title: 'Read the screen',
      description:
        'Reads what a session shows now, or with scrollback what scrolled off, or at an earlier seq. A long screen is cut in the middle: its `cursor` gets the rest.',
    },
    awi: [SNAPSHOT],
    cli: {
      command: 'snapshot',
      positionals: ['session'],
      examples: [
        'transom snapshot edit',
        'transom snapshot edit --json --cells',
        'transom snapshot edit --save',
        "transom snapshot edit --at-mark 'before the upgrade'",
      ],
    },
  }),
  'session.diff': operation({
    summary: 'Show the rows of a session that have changed since a seq or a Screen Hash.',
    params: z.object({
      session: sessionRef,
      since: z
        .string()
        .regex(/^(?:\d+|[0-9a-f]{32})$/, 'a seq, or a Screen Hash of 32 hexadecimal digits')
        .describe('A seq, or the Screen Hash of an earlier snapshot.')
        .meta({ placeholder: 'SEQ|HASH' }),
      cells: z.boolean().optional().describe('Colours, attributes and links of the cells too (with --json).'),
    }),
    result: z.object({
      session: z.string(),
      since_seq: z.int(),
      seq: z.int(),
      cols: z.int(),
      rows: z.int(),
      resized: z.boolean().describe('The screen had another size then: all rows count as changed.'),
      changed: z.array(z.object({ row: z.int(), line: screenLine })),
      cursor: cursorState,
      title: z.string(),
      screen_hash: z.string(),
    }),
    errors: ['session_not_found', 'session_ambiguous', 'moment_not_found', 'log_corrupt'],
    readOnly: true,
    cli: { command: 'diff', positionals: ['session'], examples: ['transom diff work --since 120'] },
  }),
  'session.subscribe': operation({
    summary: 'Follow a session: one dump, then every change, as notifications.',
    params: z.object({
      session: sessionRef,
      to: z.enum(['screen', 'events', 'blocks']),
      after_seq: z
        .int()
        .min(0)
        .optional()
        .describe('With `events` or `blocks`: start after this record instead of after the newest.'),
      full_rate: z
        .boolean()
        .optional()
        .describe('With `events`: a page is read at its full rate meanwhile, as it is for `screen`.'),
    }),
    result: z.object({ subscription: z.int() }),
    errors: ['session_not_found', 'session_ambiguous', 'log_corrupt'],
    readOnly: true,
    awi: [SUBSCRIBE_EVENTS],
    cli: null,
  }),
  'session.unsubscribe': operation({
    summary: 'End a subscription of this connection.',
    params: z.object({ subscription: z.int() }),
    result: z.object({ ended: z.boolean() }),
    errors: [],
    readOnly: true,
    access: { restricted: 'connection' },
    cli: null,
  }),
} as const
