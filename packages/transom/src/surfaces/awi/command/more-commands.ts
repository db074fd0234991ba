import type { AwiCommand, AwiParam } from './commands.ts'

const TEXT = argument('text', 'The text, as it is shown.')
const IGNORE_CASE = sent('ignore-case', 'boolean', 'Capital and small letters are the same.')
const TIMEOUT = sent('timeout-ms', 'integer', 'Give up after this many milliseconds.')

/** What agents need beside the specification's commands. */
export const MORE_COMMANDS: readonly AwiCommand[] = [
  command('go-back', 'Go back one page.', [], ['go-back']),
  command('go-forward', 'Go forward one page.', [], ['go-forward']),
  command('reload', 'Load the page again.', [], ['reload']),
  command('find-text', 'Say where a text is shown.', [TEXT, IGNORE_CASE], ["find-text 'Next page'"], {
    plain: 'matches',
  }),
  command(
    'click-text',
    'Click at a text.',
    [TEXT, sent('nth', 'integer', 'Which of several, from 1 at the top left.'), IGNORE_CASE],
    ["click-text 'Next page'"],
  ),
  command('links', 'List the links of the page.', [], ['links --plain'], { plain: 'links' }),
  command(
    'drag',
    'Drag with the mouse from one cell to another.',
    ['from.row', 'from.col', 'to.row', 'to.col'].map((name) => ({
      name,
      type: 'integer',
      description: `${name.startsWith('from') ? 'Where it begins' : 'Where it ends'}: the ${name.endsWith('row') ? 'row' : 'column'}, from 0.`,
    })),
    ['drag 3 10 3 40'],
  ),
  command(
    'wait-for',
    'Wait for a text, an address, or until nothing moves; all that is given must hold.',
    [
      sent('text', 'string', 'A text that is shown.'),
      sent('url', 'string', 'A part of the address.'),
      sent('idle', 'integer', 'No cell has changed for so many milliseconds.'),
      sent('network-idle', 'integer', 'No request has been open for so many milliseconds.'),
      TIMEOUT,
    ],
    ["wait-for --text 'Results' --timeout-ms 5000"],
  ),
  command('get-dialog', 'Say which dialog is open.', [], ['get-dialog'], { plain: 'dialog' }),
  command(
    'accept-dialog',
    'Answer the dialog that is open with yes.',
    [sent('text', 'string', 'The answer to a prompt.')],
    ['accept-dialog --text Ada'],
    { method: 'answer_dialog', fixed: { accept: true } },
  ),
  command('dismiss-dialog', 'Answer the dialog that is open with no.', [], ['dismiss-dialog'], {
    method: 'answer_dialog',
    fixed: { accept: false },
  }),
  command(
    'screenshot',
    'Take a picture of the page as Chromium paints it (PNG, base64 unless --out).',
    [
      sent('full-page', 'boolean', 'All of the page, also what is scrolled away.'),
      { ...own('out', 'string', 'Write the picture to this file and print nothing.'), placeholder: 'FILE' },
    ],
    ['screenshot --out page.png'],
    { plain: 'png_b64' },
  ),
  command(
    'set-zoom',
    'Show everything larger or smaller.',
    [{ name: 'percent', type: 'integer', description: '100 is the natural size.' }],
    ['set-zoom 130'],
  ),
]

export const OPEN_COMMAND: AwiCommand = {
  name: 'open',
  method: null,
  summary: 'Browse in this terminal; or, with --agent-socket, start a browser for agents.',
  params: [
    { ...argument('url', 'The page to begin with.'), optional: true, local: true },
    own(
      'agent-socket',
      'socket',
      'Serve agents there until interrupted; without a path, at the default place.',
    ),
    own('cols', 'integer', 'Columns of cells, with --agent-socket (140).'),
    own('rows', 'integer', 'Rows of cells, with --agent-socket (45).'),
    own('zoom', 'integer', 'Percent: 130 shows everything larger.'),
    {
      ...own('allow-host', 'list', 'Pages may reach this host of this machine or its network; see below.'),
      placeholder: 'HOST',
    },
    {
      ...own('only-host', 'list', 'Pages and frames come from this host alone. Also several times.'),
      placeholder: 'HOST',
    },
    {
      ...own('profile', 'string', 'A folder that keeps cookies and logins; without it nothing is kept.'),
      placeholder: 'DIR',
    },
    own(
      'debug',
      'boolean',
      'With --agent-socket, say on standard error what is asked: ids, durations, errors.',
    ),
  ],
  examples: [
    'open https://example.com/',
    'open https://example.com/ --agent-socket /tmp/web.sock',
    'open http://localhost:8080/ --agent-socket --allow-host localhost:8080 --zoom 130',
  ],
  notes: [
    'In the terminal: Ctrl+L address, Alt+Left and Alt+Right back and forward, Ctrl+R reload, Ctrl+Q quit.',
    'HOST is a name, *.name, an address or a block such as 10.0.0.0/8, each also with :PORT. Several times for several.',
  ],
}

interface Extras {
  readonly plain?: string
  readonly method?: string
  readonly fixed?: Readonly<Record<string, unknown>>
}

function command(
  name: string,
  summary: string,
  params: readonly AwiParam[],
  examples: readonly string[],
  extras: Extras = {},
): AwiCommand {
  return { name, method: name.replaceAll('-', '_'), summary, params, examples, ...extras }
}

function argument(name: string, description: string): AwiParam {
  return { name, type: 'string', description }
}

/** An option that the browser is told of. */
function sent(flag: string, type: AwiParam['type'], description: string): AwiParam {
  return { name: flag.replaceAll('-', '_'), type, flag, optional: true, description }
}

/** An option that is used here. */
function own(flag: string, type: AwiParam['type'], description: string): AwiParam {
  return { ...sent(flag, type, description), local: true }
}
