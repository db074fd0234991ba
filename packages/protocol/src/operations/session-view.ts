import { z } from 'zod'
import { LOOKS } from '../access.ts'
import { SNAPSHOT, SUBSCRIBE_EVENTS, WAIT_METHODS } from './awi-views.ts'
import { moment } from '../moment.ts'
import { operation, save, sessionRef } from '../operation.ts'
import { cursorState, screenLine, snapshot } from '../snapshot.ts'
import { untrusted } from '../untrusted.ts'
import { HASH_CHARS_MAX, SOUGHT_CHARS_MAX } from '../limits.ts'
import { patterns, waitConditions, waitOptions, waitResult } from '../wait.ts'

/** What looks at a session, now or in the past. */
export const SESSION_VIEW_OPERATIONS = {
  'session.wait': operation({
    summary: 'Wait until the screen, the cursor or the program is as described.',
    description:
      'Reacts to change and never polls. Several conditions must all hold, unless --any is given. Without a baseline the present screen counts; after typing, give --after-input, so that neither text that was on the screen before nor the echo of what was typed satisfies the wait. --needs-input asks the kernel whether the program in front is blocked on reading its terminal, and --json says why: a shell prompt, an interpreter, a password, a question, a menu, a pager. On a timeout the screen that was seen is shown.',
    params: z.object({ session: sessionRef, ...waitConditions.shape, ...waitOptions.shape }),
    result: waitResult,
    errors: [
      'session_not_found',
      'session_ambiguous',
      'session_ended',
      'wait_timeout',
      'block_not_found',
      'block_not_started',
      'wrong_kind',
      'bad_pattern',
      'log_corrupt',
    ],
    readOnly: true,
    access: LOOKS,
    step: 'other',
    mcp: {
      name: 'wait_for',
      title: 'Wait for a session',
      description:
        'Waits until the screen shows a text or pattern, stands still, or the program ends. At most 50 s a call: when it timed out, the answer has the screen and `resume`, the call to go on with. Use after_input: true after typing.',
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
        "transom wait build --text 'BUILD OK' --text FAILED --any",
        'transom wait install --needs-input --exit --any --snapshot',
      ],
      seeAlso: ['watch', 'snapshot'],
      render: [
        { text: '[{match.line}]' },
        { text: '[block {block.seq} ended with exit code {block.exit_code}]' },
        { text: '[{needs_input.reason}: {needs_input.prompt}]' },
        { screen: 'snapshot', ifGiven: 'snapshot' },
      ],
    },
  }),
  'session.snapshot': operation({
    summary: 'Print what a session shows.',
    description:
      'Prints the text of the screen without trailing blanks; --json adds the cursor, title, modes and Screen Hash. For an ended session, its last screen.',
    params: z.object({
      session: sessionRef,
      cells: z
        .boolean()
        .optional()
        .describe('Colours, attributes and links of the cells too (with --json).')
        .meta({ tool: { hidden: true } }), // a model is given text, or a picture
      scrollback: z.boolean().optional().describe('The lines that have scrolled off the top, too.'),
      mark_cursor: z
        .boolean()
        .optional()
        .describe('Put ‸ before the character that the cursor is on, if it is shown.')
        .meta({ tool: { hidden: true } }), // a tool's answer has the cursor's place
      mark_highlights: z
        .boolean()
        .optional()
        .describe('Put ⟦ ⟧ around text in reverse video or on a background of its own: a menu’s chosen item.')
        .meta({ tool: { hidden: true } }), // a tool's answer lists it
      full_width: z
        .boolean()
        .optional()
        .describe('Lines with the blanks at their ends.')
        .meta({ tool: { hidden: true } }),
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
    access: LOOKS,
    step: 'other',
    mcp: {
      name: 'read_screen',
      title: 'Read the screen',
      paged: 'screen',
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
        'transom snapshot menu --mark-cursor --mark-highlights',
        'transom snapshot edit --save',
        "transom snapshot edit --at-mark 'before the upgrade'",
      ],
      seeAlso: ['wait', 'inspect'],
      render: { code: 'screen' },
      notice:
        '[{?scrollback_truncated}older lines were dropped from the scrollback; "transom log export {session}" prints all of them]',
    },
  }),
  'session.diff': operation({
    summary: 'Show the rows of a session that have changed since a seq or a Screen Hash.',
    description: 'For a viewer that has seen the screen before: only what is different now.',
    params: z.object({
      session: sessionRef,
      since: z
        .string()
        .regex(/^(?:\d{1,16}|[0-9a-f]{32})$/, 'a seq, or a Screen Hash of 32 hexadecimal digits')
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
      changed: untrusted(z.array(z.object({ row: z.int(), line: screenLine }))),
      cursor: cursorState,
      title: untrusted(z.string()),
      screen_hash: z.string(),
    }),
    errors: ['session_not_found', 'session_ambiguous', 'moment_not_found', 'log_corrupt'],
    readOnly: true,
    access: LOOKS,
    cli: {
      command: 'diff',
      positionals: ['session'],
      examples: ['transom diff work --since 120'],
      seeAlso: ['snapshot', 'watch'],
      render: { lines: 'changed', each: '{row:3}  {line.text}' },
    },
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
    access: LOOKS,
    awi: [SUBSCRIBE_EVENTS],
    stream: true,
    cli: null,
  }),
  'session.unsubscribe': operation({
    summary: 'End a subscription of this connection.',
    params: z.object({ subscription: z.int() }),
    result: z.object({ ended: z.boolean() }),
    errors: [],
    readOnly: true,
    stream: true,
    access: { scope: 'read', reach: 'connection', touches: [] },
    cli: null,
  }),
  'session.assert': operation({
    summary: 'Check what a session shows at this moment, or how its program ended.',
    description:
      'Judged once, at this moment: wait first. All failures are reported together, with the screen; the exit status is 1.',
    params: z.object({
      session: sessionRef,
      text: patterns.describe('This text, or each of several, is on the screen (wrapped lines are joined).'),
      no_text: patterns.describe('This text, or any of several, is not on the screen.'),
      regex: patterns.describe('This RE2 pattern, or each of several, matches the screen text.'),
      no_regex: patterns.describe('This RE2 pattern, or any of several, does not match the screen text.'),
      cursor: z
        .object({ row: z.int().min(0), col: z.int().min(0) })
        .optional()
        .describe('The cursor is at this cell, counted from 0.')
        .meta({ placeholder: 'ROW,COL', parse: 'point' }),
      title: z.string().max(SOUGHT_CHARS_MAX).optional().describe('The window title is this.'),
      screen_hash: z
        .string()
        .min(1)
        .max(HASH_CHARS_MAX)
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
    access: LOOKS,
    step: 'other',
    cli: {
      command: 'assert',
      positionals: ['session'],
      examples: [
        "transom assert work --text '3 passed' --no-text FAILED",
        'transom assert job --exit-code 0',
      ],
      seeAlso: ['wait', 'batch'],
      render: 'nothing',
    },
  }),
} as const
