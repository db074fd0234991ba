import type { Command, CommandParam } from '@transom/protocol'
import { GLOBAL_OPTIONS } from './help.ts'

/**
 * What may stand at a place of the command line: words, or what the shell looks up by itself (`@sessions` by asking
 * this program, `@files`, `@folders`, `@programs`); `@any` where there is nothing to propose.
 */
export type Place = string

export interface CompletionTable {
  /** Commands as their first words, and for each of those the second words, if it has any. */
  readonly firstWords: readonly Described[]
  readonly groups: readonly { readonly first: string; readonly seconds: readonly Described[] }[]
  readonly commands: readonly CompletedCommand[]
  readonly globalFlags: readonly Described[]
}

export interface Described {
  readonly word: string
  readonly description: string
}

export interface CompletedCommand {
  readonly command: string
  readonly flags: readonly Described[]
  /** What follows an option; a switch is not in here. */
  readonly values: readonly { readonly flag: string; readonly place: Place }[]
  readonly positionals: readonly Place[]
  /** What stands behind the positionals; null when nothing may. */
  readonly rest: Place | null
}

/** The command table as the three shells' scripts need it. */
export function completionTable(commands: readonly Command[]): CompletionTable {
  const firsts = [...new Set(commands.map(({ command }) => firstWord(command)))]
  return {
    firstWords: firsts.map((word) => ({ word, description: firstWordSummary(word, commands) })),
    groups: firsts.flatMap((first) => {
      const seconds = commands
        .filter(({ command }) => command.startsWith(`${first} `))
        .map(({ command, summary }) => ({ word: command.slice(first.length + 1), description: summary }))
      return seconds.length === 0 ? [] : [{ first, seconds }]
    }),
    commands: commands.map((command) => completedCommand(command, firsts)),
    globalFlags: GLOBAL_OPTIONS.map(([left, description]) => ({ word: firstWord(left), description })),
  }
}

function completedCommand(command: Command, firsts: readonly string[]): CompletedCommand {
  const flagged = command.params.filter(({ flag }) => flag !== null)
  const hasFile = command.params.some(({ readable }) => readable)
  const positionals = command.positionals.map((name) =>
    placeOf(
      command.params.find((param) => param.name === name),
      firsts,
    ),
  )
  return {
    command: command.command,
    flags: [
      ...flagged.map(({ flag, description }) => ({ word: `--${flag}`, description })),
      ...(hasFile ? [{ word: '--file', description: 'Take the text from a file.' }] : []),
    ],
    values: [
      ...flagged
        .filter(({ type }) => type !== 'boolean')
        .map((param) => ({ flag: `--${param.flag}`, place: placeOf(param, firsts) })),
      ...(hasFile ? [{ flag: '--file', place: '@files' }] : []),
    ],
    positionals: command.rest === null ? positionals : ['@programs'],
    rest: command.rest === null ? null : '@files',
  }
}

function placeOf(param: CommandParam | undefined, firsts: readonly string[]): Place {
  if (param?.from === '$TRANSOM_SESSION') return '@sessions'
  if (param?.from === 'cwd') return '@folders'
  if (param?.placeholder === 'COMMAND') return firsts.join(' ')
  return param?.values?.join(' ') ?? '@any'
}

function firstWord(text: string): string {
  return text.split(' ')[0] ?? ''
}

function firstWordSummary(word: string, commands: readonly Command[]): string {
  const exact = commands.find(({ command }) => command === word)
  if (exact !== undefined) return exact.summary
  const seconds = commands.filter(({ command }) => command.startsWith(`${word} `))
  return `${seconds.map(({ command }) => command.slice(word.length + 1)).join(', ')}.`
}
