import { z } from 'zod'
import { ACTS, LOOKS } from '../access.ts'
import {
  ANSWER_DIALOG,
  FIND_TEXT,
  GO_BACK,
  GO_FORWARD,
  LINKS,
  NAVIGATE,
  PAINTED_SCREENSHOT,
  RELOAD,
  SET_ZOOM,
  STATE_METHODS,
} from './awi-page.ts'
import { acting, commandTargetErrors, leaseErrors, operation, seqResult, sessionRef } from '../operation.ts'
import { pageView } from '../page-view.ts'
import { WAIT_MS_MAX, sought } from '../wait.ts'
import { untrusted } from '../untrusted.ts'
import { ANSWER_CHARS_MAX, PATH_CHARS_MAX, URL_CHARS_MAX } from '../limits.ts'

const cell = z.object({ row: z.int(), col: z.int() })

const BROWSES = { ...ACTS, touches: ['network'] } as const

/** Beside those of every command: the page may hang, or its process may end. */
const pageErrors = [...commandTargetErrors, 'page_unresponsive', 'page_crashed', 'browser_failed'] as const
const actErrors = [...pageErrors, ...leaseErrors] as const
const navigationErrors = [...actErrors, 'navigation_failed', 'navigation_timeout'] as const

/** The operations that only web pages have. Keys, text and mouse are those of every session. */
export const WEB_OPERATIONS = {
  'web.navigate': operation({
    summary: 'Open another page in a web session, and wait until it has loaded.',
    description:
      'Returns when the page has loaded. For what it does after that, use wait. Addresses of this machine and its networks are refused unless the session was created with --allow-host.',
    params: z.object({
      session: sessionRef,
      url: z.string().min(1).max(URL_CHARS_MAX).describe('Its address.').meta({ placeholder: 'URL' }),
      timeout_ms: z
        .int()
        .min(0)
        .max(WAIT_MS_MAX)
        .default(30_000)
        .describe('Give up waiting after this long; what has come by then is shown.')
        .meta({ flag: 'timeout', placeholder: 'TIME', parse: 'duration' }),
      ...acting,
    }),
    result: seqResult,
    errors: [...navigationErrors, 'invalid_url', 'url_refused'],
    readOnly: false,
    access: BROWSES,
    needs: 'page',
    mcp: {
      name: 'open_page',
      title: 'Open another web page',
      description:
        'Opens another address in a session that is a web page (create_session with a url makes one), and answers when it has loaded; read_screen shows it.',
    },
    awi: [NAVIGATE],
    cli: {
      command: 'navigate',
      positionals: ['session', 'url'],
      examples: ['transom navigate news https://example.org/today'],
      seeAlso: ['back', 'wait', 'links'],
      render: 'nothing',
    },
  }),
  'web.go_back': operation({
    summary: 'Go back to the page before, as the browser’s own button does.',
    params: z.object({ session: sessionRef, ...acting }),
    result: seqResult.extend({ moved: z.boolean().describe('False when there is no page before.') }),
    errors: navigationErrors,
    readOnly: false,
    access: BROWSES,
    awi: [GO_BACK],
    needs: 'page',
    cli: { command: 'back', positionals: ['session'], examples: ['transom back news'], render: 'nothing' },
  }),
  'web.go_forward': operation({
    summary: 'Go forward again to the page that was left by going back.',
    params: z.object({ session: sessionRef, ...acting }),
    result: seqResult.extend({ moved: z.boolean().describe('False when there is no such page.') }),
    errors: navigationErrors,
    readOnly: false,
    access: BROWSES,
    awi: [GO_FORWARD],
    needs: 'page',
    cli: {
      command: 'forward',
      positionals: ['session'],
      examples: ['transom forward news'],
      render: 'nothing',
    },
  }),
  'web.reload': operation({
    summary: 'Load the page of a web session again.',
    params: z.object({ session: sessionRef, ...acting }),
    result: seqResult,
    errors: navigationErrors,
    readOnly: false,
    access: BROWSES,
    awi: [RELOAD],
    needs: 'page',
    cli: {
      command: 'reload',
      positionals: ['session'],
      examples: ['transom reload news'],
      render: 'nothing',
    },
  }),
  'web.set_zoom': operation({
    summary: 'Show the page of a web session larger or smaller.',
    params: z.object({
      session: sessionRef,
      percent: z.int().describe('25 to 500; 100 is the natural size.').meta({ placeholder: 'PERCENT' }),
      ...acting,
    }),
    result: seqResult,
    errors: [...actErrors, 'invalid_viewport'],
    readOnly: false,
    access: ACTS,
    awi: [SET_ZOOM],
    needs: 'page',
    cli: {
      command: 'zoom',
      positionals: ['session', 'percent'],
      examples: ['transom zoom news 80'],
      render: 'nothing',
    },
  }),
  'web.answer_dialog': operation({
    summary: 'Answer the dialog (alert, confirm, prompt) that a page has open.',
    description:
      'While a dialog is open the page stands still: keys, clicks and navigation are refused until it is answered. A snapshot with --json shows it.',
    params: z.object({
      session: sessionRef,
      answer: z.enum(['accept', 'dismiss']).describe('accept or dismiss.').meta({ placeholder: 'ANSWER' }),
      text: z
        .string()
        .max(ANSWER_CHARS_MAX)
        .optional()
        .describe('What to answer a prompt with.')
        .meta({ placeholder: 'T' }),
      ...acting,
    }),
    result: seqResult,
    errors: actErrors,
    readOnly: false,
    access: ACTS,
    needs: 'page',
    mcp: {
      name: 'answer_dialog',
      title: 'Answer a dialog of a web page',
      description:
        'Accepts or dismisses the alert, confirm or prompt that a page has open. read_screen tells of one in `page`; nothing else works before it is answered.',
    },
    awi: [ANSWER_DIALOG],
    cli: {
      command: 'dialog',
      positionals: ['session', 'answer'],
      examples: ['transom dialog news accept', "transom dialog news accept --text 'my name'"],
      seeAlso: ['page', 'snapshot'],
      render: 'nothing',
    },
  }),
  'web.links': operation({
    summary: 'List the links of a page, also of what is scrolled away, with the cell of those that are seen.',
    description:
      'Asked of the page itself, so only of a live session. To follow a link that is seen, click its text or its cell with mouse; to open one that is not, give its address to navigate.',
    params: z.object({ session: sessionRef }),
    result: z.object({
      links: untrusted(
        z.array(
          z.object({
            text: z.string(),
            url: z.string(),
            row: z
              .int()
              .nullable()
              .describe('Where to click; null while it is not on the screen, or covered.'),
            col: z.int().nullable(),
          }),
        ),
      ),
    }),
    errors: pageErrors,
    readOnly: true,
    access: LOOKS,
    needs: 'page',
    mcp: {
      name: 'list_links',
      title: 'List the links of a web page',
      paged: 'links',
      description:
        'Lists the links of a page with text, address and, for those on the screen, the cell to click at with use_mouse; also those that are scrolled away.',
    },
    awi: [LINKS],
    cli: {
      command: 'links',
      positionals: ['session'],
      examples: ['transom links news'],
      seeAlso: ['mouse', 'navigate', 'find'],
      render: { table: 'links', columns: { CELL: '[{row},{col}]', TEXT: '{text}', URL: '{url}' } },
    },
  }),
  'web.find_text': operation({
    summary: 'Find where a page shows a text: every place, from the upper left.',
    params: z.object({
      session: sessionRef,
      text: sought
        .describe(
          'The text; a blank in it stands for any number of blanks, or for the end of a line that goes on below.',
        )
        .meta({ placeholder: 'TEXT' }),
      ignore_case: z.boolean().optional().describe('Small and capital letters are the same.'),
    }),
    result: z.object({
      matches: untrusted(z.array(cell.extend({ width: z.int().describe('Cells.'), text: z.string() }))),
    }),
    errors: pageErrors,
    readOnly: true,
    access: LOOKS,
    awi: [FIND_TEXT],
    needs: 'page',
    cli: {
      command: 'find',
      positionals: ['session', 'text'],
      examples: ["transom find news 'Sign in'"],
      render: { lines: 'matches', each: '{row},{col}  {text}' },
    },
  }),
  'web.paint': operation({
    summary:
      'Take a picture of a page as the browser paints it, in its own fonts, and keep it as an artifact.',
    description:
      'Unlike screenshot, which draws the cells that the Event Log holds, this asks the browser: it shows pictures, fonts and layout as a person would see them, and cannot be made from the log later.',
    params: z.object({
      session: sessionRef,
      full_page: z.boolean().optional().describe('All of the page, also what is scrolled away.'),
      out: z
        .string()
        .max(PATH_CHARS_MAX)
        .regex(/^\//, 'an absolute path')
        .optional()
        .describe('Write the picture to this file, too (also `-o`).')
        .meta({ placeholder: 'FILE', parse: 'path', touches: 'file' }),
      force: z.boolean().optional().describe('Replace the file if it is there.'),
      inline: z.boolean().optional().describe('The picture itself in the answer, too (with --json).'),
    }),
    result: z.object({
      session: z.string(),
      seq: z.int().describe('The last record of the Event Log when it was taken.'),
      path: z.string(),
      artifact: z.int(),
      bytes: z.int(),
      sha256: z.string(),
      width: z.int().describe('In pixels.'),
      height: z.int(),
      png_b64: z.string().optional(),
    }),
    errors: [...pageErrors, 'file_exists', 'file_not_written', 'artifact_damaged'],
    readOnly: false,
    access: ACTS,
    awi: [PAINTED_SCREENSHOT],
    needs: 'page',
    cli: {
      command: 'paint',
      positionals: ['session'],
      examples: ['transom paint news -o news.png', 'transom paint news --full-page'],
      seeAlso: ['screenshot', 'artifacts list'],
      render: { text: '{path}' },
    },
  }),
  'web.state': operation({
    summary: 'Show what a page is beside its cells: address, title, history, scroll position, focus.',
    params: z.object({
      session: sessionRef,
      max_wait_ms: z
        .int()
        .min(0)
        .max(WAIT_MS_MAX)
        .optional()
        .describe('Take scroll, focus and caret as they were last if the page does not answer in this time.')
        .meta({ flag: 'max-wait', placeholder: 'TIME', parse: 'duration' }),
    }),
    result: z.object({
      session: z.string(),
      ...pageView.shape,
      scale: z.number().describe('Device pixels for a CSS pixel; a cell has 8 × 16 of them.'),
      scroll: z
        .object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() })
        .describe('In CSS pixels.'),
      focus: untrusted(
        z
          .object({ tag: z.string(), type: z.string(), name: z.string(), cell: cell.nullable() })
          .nullable()
          .describe('What has the focus, when something has.'),
      ),
      caret: cell.nullable().describe('The cell of the text caret, when one is shown.'),
    }),
    errors: pageErrors,
    readOnly: true,
    access: LOOKS,
    awi: STATE_METHODS,
    needs: 'page',
    cli: {
      command: 'page',
      positionals: ['session'],
      examples: ['transom page news --json'],
      render: {
        fields: { focus: '[{focus.tag} {focus.name}]' },
        omit: ['can_go_back', 'can_go_forward', 'dialog', 'scroll', 'caret'],
      },
    },
  }),
} as const
