/** The methods of the agent socket that only a web page has. */
import { z } from 'zod'
import { AWI_OK, awiMethod, awiTimeoutMs, type AwiMethod } from '../awi.ts'
import type { PageView } from '../page-view.ts'

export const NAVIGATE: AwiMethod = awiMethod({
  method: 'navigate',
  summary: 'Open a page, and wait until it has loaded.',
  params: z.object({
    url: z.string().min(1).describe('Its address.').meta({ placeholder: 'URL' }),
    timeout_ms: awiTimeoutMs,
  }),
  cli: [{ positionals: ['url'], examples: ['awi-tty navigate https://news.ycombinator.com/'] }],
  toParams: (params) => params,
})

export const SET_ZOOM: AwiMethod = awiMethod({
  method: 'set_zoom',
  summary: 'Show everything larger or smaller.',
  params: z.object({ percent: z.int().describe('100 is the natural size.') }),
  cli: [{ positionals: ['percent'], examples: ['awi-tty set-zoom 130'] }],
  toParams: (params) => params,
})

export const ANSWER_DIALOG: AwiMethod = awiMethod({
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
})

export const LINKS: AwiMethod = awiMethod({
  method: 'links',
  summary: 'List the links of the page.',
  params: z.object({}),
  cli: [{ examples: ['awi-tty links --plain'], plain: 'links' }],
  toParams: (params) => params,
  toResult: (result: object) => result,
})

export const FIND_TEXT: AwiMethod = awiMethod({
  method: 'find_text',
  summary: 'Say where a text is shown.',
  params: z.object({
    text: z.string().min(1).describe('The text, as it is shown.'),
    ignore_case: z.boolean().optional().describe('Capital and small letters are the same.'),
  }),
  cli: [{ positionals: ['text'], examples: ["awi-tty find-text 'Next page'"], plain: 'matches' }],
  toParams: (params) => params,
  toResult: (result: object) => result,
})

export const PAINTED_SCREENSHOT: AwiMethod = awiMethod({
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
})

export const STATE_METHODS: readonly AwiMethod[] = [
  stateMethod('get_title', 'Print the title of the page.', ({ title }) => ({ title }), 'title'),
  stateMethod('get_url', 'Print the address of the page.', ({ url }) => ({ url }), 'url'),
  stateMethod(
    'get_nav_state',
    'Say whether there is a page to go back or forward to.',
    ({ can_go_back, can_go_forward }) => ({ can_go_back, can_go_forward }),
  ),
  stateMethod('get_dialog', 'Say which dialog is open.', ({ dialog }) => ({ dialog }), 'dialog'),
]

export const GO_BACK: AwiMethod = plainMethod('go_back', 'Go back one page.', stepped)

export const GO_FORWARD: AwiMethod = plainMethod('go_forward', 'Go forward one page.', stepped)

export const RELOAD: AwiMethod = plainMethod('reload', 'Load the page again.', () => AWI_OK)

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
