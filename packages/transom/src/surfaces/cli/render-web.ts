import type { WEB_OPERATIONS, Result } from '@transom/protocol'
import { fields, printable, textTable } from './text-layout.ts'

type WebRenderers = { readonly [N in keyof typeof WEB_OPERATIONS]?: (result: Result<N>) => string }

const cellWords = (row: number | null, col: number | null) => (row === null ? '-' : `${row},${col}`)

/** What a person is shown of a web page. Its words are the page's own: nothing in them reaches the terminal as it is. */
export const WEB_RENDERERS: WebRenderers = {
  'web.links': ({ links }) =>
    textTable([
      ['CELL', 'TEXT', 'URL'],
      ...links.map(({ row, col, text, url }) => [cellWords(row, col), printable(text), printable(url)]),
    ]),
  'web.paint': ({ path }) => printable(path),
  'web.find_text': ({ matches }) =>
    matches.map(({ row, col, text }) => `${cellWords(row, col)}  ${printable(text)}`).join('\n'),
  'web.state': ({ session, url, title, loading, focus }) =>
    fields({
      session,
      url: printable(url),
      title: printable(title),
      loading: String(loading),
      focus: focus === null ? null : printable(`${focus.tag} ${focus.name}`),
    }),
}
