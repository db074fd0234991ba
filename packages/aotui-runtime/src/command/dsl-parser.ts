import { syntaxError } from './source-position.ts'

/** `execute <operation> [arguments…]` or a system command such as `open --application app_1` (spec 5.2, 5.3). */
export interface DslCommand {
  readonly verb: string
  readonly operation?: string
  readonly args: readonly DslArg[]
  readonly offset: number
}

export interface DslArg {
  readonly name: string
  /** Written with one dash. */
  readonly short: boolean
  /** Missing for a flag. */
  readonly value?: DslValue
  readonly offset: number
}

export interface DslValue {
  readonly text: string
  /** A quoted value is always a literal, never a ref. */
  readonly quoted: boolean
}

const TOKENS_MAX = 1000 // no operation has this many arguments; a runaway answer stops here

interface Token extends DslValue {
  readonly offset: number
  /** For `--key=value` and `--key="value"`: the option's name, and the value is the token's text. */
  readonly option?: string
  readonly hasValue: boolean
}

/** Parses one command that begins at `from`; `stop` is the text that ends it, outside quotes. */
export function parseDsl(source: string, from = 0, stop?: string): { command: DslCommand; end: number } {
  const { tokens, end } = tokenize(source, from, stop)
  const [verb, ...rest] = tokens
  if (verb === undefined) throw syntaxError(source, from, 'expected a command such as "execute <operation>"')
  if (verb.option !== undefined || verb.quoted || !/^[a-z][a-z_]*$/.test(verb.text)) {
    throw syntaxError(source, verb.offset, `"${clip(verb.text)}" is not a command`)
  }
  const operation = verb.text === 'execute' ? rest.shift() : undefined
  if (verb.text === 'execute' && (operation === undefined || operation.option !== undefined)) {
    throw syntaxError(source, operation?.offset ?? end, 'expected the id of an operation after "execute"')
  }
  return {
    command: {
      verb: verb.text,
      ...(operation === undefined ? {} : { operation: operation.text }),
      args: readArgs(source, rest),
      offset: verb.offset,
    },
    end,
  }
}

function readArgs(source: string, tokens: readonly Token[]): DslArg[] {
  const args: DslArg[] = []
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index]
    if (token === undefined) break
    if (token.option === undefined) {
      throw syntaxError(
        source,
        token.offset,
        `unexpected "${clip(token.text)}"; arguments are written --name value`,
      )
    }
    const name = token.option.replace(/^--?/, '')
    const short = !token.option.startsWith('--')
    const head = { name, short, offset: token.offset }
    const next = tokens[index + 1]
    if (token.hasValue) {
      args.push({ ...head, value: { text: token.text, quoted: token.quoted } })
    } else if (next !== undefined && next.option === undefined) {
      args.push({ ...head, value: { text: next.text, quoted: next.quoted } })
      index++
    } else {
      args.push(head)
    }
  }
  return args
}

function tokenize(source: string, from: number, stop?: string): { tokens: Token[]; end: number } {
  const tokens: Token[] = []
  let at = from
  for (;;) {
    while (at < source.length && /\s/.test(source.charAt(at))) at++
    if (at >= source.length || (stop !== undefined && source.startsWith(stop, at))) return { tokens, end: at }
    if (tokens.length === TOKENS_MAX)
      throw syntaxError(source, at, `more than ${TOKENS_MAX} words in one command`)
    const { token, end } = readToken(source, at, stop)
    tokens.push(token)
    at = end
  }
}

/** An option's name is read first, so that `--k="v w"` is one token and `-5` is a number, not an option. */
function readToken(source: string, from: number, stop?: string): { token: Token; end: number } {
  const option = /^(--[A-Za-z_][\w.-]*|-[A-Za-z])(?=[=\s]|$|<\/)/.exec(source.slice(from, from + 300))?.[1]
  if (option === undefined) {
    const { value, end } = readValue(source, from, stop)
    if (!value.quoted && /^--?[A-Za-z]/.test(value.text)) {
      throw syntaxError(
        source,
        from,
        `"${clip(value.text)}" is not an option; write --name value or --name="value"`,
      )
    }
    return { token: { ...value, offset: from, hasValue: true }, end }
  }
  const after = from + option.length
  if (source.charAt(after) !== '=') {
    return { token: { text: '', quoted: false, option, hasValue: false, offset: from }, end: after }
  }
  const { value, end } = readValue(source, after + 1, stop)
  return { token: { ...value, option, hasValue: true, offset: from }, end }
}

function readValue(source: string, from: number, stop?: string): { value: DslValue; end: number } {
  const quote = source.charAt(from)
  if (quote === '"' || quote === "'") return readQuoted(source, from, quote)
  let end = from
  for (; end < source.length; end++) {
    const char = source.charAt(end)
    if (/\s/.test(char) || (stop !== undefined && source.startsWith(stop, end))) break
    if (char === '"' || char === "'")
      throw syntaxError(source, end, 'a quote inside a bare word; quote the whole value')
  }
  return { value: { text: source.slice(from, end), quoted: false }, end }
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '"': '"',
  "'": "'",
  '\\': '\\',
}

function readQuoted(source: string, from: number, quote: string): { value: DslValue; end: number } {
  let text = ''
  for (let at = from + 1; at < source.length; at++) {
    const char = source.charAt(at)
    if (char === quote) {
      const next = source.charAt(at + 1)
      if (next !== '' && !/[\s<]/.test(next))
        throw syntaxError(source, at + 1, 'expected a space after the closing quote')
      return { value: { text, quoted: true }, end: at + 1 }
    }
    if (char !== '\\') {
      text += char
      continue
    }
    at++
    const escaped = ESCAPES[source.charAt(at)]
    if (escaped === undefined) throw syntaxError(source, at - 1, `unknown escape \\${source.charAt(at)}`)
    text += escaped
  }
  throw syntaxError(source, from, `a ${quote} that is never closed`)
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
