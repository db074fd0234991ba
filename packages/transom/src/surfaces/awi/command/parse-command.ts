import { OpError } from '@transom/protocol/errors'
import type { AwiCommand, AwiParam } from './commands.ts'

export type OutputMode = 'json' | 'plain' | 'quiet'

export interface ParsedCommand {
  /** Null when only --help or --version was given. */
  readonly command: AwiCommand | null
  readonly help: boolean
  readonly version: boolean
  readonly mode: OutputMode
  readonly socket: string | undefined
  /** For the browser. */
  readonly params: Record<string, unknown>
  /** For us. */
  readonly local: Record<string, unknown>
}

interface Options {
  help: boolean
  version: boolean
  mode: OutputMode
  socket: string | undefined
}

/** Reads a command line. Throws `usage`, saying what is wrong and what would be right. */
export function parseCommand(argv: readonly string[], commands: readonly AwiCommand[]): ParsedCommand {
  const options: Options = { help: false, version: false, mode: 'json', socket: undefined }
  const words = [...argv]
  let command: AwiCommand | null = null
  const values: Record<string, unknown> = {}
  const positionals: string[] = []
  for (;;) {
    const word = words.shift()
    if (word === undefined) break
    if (word === '--') positionals.push(...words.splice(0))
    else if (isFlag(word)) takeFlag(word, { command, words, options, values })
    else if (command === null) command = findCommand(word, commands)
    else positionals.push(word)
  }
  if (command === null && positionals.length > 0) command = findCommand(positionals.shift() ?? '', commands)
  if (command === null || options.help) return { ...options, command, params: {}, local: {} }
  takePositionals(command, positionals, values)
  return { ...options, command, ...split(command, values) }
}

/** The mode that was asked for, for an error about a command line that cannot be read. */
export function askedMode(argv: readonly string[]): OutputMode {
  const end = argv.indexOf('--')
  const words = end < 0 ? argv : argv.slice(0, end)
  const last = words.findLast((word) => ['--quiet', '--plain', '--json'].includes(word))
  return last === '--quiet' ? 'quiet' : last === '--plain' ? 'plain' : 'json'
}

interface Reading {
  readonly command: AwiCommand | null
  readonly words: string[]
  readonly options: Options
  readonly values: Record<string, unknown>
}

function takeFlag(word: string, { command, words, options, values }: Reading): void {
  const at = word.indexOf('=')
  const name = at < 0 ? word : word.slice(0, at)
  const inline = at < 0 ? undefined : word.slice(at + 1)
  if (inline === undefined && takeSwitch(name, options)) return
  const value = () => inline ?? words.shift()
  if (name === '--socket') {
    options.socket = value()
    if (!options.socket) throw usage('--socket needs the path of a socket', { option: name })
    return
  }
  const param = command?.params.find(({ flag }) => flag !== undefined && `--${flag}` === name)
  if (param === undefined) {
    const where = command === null ? '' : ` for "awi-tty ${command.name}"`
    throw usage(`unknown option ${name}${where}; add --help to see what there is`, { option: name })
  }
  if (param.type === 'boolean') {
    if (inline !== undefined)
      throw usage(`${name} takes no value (got ${JSON.stringify(inline)})`, { option: name })
    values[param.name] = true
  } else if (param.type === 'socket') {
    values[param.name] = inline ?? (isPath(words[0]) ? words.shift() : '')
  } else {
    const text = value()
    if (text === undefined) throw usage(`${name} needs a value: ${param.description}`, { option: name })
    values[param.name] = readValue(param, name, text, values[param.name])
  }
}

function takeSwitch(name: string, options: Options): boolean {
  switch (name) {
    case '--help':
    case '-h':
      options.help = true
      return true
    case '--version':
      options.version = true
      return true
    case '--json':
    case '--plain':
    case '--quiet':
      options.mode = name === '--json' ? 'json' : name === '--plain' ? 'plain' : 'quiet'
      return true
    default:
      return false
  }
}

function findCommand(word: string, commands: readonly AwiCommand[]): AwiCommand {
  // The methods' own spelling, too: whoever knows the protocol writes get_title.
  const found = commands.find(({ name }) => name === word.replaceAll('_', '-'))
  if (found !== undefined) return found
  const names = commands.map(({ name }) => name).join(', ')
  throw usage(`unknown command ${JSON.stringify(word)}; there are: ${names}`, { command: word })
}

function takePositionals(command: AwiCommand, given: string[], values: Record<string, unknown>): void {
  for (const param of command.params.filter(({ flag }) => flag === undefined)) {
    const text = given.shift()
    if (text !== undefined) Object.assign(values, readArgument(param, text))
    else if (param.optional !== true) {
      const message = `"awi-tty ${command.name}" needs ${param.name.toUpperCase()}: ${param.description}`
      throw usage(message, { parameter: param.name })
    }
  }
  if (given.length > 0) {
    const message = `"awi-tty ${command.name}" does not take ${JSON.stringify(given[0])}; quote a text with blanks, and add --help to see its arguments`
    throw usage(message, { argument: given[0] })
  }
}

function readArgument(param: AwiParam, text: string): Record<string, unknown> {
  if (param.type !== 'key')
    return { [param.name]: readValue(param, param.name.toUpperCase(), text, undefined) }
  // `Char:a` is a character; so is `Char::`.
  return text.startsWith('Char:') ? { key: 'Char', char: text.slice('Char:'.length) } : { key: text }
}

function readValue(param: AwiParam, name: string, text: string, before: unknown): unknown {
  if (param.type === 'list') return [...((before as string[] | undefined) ?? []), text]
  if (param.type === 'integer') {
    if (!/^[-+]?\d{1,9}$/.test(text)) {
      throw usage(`${name} needs a whole number (got ${JSON.stringify(text)})`, { option: name, value: text })
    }
    return Number(text)
  }
  if (param.values !== undefined && !param.values.includes(text)) {
    const message = `${name} is one of ${param.values.join(', ')} (got ${JSON.stringify(text)})`
    throw usage(message, { option: name, value: text })
  }
  return text
}

/** What is sent, and what is used here. Modifiers are sent together. */
function split(
  command: AwiCommand,
  values: Record<string, unknown>,
): Pick<ParsedCommand, 'params' | 'local'> {
  const local: Record<string, unknown> = {}
  const params: Record<string, unknown> = { ...command.fixed }
  for (const [name, value] of Object.entries(values)) {
    const param = command.params.find((it) => it.name === name)
    if (param?.local) local[name] = value
    else if (param?.modifier)
      params['modifiers'] = { ...(params['modifiers'] as object | undefined), [name]: value }
    else if (name.includes('.')) {
      const [outer = '', inner = ''] = name.split('.')
      params[outer] = { ...(params[outer] as object | undefined), [inner]: value }
    } else params[name] = value
  }
  return { params, local }
}

/** `-5` is a number, and `-` a text. */
function isFlag(word: string): boolean {
  return word.length > 1 && word.startsWith('-') && !/^-\d/.test(word)
}

function isPath(word: string | undefined): boolean {
  return word !== undefined && !isFlag(word) && !/^[a-z][a-z0-9+.-]*:/i.test(word)
}

function usage(message: string, details: Record<string, unknown>): OpError {
  return new OpError('usage', message, details)
}
