import type { AwiCommand } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { parseCommandLine, splitFlag, type Dialect } from '../../cli/parse-argv.ts'

const OUTPUT_MODES = ['json', 'plain', 'quiet'] as const
export type OutputMode = (typeof OUTPUT_MODES)[number]

interface AwiFlags {
  help: boolean
  version: boolean
  mode: OutputMode
  socket: string | undefined
}

export interface ParsedCommand extends Readonly<AwiFlags> {
  /** Null if only --help or --version was given. */
  readonly command: AwiCommand | null
  /** For the browser. */
  readonly params: Record<string, unknown>
  /** For us. */
  readonly local: Record<string, unknown>
}

/** Reads a command line of `awi-tty`. Throws `usage`, saying what is wrong and what would be right. */
export function parseCommand(argv: readonly string[], commands: readonly AwiCommand[]): ParsedCommand {
  const flags: AwiFlags = { help: false, version: false, mode: 'json', socket: undefined }
  const context = { env: {}, cwd: '', readText: () => '', public: true } // no parameter is filled in from there
  const { command, params } = parseCommandLine(argv, commands, context, awiDialect(flags))
  return { ...flags, command, ...(command === null ? { params, local: {} } : split(command, params)) }
}

/** The mode that was asked for, for an error about a command line that cannot be read. */
export function askedMode(argv: readonly string[]): OutputMode {
  const end = argv.indexOf('--')
  const words = end < 0 ? argv : argv.slice(0, end)
  const last = words.findLast((word) => modeOf(word) !== undefined)
  return last === undefined ? 'json' : (modeOf(last) ?? 'json')
}

function awiDialect(flags: AwiFlags): Dialect {
  return {
    program: 'awi-tty',
    help: () => flags.help,
    spelled: (word) => word.replaceAll('_', '-'), // the methods' own spelling: get_title
    takeFlag: (word, following) => takeFlag(word, following, flags),
  }
}

function takeFlag(word: string, following: string[], flags: AwiFlags): boolean {
  const [name, inline] = splitFlag(word)
  if (name === '--socket') {
    flags.socket = inline ?? following.shift()
    if (!flags.socket) throw new OpError('usage', '--socket needs the path of a socket', { option: name })
    return true
  }
  const mode = modeOf(word)
  if (mode !== undefined) flags.mode = mode
  else if (word === '--help' || word === '-h') flags.help = true
  else if (word === '--version') flags.version = true
  else return false
  return true
}

function modeOf(word: string): OutputMode | undefined {
  return OUTPUT_MODES.find((mode) => word === `--${mode}`)
}

/** What is sent, and what is used here. The parts of an object are sent together. */
function split(
  command: AwiCommand,
  values: Record<string, unknown>,
): Pick<ParsedCommand, 'params' | 'local'> {
  const local: Record<string, unknown> = {}
  const params: Record<string, unknown> = { ...command.fixed }
  for (const [name, value] of Object.entries(values)) {
    const [outer = '', inner] = name.split('.')
    if (command.local.includes(name)) local[name] = value
    else if (inner === undefined) params[name] = value
    else params[outer] = { ...(params[outer] as object | undefined), [inner]: value }
  }
  return { params: command.method === 'send_key' ? withCharacter(params) : params, local }
}

/** `Char:a` is a character; so is `Char::`. */
function withCharacter({ key, ...rest }: Record<string, unknown>): Record<string, unknown> {
  const [, char] = /^Char:(.*)$/s.exec(String(key)) ?? []
  return char === undefined ? { key, ...rest } : { key: 'Char', char, ...rest }
}
