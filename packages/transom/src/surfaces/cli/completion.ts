import type { Command, CommandParam } from '@transom/protocol'
import { GLOBAL_OPTIONS } from './help.ts'
import { localParam } from './local-command.ts'

export interface Described {
  readonly word: string
  readonly description: string
}

/**
 * What may stand at the cursor: one of these words, one of the sessions, or what the shell itself can look up.
 * `before` is the part of the current word that stays as it is: `--button=`.
 */
export type Proposal =
  | { readonly kind: 'words'; readonly words: readonly Described[]; readonly before: string }
  | {
      readonly kind: 'sessions'
      readonly begin: string
      readonly home: string | undefined
      /** Whether the command takes ended ones, too. */
      readonly ended: boolean
    }
  | { readonly kind: 'files' | 'folders' | 'programs' }

/** Reads the words of a command line after the program, up to the one at the cursor, which may be empty. */
export function propose(words: readonly string[], commands: readonly Command[]): Proposal {
  const line = new TypedLine(words.slice(0, -1), commands)
  const current = words.at(-1) ?? ''
  const [flag, value] = splitOption(current)
  if (line.option !== null) return offer(line, placeOf(line.option, commands), current, '')
  if (line.takesOptions && value !== null)
    return offer(line, placeOf(line.optionNamed(flag), commands), value, `${flag}=`)
  if (line.takesOptions && current.startsWith('-')) return offer(line, line.options, current, '')
  return offer(line, line.nextArgument, current, '')
}

/** Words, or where they are found; null where there is nothing to propose. */
type Place = readonly Described[] | 'sessions' | 'files' | 'folders' | 'programs' | null

function offer({ home, takesEnded }: TypedLine, place: Place, begin: string, before: string): Proposal {
  if (place === 'sessions') return { kind: place, begin, home, ended: takesEnded }
  if (typeof place === 'string') return { kind: place }
  const words = (place ?? []).filter(({ word }) => word.startsWith(begin))
  return { kind: 'words', words, before }
}

const HOME_OPTION = 'home'

/** The words before the cursor, read as far as they say what may follow. */
class TypedLine {
  /** The option whose value stands at the cursor. */
  option: CommandParam | typeof HOME_OPTION | null = null
  /** The Home that the line names. */
  home: string | undefined
  readonly #commands: readonly Command[]
  #name = ''
  #argumentCount = 0
  #dashes = false

  constructor(words: readonly string[], commands: readonly Command[]) {
    this.#commands = commands
    for (const word of words) this.#read(word)
  }

  /** Not after `--`, nor after the program that a command takes with all that follows. */
  get takesOptions(): boolean {
    const command = this.#command
    return !this.#dashes && (command === undefined || command.rest === null || this.#argumentCount === 0)
  }

  /** Whether its session may have ended. To destroy such a one is allowed, but nobody means it. */
  get takesEnded(): boolean {
    const command = this.#command
    if (command === undefined || command.operation === 'session.destroy') return false
    return !command.errors.includes('session_ended')
  }

  get options(): readonly Described[] {
    const params = this.#command?.params ?? []
    return [
      ...params.flatMap(({ flag, description }) =>
        flag === null ? [] : [{ word: `--${flag}`, description }],
      ),
      ...(params.some(({ readable, flag }) => readable && flag === null)
        ? [{ word: '--file', description: 'Take the text from a file.' }]
        : []),
      ...GLOBAL_OPTIONS.map(([left, description]) => ({ word: firstWord(left), description })),
    ]
  }

  get nextArgument(): Place {
    const command = this.#command
    if (command === undefined) return nextWords(this.#commands, this.#name)
    if (command.rest !== null) return this.#argumentCount === 0 ? 'programs' : 'files'
    const name = command.positionals[this.#argumentCount]
    return placeOf(command.params.find((param) => param.name === name) ?? null, this.#commands)
  }

  optionNamed(word: string): CommandParam | typeof HOME_OPTION | null {
    if (word === '--home') return HOME_OPTION
    const params = this.#command?.params ?? []
    const flag = word === '-o' ? 'out' : word.slice(2)
    if (flag === 'file' && params.some(({ readable, flag }) => readable && flag === null)) return FILE_OPTION
    return params.find((param) => param.flag === flag && param.type !== 'boolean') ?? null
  }

  get #command(): Command | undefined {
    return this.#commands.find(({ command }) => command === this.#name)
  }

  #read(word: string): void {
    if (this.option !== null) {
      if (this.option === HOME_OPTION) this.home = word
      this.option = null
    } else if (word === '--' && !this.#dashes) {
      this.#dashes = true
    } else if (word.startsWith('-') && this.takesOptions) {
      const [flag, value] = splitOption(word)
      const option = this.optionNamed(flag)
      if (value === null) this.option = option
      else if (option === HOME_OPTION) this.home = value
    } else if (this.#command === undefined) {
      this.#name = `${this.#name} ${word}`.trim()
    } else {
      this.#argumentCount++
    }
  }
}

const FILE_OPTION = localParam({ name: 'file', type: 'path', flag: 'file' })

function placeOf(param: CommandParam | typeof HOME_OPTION | null, commands: readonly Command[]): Place {
  if (param === HOME_OPTION) return 'folders'
  if (param === null) return null
  if (param.completes === 'commands') return nextWords(commands, '')
  if (param.completes === 'sessions' || param.from === '$TRANSOM_SESSION') return 'sessions'
  if (param.from === 'cwd') return 'folders'
  if (param.type === 'path') return 'files'
  const usual = param.values ?? (typeof param.completes === 'string' ? null : param.completes)
  return usual?.map((word) => ({ word, description: '' })) ?? null
}

/** The words that follow those of a command's name. */
function nextWords(commands: readonly Command[], begun: string): Described[] {
  const rest = commands.flatMap(({ command, summary }) =>
    begun === '' || command.startsWith(`${begun} `)
      ? [{ words: command.slice(begun === '' ? 0 : begun.length + 1).split(' '), summary }]
      : [],
  )
  const names = [...new Set(rest.map(({ words }) => words[0] ?? ''))]
  return names.map((word) => {
    const same = rest.filter(({ words }) => words[0] === word)
    const exact = same.find(({ words }) => words.length === 1)
    const description = exact?.summary ?? `${same.map(({ words }) => words.slice(1).join(' ')).join(', ')}.`
    return { word, description: begun === '' ? description : '' }
  })
}

function splitOption(word: string): [flag: string, value: string | null] {
  const at = word.startsWith('--') ? word.indexOf('=') : -1
  return at < 0 ? [word, null] : [word.slice(0, at), word.slice(at + 1)]
}

function firstWord(text: string): string {
  return text.split(' ')[0] ?? ''
}
