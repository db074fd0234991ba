import type { Command, CommandParam } from '@transom/protocol'
import type { OpError } from '@transom/protocol/errors'
import { readValue, usage } from './argument-values.ts'

/** Where values come from that the command line leaves out. */
export interface CallerContext {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Throws if the folder has been removed: read only when it is needed. */
  readonly cwd: string
  /** The whole of a text file, or of standard input for `-`. */
  readText(file: string): string
  /** Whether the words are those of a process, which other users can see: a secret is not taken from them. */
  readonly public: boolean
}

/** Flags that every command takes. */
export interface GlobalFlags {
  json: boolean
  help: boolean
  version: boolean
  debug: boolean
  home: string | undefined
}

export interface ParsedArgv {
  readonly flags: GlobalFlags
  /** Null if only global flags were given. */
  readonly command: Command | null
  readonly params: Record<string, unknown>
}

/** What the command lines of one program have in common. */
export interface Dialect {
  /** As messages name it. */
  readonly program: string
  /** Takes an option that every command has, and its value from the words after it; false if it is none. */
  takeFlag(word: string, following: string[]): boolean
  /** Whether help was asked for: arguments may be missing then. */
  readonly help: () => boolean
  /** Another spelling of a command's words, if there is one. */
  readonly spelled?: (word: string) => string
  /** Which of these words may have been meant. Left out where an error is not shown. */
  readonly meant?: (word: string, words: readonly string[]) => readonly string[]
}

/** Reads a command line by the command table. Throws `usage`, saying what is wrong and where to look it up. */
export function parseArgv(
  argv: readonly string[],
  commands: readonly Command[],
  context: CallerContext,
  messages: Partial<Pick<Dialect, 'program' | 'meant'>> = {},
): ParsedArgv {
  const flags = noFlags()
  const dialect = { ...transomDialect(flags), ...messages }
  return { flags, ...parseCommandLine(argv, commands, context, dialect) }
}

/** What follows the options before the command. Throws `usage`. */
export function commandWords(argv: readonly string[]): readonly string[] {
  return takeLeadingFlags([...argv], transomDialect(noFlags()))
}

/** Reads a command line of any program, as parseArgv() does. The command is null if there are only global options. */
export function parseCommandLine<C extends Command>(
  argv: readonly string[],
  commands: readonly C[],
  context: CallerContext,
  dialect: Dialect,
): { command: C | null; params: Record<string, unknown> } {
  const words = takeLeadingFlags([...argv], dialect)
  if (words.length === 0) return { command: null, params: {} }
  const command = findCommand(words, commands, dialect)
  const rest = words.slice(command.command.split(' ').length)
  const reader = new ArgumentReader(command, rest, dialect)
  reader.read()
  return { command, params: dialect.help() ? {} : reader.complete(context) }
}

/** Reads the words after one command, as parseArgv() does. Throws `usage`. */
export function readArguments(
  command: Command,
  words: readonly string[],
  { flags, meant }: { flags: GlobalFlags } & Required<Pick<Dialect, 'meant'>>,
  context: CallerContext,
): Record<string, unknown> {
  const reader = new ArgumentReader(command, words, { ...transomDialect(flags), meant })
  reader.read()
  return reader.complete(context)
}

function noFlags(): GlobalFlags {
  return { json: false, help: false, version: false, debug: false, home: undefined }
}

function transomDialect(flags: GlobalFlags): Dialect {
  return {
    program: 'transom',
    takeFlag: (word, following) => takeGlobalFlag(word, following, flags),
    help: () => flags.help,
  }
}

function takeLeadingFlags(words: string[], dialect: Dialect): string[] {
  while (words[0]?.startsWith('-')) {
    const word = words.shift() ?? ''
    if (!dialect.takeFlag(word, words)) {
      const hint = didYouMean(word, GLOBAL_FLAGS, dialect)
      throw usage(`unknown option ${word}${hint}; "${dialect.program} --help" lists the commands`, {
        option: word,
      })
    }
  }
  return words
}

const GLOBAL_FLAGS = ['--json', '--help', '--debug', '--version', '--home']

/** What was probably meant, as the end of a message; empty if nothing is near. */
function didYouMean(word: string, words: readonly string[], { meant, program }: Dialect): string {
  const names = meant?.(word, words) ?? []
  if (names.length === 0) return ''
  const spelled = names.map((name) => (name.startsWith('-') ? name : JSON.stringify(`${program} ${name}`)))
  return ` (did you mean ${spelled.join(' or ')}?)`
}

function takeGlobalFlag(word: string, following: string[], flags: GlobalFlags): boolean {
  const [name, inline] = splitFlag(word)
  switch (name) {
    case '--json':
      flags.json = true
      return true
    case '--help':
    case '-h':
      flags.help = true
      return true
    case '--debug':
      flags.debug = true
      return true
    case '--version':
      flags.version = true
      return true
    case '--home': {
      const value = inline ?? following.shift()
      if (value === undefined || value === '') throw usage('--home needs a folder', { option: '--home' })
      flags.home = value
      return true
    }
    default:
      return false
  }
}

function findCommand<C extends Command>(
  words: readonly string[],
  commands: readonly C[],
  dialect: Dialect,
): C {
  const { program, spelled = (word) => word } = dialect
  const found = commands
    .filter(({ command }) =>
      command.split(' ').every((word, index) => words[index] !== undefined && spelled(words[index]) === word),
    )
    .toSorted((a, b) => b.command.length - a.command.length)[0]
  if (found !== undefined) return found
  const names = commands.map(({ command }) => command).filter((name) => !name.startsWith('__')) // hidden ones
  const group = names.filter((name) => name.startsWith(`${words[0]} `))
  if (group.length > 0)
    throw usage(
      `"${program} ${words[0]}" needs one of: ${group.join(', ')}; "${program} help ${words[0]}" explains them`,
      { commands: group },
    )
  const hint = didYouMean(words[0] ?? '', names, dialect)
  const message = `unknown command ${JSON.stringify(words[0])}${hint}; "${program} --help" lists the commands`
  throw usage(message, { command: words[0] })
}

/** Sorts the arguments of one command into flags, positionals and what follows `--`. */
class ArgumentReader {
  readonly #command: Command
  readonly #words: string[]
  readonly #dialect: Dialect
  readonly #params: Record<string, unknown> = {}
  readonly #positionals: string[] = []
  #positionalsBeforeDashes: number | null = null
  #file: string | undefined

  constructor(command: Command, words: readonly string[], dialect: Dialect) {
    this.#command = command
    this.#words = [...words]
    this.#dialect = dialect
  }

  read(): void {
    for (;;) {
      const word = this.#words.shift()
      if (word === undefined) return
      if (word === '--') {
        this.#positionalsBeforeDashes = this.#positionals.length
        this.#positionals.push(...this.#words.splice(0))
      } else if (word.length > 1 && word.startsWith('-') && !/^-\d/.test(word)) {
        this.#readFlag(word)
      } else {
        this.#positionals.push(word)
        // `transom create vim file`: from the program on, everything is the program's.
        if (this.#command.rest !== null) this.#positionals.push(...this.#words.splice(0))
      }
    }
  }

  /** Assigns the positionals and fills in what comes from the caller's surroundings. */
  complete(context: CallerContext): Record<string, unknown> {
    const { rest } = this.#command
    if (rest === null) this.#assignPositionals(context)
    else if (this.#positionals.length > 0) this.#params[rest] = this.#positionals
    this.#readText(context)
    for (const param of this.#command.params) {
      const value = this.#params[param.name] ?? valueFrom(param, context)
      if (value !== undefined) this.#params[param.name] = value
      else if (param.required && param !== this.#secret(context)) throw this.#missing(param)
    }
    return this.#params
  }

  #readFlag(word: string): void {
    const [name, inline] = splitFlag(word === '-o' ? '--out' : word)
    const param = this.#command.params.find(({ flag }) => flag !== null && `--${flag}` === name)
    if (param === undefined) {
      if (name === '--file' && this.#readable?.flag === null) {
        this.#file = inline ?? this.#words.shift()
        if (this.#file === undefined) throw usage('--file needs a file name', { option: '--file' })
        return
      }
      if (this.#dialect.takeFlag(word, this.#words)) return
      const isOfCommand =
        this.#positionals.length > 0 && this.#paramOf(this.#command.positionals.at(-1))?.type === 'list'
      const hint = isOfCommand ? '; if it belongs to the command, put "--" before the command' : ''
      const options = this.#command.params.flatMap(({ flag }) => (flag === null ? [] : [`--${flag}`]))
      const meant = didYouMean(name, [...options, ...GLOBAL_FLAGS], this.#dialect)
      const message = `unknown option ${name} for "${this.#name}"${meant}${hint}; add --help to see its options`
      throw usage(message, { option: name, command: this.#command.command })
    }
    if (param.type === 'boolean') {
      if (inline !== undefined)
        throw usage(`${name} takes no value (got ${JSON.stringify(inline)})`, { option: name })
      this.#params[param.name] = true
      return
    }
    if (param.type === 'optional') {
      this.#params[param.name] = inline ?? (isPlainPath(this.#words[0]) ? this.#words.shift() : '')
      return
    }
    const text = inline ?? this.#valueWord(param)
    if (text === undefined) throw usage(`${name} needs a value: ${param.description}`, { option: name })
    this.#params[param.name] = readValue(param, name, text, this.#params[param.name])
  }

  /** As messages name it. */
  get #name(): string {
    return `${this.#dialect.program} ${this.#command.command}`
  }

  /** The word after an option. A block may be left out: it is the last one then. */
  #valueWord({ type }: CommandParam): string | undefined {
    if (type === 'block' && !/^(?:\d+|last)$/.test(this.#words[0] ?? '')) return 'last'
    return this.#words.shift()
  }

  get #readable(): CommandParam | undefined {
    return this.#command.params.find(({ readable }) => readable)
  }

  /** The parameter that is a secret by an option and has no place among these words. */
  #secret(context: CallerContext): CommandParam | undefined {
    if (!context.public) return undefined
    return this.#command.params.find(
      ({ secretWith }) => secretWith !== null && this.#params[secretWith] === true,
    )
  }

  /** `--file F` stands in for a text without an option, and `-` for standard input. A secret is read later (runOperation). */
  #readText(context: CallerContext): void {
    const name = this.#readable?.name
    if (name === undefined) return
    const isSecret = this.#secret(context)?.name === name
    if (this.#file !== undefined) {
      const text = context.readText(this.#file)
      this.#params[name] = isSecret ? firstLine(text) : text
    } else if (isSecret) return
    else if (this.#params[name] === '-') this.#params[name] = context.readText('-')
  }

  #assignPositionals(context: CallerContext): void {
    const secret = this.#secret(context)
    const names = this.#command.positionals.filter(
      (name) => (this.#file === undefined || name !== this.#readable?.name) && name !== secret?.name,
    )
    // `-` is standard input, where a secret is read anyway.
    const values = this.#positionals.filter((word) => secret === undefined || word !== '-')
    const isList = this.#paramOf(names.at(-1))?.type === 'list'
    if (this.#sessionLeftOut(context))
      this.#params[names[0] ?? ''] = valueFrom(this.#paramOf(names[0]), context)
    for (const [index, name] of names.entries()) {
      if (this.#params[name] !== undefined || values.length === 0) continue
      if (isList && index === names.length - 1) this.#params[name] = values.splice(0)
      else this.#params[name] = this.#positionalValue(name, values.shift() ?? '')
    }
    if (values.length === 0) return
    if (secret !== undefined) {
      const message = `with --${secret.secretWith} "${this.#name}" takes no ${secret.placeholder}: other users can see the arguments of a command; pipe it, use --file, or leave it out to be asked`
      throw usage(message, { parameter: secret.name })
    }
    const message = `"${this.#name}" does not take ${JSON.stringify(values[0])}; quote a text with blanks, and add --help to see its arguments`
    throw usage(message, { argument: values[0] })
  }

  /** With TRANSOM_SESSION set, the session may be left out: too few arguments, or `--` right at the start. */
  #sessionLeftOut(context: CallerContext): boolean {
    const names = this.#command.positionals
    const first = this.#paramOf(names[0])
    if (valueFrom(first, context) === undefined) return false
    const elsewhere = this.#file !== undefined || this.#secret(context) !== undefined
    const wanted = names.length - (elsewhere ? 1 : 0)
    return this.#positionals.length < wanted || this.#positionalsBeforeDashes === 0
  }

  #positionalValue(name: string, text: string): unknown {
    const param = this.#paramOf(name)
    return param?.type === 'integer' || param?.type === 'duration'
      ? readValue(param, param.placeholder ?? name, text, undefined)
      : text
  }

  #paramOf(name: string | undefined): CommandParam | undefined {
    return this.#command.params.find((param) => param.name === name)
  }

  #missing(param: CommandParam): OpError {
    const isSession = param.from === '$TRANSOM_SESSION'
    const hint = isSession ? ' (or set TRANSOM_SESSION)' : ''
    const what = param.placeholder ?? param.name
    const message = `"${this.#name}" needs ${what}${hint}: ${param.description}`
    return usage(message, { parameter: param.name })
  }
}

/** Without its line break: a file or a program's output ends with one that is not part of a secret. */
export function firstLine(text: string): string {
  return text.replace(/\r?\n[^]*$/, '')
}

function valueFrom(param: CommandParam | undefined, context: CallerContext): unknown {
  const from = param?.from ?? null
  if (from === null) return undefined
  if (from === 'cwd') return context.cwd
  if (from === 'yes') return true
  if (from === 'environment') return { ...context.env }
  return context.env[from.slice(1)] || undefined
}

/** Neither an option nor an address: what the value of an option can be that may also have none. */
function isPlainPath(word: string | undefined): boolean {
  return word !== undefined && !word.startsWith('-') && !/^[a-z][a-z0-9+.-]*:/i.test(word)
}

export function splitFlag(word: string): [name: string, inline: string | undefined] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)]
}
