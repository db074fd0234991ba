import { AotuiError } from '../contract/aotui-error.ts'
import { parseDsl, type DslCommand } from './dsl-parser.ts'
import { syntaxError } from './source-position.ts'

/** One `<context …> command </context>`: where the command applies, and the command (spec section 5.1). */
export interface ContextCommand {
  readonly appId?: string
  readonly viewId?: string
  readonly command: DslCommand
}

const COMMAND_CHARS_MAX = 1 << 20 // an agent's whole turn is far smaller; the parser never sees more
const CONTEXTS_MAX = 64 // one turn acts a few times; more is a runaway answer

/** Reads every context of an agent's answer, in order. Prose around them is ignored. */
export function parseContexts(source: string): ContextCommand[] {
  if (source.length > COMMAND_CHARS_MAX) {
    throw new AotuiError('E_INVALID_CMD', `the text is longer than ${COMMAND_CHARS_MAX} characters`, {
      reason: 'too_long',
    })
  }
  const contexts: ContextCommand[] = []
  let at = 0
  for (;;) {
    const open = nextOpening(source, at)
    if (open === undefined) break
    if (contexts.length === CONTEXTS_MAX)
      throw syntaxError(source, open, `more than ${CONTEXTS_MAX} contexts in one text`)
    const { attributes, end: bodyStart } = readAttributes(source, open + '<context'.length)
    const { command, end } = parseDsl(source, bodyStart, '</context')
    const close = /^<\/context\s*>/.exec(source.slice(end, end + 200))
    if (close === null) throw syntaxError(source, open, 'a <context> that is never closed with </context>')
    contexts.push({
      ...(attributes['app_id'] === undefined ? {} : { appId: attributes['app_id'] }),
      ...(attributes['view_id'] === undefined ? {} : { viewId: attributes['view_id'] }),
      command,
    })
    at = end + close[0].length
  }
  if (contexts.length === 0) {
    throw new AotuiError('E_INVALID_CMD', 'the text holds no <context>…</context>', { reason: 'no_context' })
  }
  return contexts
}

function nextOpening(source: string, from: number): number | undefined {
  const pattern = /<context(?=[\s>])/g
  pattern.lastIndex = from
  return pattern.exec(source)?.index
}

/** Commas between attributes are accepted: the spec's own examples of tags have them. */
function readAttributes(source: string, from: number): { attributes: Record<string, string>; end: number } {
  const attributes: Record<string, string> = {}
  let at = from
  for (;;) {
    while (at < source.length && /[\s,]/.test(source.charAt(at))) at++
    if (source.charAt(at) === '>') return { attributes, end: at + 1 }
    const match = /^([A-Za-z_]\w*)\s*=\s*(?:"([^"<]*)"|'([^'<]*)')/.exec(source.slice(at, at + 2000))
    if (match === null) throw syntaxError(source, at, 'expected an attribute such as app_id="app_1", or ">"')
    const [whole, name = '', double, single] = match
    if (name !== 'app_id' && name !== 'view_id') {
      throw syntaxError(source, at, `"${name}" is not an attribute of <context>; it takes app_id and view_id`)
    }
    if (attributes[name] !== undefined) throw syntaxError(source, at, `"${name}" is given twice`)
    attributes[name] = decodeEntities(double ?? single ?? '')
    at += whole.length
  }
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

function decodeEntities(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|apos);/g, (_, name: string) => ENTITIES[name] ?? '')
}
