import { MORE_COMMANDS, OPEN_COMMAND } from './more-commands.ts'

/** An argument or option of a command, and the parameter of the method that it becomes. */
export interface AwiParam {
  /** With a dot in it, a part of an object: `from.row`. */
  readonly name: string
  /** A `socket` may be left without a value, and then has a default; a `list` may be given several times. */
  readonly type: 'string' | 'integer' | 'key' | 'boolean' | 'list' | 'socket'
  readonly description: string
  /** `--flag`; an argument when left out. */
  readonly flag?: string
  readonly placeholder?: string
  readonly values?: readonly string[]
  readonly optional?: true
  /** Used here, and not sent to the browser. */
  readonly local?: true
  /** Sent inside `modifiers`. */
  readonly modifier?: true
}

export interface AwiCommand {
  readonly name: string
  /** The JSON-RPC method that it calls; null for what is done without a browser's socket. */
  readonly method: string | null
  readonly summary: string
  readonly params: readonly AwiParam[]
  readonly examples: readonly string[]
  /** More for the help's reader. */
  readonly notes?: readonly string[]
  /** Parameters that the command's name says. */
  readonly fixed?: Readonly<Record<string, unknown>>
  /** The result's one value that --plain prints. */
  readonly plain?: string
}

const MODIFIERS: readonly AwiParam[] = ['alt', 'meta', 'shift', 'ctrl'].map((name) => ({
  name,
  type: 'boolean',
  flag: name,
  optional: true,
  modifier: true,
  description: `With ${name[0]?.toUpperCase()}${name.slice(1)} held down.`,
}))

const CELL: readonly AwiParam[] = [
  { name: 'row', type: 'integer', description: 'The row, from 0.' },
  { name: 'col', type: 'integer', description: 'The column, from 0.' },
]

const BUTTON: AwiParam = {
  name: 'button',
  type: 'string',
  flag: 'button',
  optional: true,
  values: ['left', 'middle', 'right'],
  description: 'Which button: left, middle or right.',
}

const TIMEOUT: AwiParam = {
  name: 'timeout_ms',
  type: 'integer',
  flag: 'timeout-ms',
  optional: true,
  description: 'Give up after this many milliseconds.',
}

/** The commands that AWI-TTY's specification names, then those that agents need beside them. */
export const AWI_COMMANDS: readonly AwiCommand[] = [
  command(
    'navigate',
    'Open a page.',
    [string('url', 'Where to: http or https.'), TIMEOUT],
    ['navigate https://example.com/'],
  ),
  command(
    'send-key',
    'Press a key.',
    [
      {
        name: 'key',
        type: 'key',
        description: 'Tab, Enter, Up, Down, Left, Right, Space, Char:X, or any other key by its name.',
      },
      ...MODIFIERS,
    ],
    ['send-key Tab', 'send-key Char:a --ctrl'],
  ),
  command(
    'scroll',
    'Scroll by rows: down, or up when negative.',
    [{ name: 'delta', type: 'integer', description: 'How many rows.' }],
    ['scroll 5', 'scroll -5'],
  ),
  command(
    'snapshot',
    'Print what the page shows.',
    [
      {
        name: 'format',
        type: 'string',
        flag: 'format',
        optional: true,
        values: ['text', 'ansi'],
        description: 'text, or ansi with colours.',
      },
      {
        name: 'include_meta',
        type: 'boolean',
        flag: 'include-meta',
        optional: true,
        description: 'With cursor, address, title, scale and history.',
      },
      {
        name: 'trim',
        type: 'boolean',
        flag: 'trim',
        optional: true,
        local: true,
        description: 'Without blanks at the ends of lines.',
      },
      {
        name: 'out',
        type: 'string',
        placeholder: 'FILE',
        flag: 'out',
        optional: true,
        local: true,
        description: 'Write it to this file and print nothing.',
      },
    ],
    ['snapshot --plain', 'snapshot --format text --include-meta'],
    'lines',
  ),
  command('get-title', 'Print the title of the page.', [], ['get-title --plain'], 'title'),
  command('get-url', 'Print the address of the page.', [], ['get-url --plain'], 'url'),
  command('get-nav-state', 'Say whether there is a page to go back or forward to.', [], ['get-nav-state']),
  command(
    'set-viewport',
    'Set the size of the screen in cells.',
    [
      { name: 'cols', type: 'integer', description: 'Columns.' },
      { name: 'rows', type: 'integer', description: 'Rows.' },
    ],
    ['set-viewport 140 45'],
  ),
  command('get-capabilities', 'Say what this browser can do.', [], ['get-capabilities']),
  command(
    'type-text',
    'Type a text, key by key.',
    [string('text', 'What to type.')],
    ["type-text 'carbonyl browser'"],
  ),
  command('paste', 'Insert a text in one piece.', [string('text', 'What to insert.')], ["paste 'some text'"]),
  command(
    'wait-for-frame-quiescence',
    'Wait until the page has not changed for a while.',
    [{ name: 'idle_ms', type: 'integer', description: 'For how many milliseconds.' }, TIMEOUT],
    ['wait-for-frame-quiescence 500'],
  ),
  command(
    'wait-for-title-contains',
    'Wait until the title has a text in it.',
    [string('substring', 'The text.'), TIMEOUT],
    ["wait-for-title-contains 'Hacker News' --timeout-ms 5000"],
    'title',
  ),
  command(
    'click',
    'Click at a cell.',
    [
      ...CELL,
      BUTTON,
      {
        name: 'clicks',
        type: 'integer',
        flag: 'clicks',
        optional: true,
        description: '2 for a double click.',
      },
      ...MODIFIERS,
    ],
    ['click 3 10'],
  ),
  command('mouse-move', 'Move the mouse to a cell.', [...CELL, ...MODIFIERS], ['mouse-move 3 10']),
  command(
    'mouse-down',
    'Press a mouse button at a cell.',
    [...CELL, BUTTON, ...MODIFIERS],
    ['mouse-down 3 10'],
  ),
  command('mouse-up', 'Let a mouse button go at a cell.', [...CELL, BUTTON, ...MODIFIERS], ['mouse-up 3 12']),
  command('ping', 'Ask whether the browser is there.', [], ['ping']),
  command(
    'subscribe-events',
    'Print what happens, one JSON object a line, until interrupted.',
    [
      {
        name: 'count',
        type: 'integer',
        flag: 'count',
        optional: true,
        local: true,
        description: 'End after so many events.',
      },
    ],
    ['subscribe-events --count 1'],
  ),
  ...MORE_COMMANDS,
  OPEN_COMMAND,
  {
    name: 'install-browser',
    method: null,
    summary: 'Fetch a Chromium from the npm registry, where the system has none.',
    params: [],
    examples: ['install-browser'],
    plain: 'path',
  },
]

function command(
  name: string,
  summary: string,
  params: readonly AwiParam[],
  examples: readonly string[],
  plain?: string,
): AwiCommand {
  const base = { name, method: name.replaceAll('-', '_'), summary, params, examples }
  return plain === undefined ? base : { ...base, plain }
}

function string(name: string, description: string): AwiParam {
  return { name, type: 'string', description }
}
