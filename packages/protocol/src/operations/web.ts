import { z } from 'zod'
import { AWI_OK, awiMethod, awiTimeoutMs, type AwiMethod } from '../awi.ts'
import { actor, commandTargetErrors, operation, seqResult, sessionRef } from '../operation.ts'
import { pageView, type PageView } from '../page-view.ts'
import { WAIT_MS_MAX } from '../wait.ts'

const cell = z.object({ row: z.int(), col: z.int() })

/** Beside those of every command: the page may hang, or its process may end. */
const pageErrors = [
  ...commandTargetErrors,
  'wrong_kind',
  'page_unresponsive',
  'page_crashed',
  'browser_failed',
] as const
const navigationErrors = [...pageErrors, 'navigation_failed', 'navigation_timeout'] as const

/** What only a web page can be told, or asked. Keys, text and mouse are those of every session. */
export const WEB_OPERATIONS = {
  'web.navigate': operation({
    summary: 'Open another page in a web session, and wait until it has loaded.',
    params: z.object({
      session: sessionRef,
      url: z.string().min(1).describe('Its address.').meta({ placeholder: 'URL' }),
      timeout_ms: z
        .int()
        .min(0)
        .max(WAIT_MS_MAX)
        .default(30_000)
        .describe('Give up waiting after this long; what has come by then is shown.')
        .meta({ flag: 'timeout', placeholder: 'MS' }),
      actor,
    }),
    result: seqResult,
    errors: [...navigationErrors, 'invalid_url', 'url_refused'],
    readOnly: false,
    mcp: {
      name: 'open_page',
      title: 'Open another web page',
      description:
        'Opens another address in a session that is a web page (create_session with a url makes one), and answers when it has loaded; read_screen shows it.',
    },
    awi: [
      awiMethod({
        method: 'navigate',
        summary: 'Open a page, and wait until it has loaded.',
        params: z.object({
          url: z.string().min(1).describe('Its address.').meta({ placeholder: 'URL' }),
          timeout_ms: awiTimeoutMs,
        }),
        cli: [{ positionals: ['url'], examples: ['awi-tty navigate https://news.ycombinator.com/'] }],
        toParams: (params) => params,
      }),
    ],
    cli: {
      command: 'navigate',
      positionals: ['session', 'url'],
      examples: ['transom navigate news https://example.org/today'],
    },
  }),
  'web.go_back': operation({
    summary: 'Go back to the page before, as the browser’s own button does.',
    params: z.object({ session: sessionRef, actor }),
    result: seqResult.extend({ moved: z.boolean().describe('False when there is no page before.') }),
    errors: navigationErrors,
    readOnly: false,
    awi: [plainMethod('go_back', 'Go back one page.', stepped)],
    cli: { command: 'back', positionals: ['session'], examples: ['transom back news'] },
  }),
  'web.go_forward': operation({
    summary: 'Go forward again to the page that was left by going back.',
    params: z.object({ session: sessionRef, actor }),
    result: seqResult.extend({ moved: z.boolean().describe('False when there is no such page.') }),
    errors: navigationErrors,
    readOnly: false,
    awi: [plainMethod('go_forward', 'Go forward one page.', stepped)],
    cli: { command: 'forward', positionals: ['session'], examples: ['transom forward news'] },
  }),
  'web.reload': operation({
    summary: 'Load the page of a web session anew.',
    params: z.object({ session: sessionRef, actor }),
    result: seqResult,
    errors: navigationErrors,
    readOnly: false,
    awi: [plainMethod('reload', 'Load the page again.', () => AWI_OK)],
    cli: { command: 'reload', positionals: ['session'], examples: ['transom reload news'] },
  }),
  'web.set_zoom': operation({
    summary: 'Show the page of a web session larger or smaller.',
    params: z.object({
      session: sessionRef,
      percent: z.int().describe('25 to 500; 100 is the natural size.').meta({ placeholder: 'PERCENT' }),
      actor,
    }),
    result: seqResult,
    errors: [...pageErrors, 'invalid_viewport'],
    readOnly: false,
    awi: [
      awiMethod({
        method: 'set_zoom',
        summary: 'Show everything larger or smaller.',
        params: z.object({ percent: z.int().describe('100 is the natural size.') }),
        cli: [{ positionals: ['percent'], examples: ['awi-tty set-zoom 130'] }],
        toParams: (params) => params,
      }),
    ],
    cli: { command: 'zoom', positionals: ['session', 'percent'], examples: ['transom zoom news 80'] },
  }),
  'web.answer_dialog': operation({
    summary: 'Answer the dialog (alert, confirm, prompt) that a page has open.',
    params: z.object({
      session: sessionRef,
      answer: z.enum(['accept', 'dismiss']).describe('accept or dismiss.').meta({ placeholder: 'ANSWER' }),
      text: z.string().optional().describe('What to answer a prompt with.').meta({ placeholder: 'T' }),
      actor,
    }),
    result: seqResult,
    errors: pageErrors,
    readOnly: false,
    mcp: {
      name: 'answer_dialog',
      title: 'Answer a dialog of a web page',
      description:
        'Accepts or dismisses the alert, confirm or prompt that a page has open. read_screen tells of one in `page`; nothing else works before it is answered.',
    },
    awi: [
      awiMethod({
        method: 'answer_dialog',
        summary: 'Answer the dialog that is open.',
        params: z.object({
          accept: z.boolean(),
          text: z.string().optional().describe('The answer to a prompt.').meta({ placeholder: 'TEXT' }),
        }),
        cli: [
          {
            command: 'accept-dialog',
            summary: 'Answer the dialog that is open with yes.',
            fixed: { accept: true },
            examples: ['awi-tty accept-dialog --text Ada'],
          },
          {
            command: 'dismiss-dialog',
            summary: 'Answer the dialog that is open with no.',
            fixed: { accept: false },
            examples: ['awi-tty dismiss-dialog'],
          },
        ],
        toParams: ({ accept, text }) => ({ answer: accept ? 'accept' : 'dismiss', text }),
      }),
    ],
    cli: {
      command: 'dialog',
      positionals: ['session', 'answer'],
      examples: ['transom dialog news accept', "transom dialog news accept --text 'my name'"],
    },
  }),
  'web.links': operation({
    summary: 'List the links of a page, also of what is scrolled away, with the cell of those that are seen.',
    params: z.object({ session: sessionRef }),
    result: z.object({
      links: z.array(
        z.object({
          text: z.string(),
          url: z.string(),
          row: z.int().nullable().describe('Where to click; null while it is not on the screen, or covered.'),
          col: z.int().nullable(),
        }),
      ),
    }),
    errors: pageErrors,
    readOnly: true,
    mcp: {
      name: 'list_links',
      title: 'List the links of a web page',
      description:
        'Lists the links of a page with text, address and, for those on the screen, the cell to click at with use_mouse; also those that are scrolled away.',
    },
    awi: [
      awiMethod({
        method: 'links',
        summary: 'List the links of the page.',
        params: z.object({}),
        cli: [{ examples: ['awi-tty links --plain'], plain: 'links' }],
        toParams: (params) => params,
        toResult: (result: object) => result,
      }),
    ],
    cli: { command: 'links', positionals: ['session'], examples: ['transom links news'] },
  }),
  'web.find_text': operation({
    summary: 'Find where a page shows a text: every place, from the upper left.',
    params: z.object({
      session: sessionRef,
      text: z
        .string()
        .min(1)
        .describe(
          'The text; a blank in it stands for any number of blanks, or for the end of a line that goes on below.',
        )
        .meta({ placeholder: 'TEXT' }),
      ignore_case: z.boolean().optional().describe('Small and capital letters are the same.'),
    }),
    result: z.object({
      matches: z.array(cell.extend({ width: z.int().describe('Cells.'), text: z.string() })),
    }),
    errors: pageErrors,
    readOnly: true,
    awi: [
      awiMethod({
        method: 'find_text',
        summary: 'Say where a text is shown.',
        params: z.object({
          text: z.string().min(1).describe('The text, as it is shown.'),
          ignore_case: z.boolean().optional().describe('Capital and small letters are the same.'),
        }),
        cli: [{ positionals: ['text'], examples: ["awi-tty find-text 'Next page'"], plain: 'matches' }],
        toParams: (params) => params,
        toResult: (result: object) => result,
      }),
    ],
    cli: { command: 'find', positionals: ['session', 'text'], examples: ["transom find news 'Sign in'"] },
  }),
  'web.paint': operation({
    summary:
      'Take a picture of a page as the browser paints it, in its own fonts, and keep it as an artifact.',
    params: z.object({
      session: sessionRef,
      full_page: z.boolean().optional().describe('All of the page, also what is scrolled away.'),
      out: z
        .string()
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
    awi: [
      awiMethod({
        method: 'screenshot',
        summary: 'Take a picture of the page as Chromium paints it (PNG, base64 unless --out).',
        params: z.object({
          full_page: z.boolean().optional().describe('All of the page, also what is scrolled away.'),
        }),
        cli: [
          {
            examples: ['awi-tty screenshot --out page.png'],
            plain: 'png_b64',
            local: z.object({
              out: z
                .string()
                .optional()
                .describe('Write the picture to this file and print nothing.')
                .meta({ placeholder: 'FILE' }),
            }),
          },
        ],
        toParams: ({ full_page }) => ({ full_page, inline: true }),
        toResult: ({ width, height, png_b64 }: { width: number; height: number; png_b64: string }) => ({
          width,
          height,
          png_b64,
        }),
      }),
    ],
    cli: {
      command: 'paint',
      positionals: ['session'],
      examples: ['transom paint news -o news.png', 'transom paint news --full-page'],
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
        .meta({ flag: 'max-wait', placeholder: 'MS' }),
    }),
    result: z.object({
      session: z.string(),
      ...pageView.shape,
      scale: z.number().describe('Device pixels for a CSS pixel; a cell has 8 × 16 of them.'),
      scroll: z
        .object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() })
        .describe('In CSS pixels.'),
      focus: z
        .object({ tag: z.string(), type: z.string(), name: z.string(), cell: cell.nullable() })
        .nullable()
        .describe('What has the focus, when something has.'),
      caret: cell.nullable().describe('The cell of the text caret, when one is shown.'),
    }),
    errors: pageErrors,
    readOnly: true,
    awi: [
      stateMethod('get_title', 'Print the title of the page.', ({ title }) => ({ title }), 'title'),
      stateMethod('get_url', 'Print the address of the page.', ({ url }) => ({ url }), 'url'),
      stateMethod(
        'get_nav_state',
        'Say whether there is a page to go back or forward to.',
        ({ can_go_back, can_go_forward }) => ({ can_go_back, can_go_forward }),
      ),
      stateMethod('get_dialog', 'Say which dialog is open.', ({ dialog }) => ({ dialog }), 'dialog'),
    ],
    cli: { command: 'page', positionals: ['session'], examples: ['transom page news --json'] },
  }),
} as const

function stepped({ moved }: { moved: boolean }): object {
  return { ok: moved }
}

/** Without parameters, under the name that it has in a command with dashes. */
function plainMethod(method: string, summary: string, toResult: (result: never) => object): AwiMethod {
  return awiMethod({
    method,
    summary,
    params: z.object({}),
    cli: [{ examples: [`awi-tty ${method.replaceAll('_', '-')}`] }],
    toParams: (params) => params,
    toResult,
  })
}

/** Answered by the browser, also while the page hangs. */
function stateMethod(
  method: string,
  summary: string,
  toResult: (state: PageView) => object,
  plain?: string,
): AwiMethod {
  const example = `awi-tty ${method.replaceAll('_', '-')}${plain === undefined ? '' : ' --plain'}`
  return awiMethod({
    method,
    summary,
    params: z.object({}),
    cli: [{ examples: [example], ...(plain === undefined ? {} : { plain }) }],
    toParams: () => ({ max_wait_ms: 0 }),
    toResult,
  })
}
