import { z } from 'zod'
import { ACTS } from '../access.ts'
import { MOUSE_METHODS, PASTE, SEND_KEY, SET_VIEWPORT, TYPE_TEXT } from './awi-input.ts'
import { signalName } from '../signal-name.ts'
import {
  acting,
  actingErrors,
  actor,
  cols,
  commandTargetErrors,
  lease,
  operation,
  rows,
  seqResult,
  sessionRef,
} from '../operation.ts'
import { INPUT_CHARS_MAX, KEY_CHARS_MAX, LABEL_CHARS_MAX } from '../limits.ts'
import { sought } from '../wait.ts'

const cell = z
  .object({ row: z.int().min(0), col: z.int().min(0) })
  .meta({ placeholder: 'ROW,COL', parse: 'point' })

const inputText = z.string().max(INPUT_CHARS_MAX)

/** What acts on a Command Target. */
export const SESSION_INPUT_OPERATIONS = {
  'session.type': operation({
    summary: 'Type text into a session, as at its keyboard; a line break is the Enter key.',
    description:
      'The text is sent as it is, character by character. For keys that are no text (Ctrl+C, arrows) use keys; for several lines into an editor use paste. Prints nothing; with --json the seq, a baseline for wait. With --secret no TEXT is taken: other users can see the arguments of a command. It is the first line of standard input or of --file, or asked for on a terminal; the log has its length and who typed it.',
    params: z.object({
      session: sessionRef,
      text: inputText
        .describe('The text to type.')
        .meta({ placeholder: 'TEXT', readable: true, secretWith: 'secret' }),
      secret: z.boolean().optional().describe('The text is a secret: the log keeps its length only.'),
      enter: z.boolean().optional().describe('Press Enter after it.'),
      ...acting,
    }),
    result: seqResult,
    errors: [...actingErrors, 'input_queue_full'],
    readOnly: false,
    access: ACTS,
    step: 'input',
    mcp: {
      name: 'type_text',
      title: 'Type text',
      description:
        'Types text as at the keyboard, with enter: true also the Enter key. Answers with a seq: give it as after_seq to wait_for, so that neither the old screen nor the echo of your text counts.',
    },
    awi: [TYPE_TEXT],
    cli: {
      command: 'type',
      positionals: ['session', 'text'],
      examples: [
        "transom type edit 'hello'",
        "transom type work 'make test' --enter",
        'transom type work --secret --enter',
        'transom type work --secret --file key.txt --enter',
      ],
      seeAlso: ['keys', 'paste', 'wait'],
      render: 'nothing',
    },
  }),
  'session.keys': operation({
    summary: 'Press keys in a session, encoded as its program expects them.',
    description:
      'A key is sent as the program in front expects it at this moment: application cursor keys and the kitty keyboard protocol are followed. KEY*N presses it N times; a single character is its own key.',
    params: z.object({
      session: sessionRef,
      keys: z
        .array(z.string().min(1).max(KEY_CHARS_MAX))
        .min(1)
        .max(1000)
        .describe('Key names: Enter, Up, F5, Ctrl+C, Alt+x, Shift+Tab, é, Down*3 …')
        .meta({ placeholder: 'KEY' }),
      ...acting,
    }),
    result: seqResult,
    errors: [...actingErrors, 'unknown_key', 'input_queue_full'],
    readOnly: false,
    access: ACTS,
    step: 'input',
    mcp: {
      name: 'press_keys',
      title: 'Press keys',
      description: 'Presses keys by name, encoded as the program in front expects them.',
    },
    awi: [SEND_KEY],
    cli: {
      command: 'keys',
      positionals: ['session', 'keys'],
      examples: [
        'transom keys edit Escape : w q Enter',
        "transom keys menu 'Down*3' Enter",
        'transom keys work Ctrl+C',
      ],
      seeAlso: ['type', 'wait'],
      render: 'nothing',
    },
  }),
  'session.paste': operation({
    summary: 'Paste text into a session: marked as pasted when the program asked for that.',
    description:
      'When the program has asked for bracketed paste, the text is marked, so that an editor does not indent it and a shell does not run it line by line. An end-of-paste mark inside the text is removed.',
    params: z.object({
      session: sessionRef,
      text: inputText.describe('The text to paste.').meta({ placeholder: 'TEXT', readable: true }),
      ...acting,
    }),
    result: seqResult.extend({
      bracketed: z.boolean().describe('Whether the program was told that it is a paste.'),
    }),
    errors: [...actingErrors, 'input_queue_full'],
    readOnly: false,
    access: ACTS,
    step: 'input',
    mcp: {
      name: 'paste_text',
      title: 'Paste text',
      description:
        'Pastes text of several lines into an editor or prompt, marked as a paste where the program asked for that.',
    },
    awi: [PASTE],
    cli: {
      command: 'paste',
      positionals: ['session', 'text'],
      examples: [
        "transom paste edit 'two lines'",
        'transom paste edit --file notes.txt',
        'transom paste edit -',
      ],
      seeAlso: ['type'],
      render: 'nothing',
    },
  }),
  'session.mouse': operation({
    summary: 'Use the mouse in a session whose program asked for it, at a cell or at a visible text.',
    description:
      'A web page always takes it. On a terminal only for programs that have switched mouse input on, as mc, htop and dialog do; others get a clear error. Cells are counted from 0.',
    params: z.object({
      session: sessionRef,
      action: z
        .enum(['click', 'double_click', 'drag', 'wheel', 'move', 'down', 'up'])
        .describe('click, double_click, drag, wheel, move, down or up.')
        .meta({ placeholder: 'ACTION' }),
      at: cell.optional().describe('Where, counted from 0; the wheel turns in the middle by default.'),
      text: sought
        .optional()
        .describe('Where: at the first place that shows this text.')
        .meta({ placeholder: 'T' }),
      nth: z
        .int()
        .min(1)
        .optional()
        .describe('Which of several places that show the text, from 1 at the upper left.')
        .meta({ placeholder: 'N' }),
      ignore_case: z.boolean().optional().describe('With a text: small and capital letters are the same.'),
      to: cell.optional().describe('Where a drag ends.'),
      button: z.enum(['left', 'middle', 'right']).default('left').describe('left, middle or right.'),
      clicks: z
        .int()
        .min(1)
        .max(3)
        .default(1)
        .describe('How many clicks in a row: 2 is a double click.')
        .meta({ placeholder: 'N', tool: { hidden: true } }), // a model has double_click
      modifiers: z
        .array(z.enum(['alt', 'ctrl', 'shift', 'meta']))
        .max(4) // each once
        .optional()
        .describe('A key that is held down meanwhile: alt, ctrl, shift or meta (repeatable).')
        .meta({ flag: 'modifier', placeholder: 'KEY' }),
      lines: z
        .int()
        .min(-100_000)
        .max(100_000)
        .default(3)
        .describe('Notches of the wheel, on a page rows; below 0 is up.')
        .meta({ placeholder: 'N' }),
      ...acting,
    }),
    result: seqResult.extend({ row: z.int(), col: z.int() }),
    errors: [...actingErrors, 'mouse_not_enabled', 'text_not_found', 'input_queue_full'],
    readOnly: false,
    access: ACTS,
    step: 'input',
    mcp: {
      name: 'use_mouse',
      title: 'Use the mouse',
      description:
        'Clicks, drags or turns the wheel at a cell or at a visible text: on a web page, or in programs that take mouse input (mc, htop, dialog).',
    },
    awi: MOUSE_METHODS,
    cli: {
      command: 'mouse',
      positionals: ['session', 'action'],
      examples: [
        "transom mouse menu click --text 'OK'",
        "transom mouse news click --text 'comments' --nth 3",
        'transom mouse files wheel --at 10,5 --lines -3',
        'transom mouse edit drag --at 2,0 --to 4,10',
      ],
      seeAlso: ['keys', 'snapshot'],
      render: 'nothing',
    },
  }),
  'session.signal': operation({
    summary: 'Send a signal to the program in front, or to the session’s first process.',
    description: 'Ctrl+C by keys goes through the terminal and may be read as input; a signal cannot.',
    params: z.object({
      session: sessionRef,
      signal: signalName,
      to: z
        .enum(['foreground', 'leader'])
        .default('foreground')
        .describe('The foreground process group of the terminal, or the session’s first process.'),
      ...acting,
    }),
    result: seqResult.extend({
      pid: z.int().describe('The process, or the leader of the group, it was sent to.'),
    }),
    errors: actingErrors,
    readOnly: false,
    access: ACTS,
    needs: 'tty',
    step: 'input',
    cli: {
      command: 'signal',
      positionals: ['session', 'signal'],
      examples: ['transom signal work INT', 'transom signal work SIGTERM --to leader'],
      seeAlso: ['keys', 'destroy'],
      render: 'nothing',
    },
  }),
  'session.mark': operation({
    summary: 'Give the present moment of a session a name, to come back to it later.',
    params: z.object({
      session: sessionRef,
      label: z
        .string()
        .min(1)
        .max(LABEL_CHARS_MAX)
        .regex(/^[^\u0000-\u001f\u007f-\u009f]*$/, 'a label has no control characters')
        .describe('The name.')
        .meta({ placeholder: 'LABEL' }),
      actor,
    }),
    result: seqResult,
    errors: commandTargetErrors,
    readOnly: false,
    access: ACTS,
    step: 'other',
    cli: {
      command: 'mark',
      positionals: ['session', 'label'],
      examples: ["transom mark work 'before the upgrade'"],
      render: 'nothing',
    },
  }),
  'session.resize': operation({
    summary: 'Change the size of a session’s terminal.',
    params: z.object({ session: sessionRef, cols: cols.optional(), rows: rows.optional(), lease }),
    result: seqResult.extend({ cols: z.int(), rows: z.int() }),
    errors: actingErrors,
    readOnly: false,
    access: ACTS,
    awi: [SET_VIEWPORT],
    step: 'other',
    cli: {
      command: 'resize',
      positionals: ['session'],
      examples: ['transom resize edit --cols 100 --rows 30'],
      render: 'nothing',
    },
  }),
} as const
