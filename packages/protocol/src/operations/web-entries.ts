import type { z } from 'zod'
import type { CliSpelling, OperationDefinition } from '../operation.ts'
import { untrusted } from '../untrusted.ts'
import { WEB_OPERATIONS } from './web.ts'

type Command = Pick<CliSpelling, 'seeAlso' | 'render'>

/** The entries of web.ts with what they need of a session and what their commands print. */
export const WEB_ENTRIES = {
  ...WEB_OPERATIONS,
  'web.navigate': pageEntry(
    WEB_OPERATIONS['web.navigate'],
    { seeAlso: ['back', 'wait', 'links'], render: 'nothing' },
    'Returns when the page has loaded. For what it does after that, use wait. Addresses of this machine and its networks are refused unless the session was created with --allow-host.',
  ),
  'web.go_back': pageEntry(WEB_OPERATIONS['web.go_back'], { render: 'nothing' }),
  'web.go_forward': pageEntry(WEB_OPERATIONS['web.go_forward'], { render: 'nothing' }),
  'web.reload': pageEntry(WEB_OPERATIONS['web.reload'], { render: 'nothing' }),
  'web.set_zoom': pageEntry(WEB_OPERATIONS['web.set_zoom'], { render: 'nothing' }),
  'web.answer_dialog': pageEntry(
    WEB_OPERATIONS['web.answer_dialog'],
    { seeAlso: ['page', 'snapshot'], render: 'nothing' },
    'While a dialog is open the page stands still: keys, clicks and navigation are refused until it is answered. A snapshot with --json shows it.',
  ),
  'web.links': pageEntry(
    {
      ...WEB_OPERATIONS['web.links'],
      result: WEB_OPERATIONS['web.links'].result.extend({
        links: untrusted(WEB_OPERATIONS['web.links'].result.shape.links),
      }),
    },
    {
      seeAlso: ['mouse', 'navigate', 'find'],
      render: { table: 'links', columns: { CELL: '[{row},{col}]', TEXT: '{text}', URL: '{url}' } },
    },
    'Asked of the page itself, so only of a live session. To follow a link that is seen, click its text or its cell with mouse; to open one that is not, give its address to navigate.',
  ),
  'web.find_text': pageEntry(
    {
      ...WEB_OPERATIONS['web.find_text'],
      result: WEB_OPERATIONS['web.find_text'].result.extend({
        matches: untrusted(WEB_OPERATIONS['web.find_text'].result.shape.matches),
      }),
    },
    { render: { lines: 'matches', each: '{row},{col}  {text}' } },
  ),
  'web.paint': pageEntry(
    WEB_OPERATIONS['web.paint'],
    { seeAlso: ['screenshot', 'artifacts list'], render: { text: '{path}' } },
    'Unlike screenshot, which draws the cells that the Event Log holds, this asks the browser: it shows pictures, fonts and layout as a person would see them, and cannot be made from the log later.',
  ),
  'web.state': pageEntry(
    {
      ...WEB_OPERATIONS['web.state'],
      result: WEB_OPERATIONS['web.state'].result.extend({
        focus: untrusted(WEB_OPERATIONS['web.state'].result.shape.focus),
      }),
    },
    {
      render: {
        fields: { focus: '[{focus.tag} {focus.name}]' },
        omit: ['can_go_back', 'can_go_forward', 'dialog', 'scroll', 'caret'],
      },
    },
  ),
} as const

function pageEntry<P extends z.ZodObject, R extends z.ZodType>(
  { cli, ...definition }: OperationDefinition<P, R, undefined>,
  command: Command,
  description?: string,
): OperationDefinition<P, R, 'page'> {
  return {
    ...definition,
    ...(description === undefined ? {} : { description }),
    needs: 'page',
    cli: cli === null ? null : { ...cli, ...command },
  }
}
