/** Reads a snapshot's own tags. Text of apps cannot hold one: the runtime writes `<` as `&lt;` there. */

const APPLICATION = /<application id="[^"]*"[^>]*>[\s\S]*?<\/application>/
const VIEW = /<view id="([^"]*)" name="([^"]*)"[^>]*>\n([\s\S]*?)\n<\/view>/g
const DECLARED = /\]\((operation|list|entity):([^)\s]+)\)/g

export interface ViewText {
  readonly id: string
  readonly name: string
  readonly text: string
}

/** The part of a snapshot about the only application that is open; empty if none is. */
export function applicationText(markup: string): string {
  return APPLICATION.exec(markup)?.[0] ?? ''
}

export function viewTexts(application: string): ViewText[] {
  return [...application.matchAll(VIEW)].map(([, id = '', name = '', text = '']) => ({
    id,
    name: unescapeAttribute(name),
    text: text.trim(),
  }))
}

/** The ids that a view declares, `operation:add` or `list:notes`, as often as it shows them. */
export function declaredIds({ text }: ViewText): string[] {
  return [...text.matchAll(DECLARED)].map(([, kind = '', id = '']) => `${kind}:${id}`)
}

function unescapeAttribute(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
