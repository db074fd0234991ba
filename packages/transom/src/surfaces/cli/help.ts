import type { Command, CommandParam } from '@transom/protocol'
import { ERROR_TABLE, type ErrorCode } from '@transom/protocol/errors'
import { spellParameters } from './spell-parameters.ts'

/** Two columns: a term and what it means. */
export type Row = readonly [left: string, right: string]

/** What the help of one program says beside its commands. */
export interface ProgramHelp {
  readonly program: string
  readonly summary: string
  /** Right below the summary: where a reader who is new should start. */
  readonly start: string
  readonly examples: readonly string[]
  readonly options: readonly Row[]
  readonly environment: readonly Row[]
  /** Below everything else. */
  readonly footer: readonly string[]
}

const LINE_COLS_MAX = 80

export const PROGRAM_SUMMARY = 'Terminals and web pages that an agent can operate, with proof of what it did.'

export const GLOBAL_OPTIONS: readonly Row[] = [
  ['--home DIR', 'The Home to use (TRANSOM_HOME, AGENT_TTY_HOME, else ~/.transom).'],
  ['--json', 'Print one JSON object: the result, or {"error": …}.'],
  ['--debug', 'Report each step on standard error; a host that this command starts keeps a debug log.'],
  ['--help', 'Show this.'],
]

export const ENVIRONMENT: readonly Row[] = [
  ['TRANSOM_HOME', 'The Home, when --home is not given; AGENT_TTY_HOME after it.'],
  ['TRANSOM_SESSION', 'The session, when SESSION is not given. Set inside every session.'],
  ['TRANSOM_ACTOR', 'What the caller calls itself, when --actor is not given.'],
  ['TRANSOM_DEBUG', 'With 1, as --debug.'],
  ['TRANSOM_HOST_IDLE_MS', 'How long a host that is started stays without a session (60000).'],
  ['XDG_RUNTIME_DIR', 'Where the host’s socket is; else in a folder of this user’s in TMPDIR or /tmp.'],
]

/** What the help of `transom` says, under the name by which it was called. */
export function transomHelp(program: string): ProgramHelp {
  return {
    program,
    summary: PROGRAM_SUMMARY,
    start: `An agent should read "${program} skills get transom" first: one page that teaches all of it.`,
    examples: programExamples(program),
    options: GLOBAL_OPTIONS,
    environment: ENVIRONMENT,
    footer: [
      `"${program} help COMMAND" explains one; "${program} help --man" prints the manual page.`,
      'Exit status: 0 done, 64 usage, 65 data, 66 not found, 69 unavailable, 70 bug, 73 try later, 74 disk, 75 timeout, 77 permission.',
    ],
  }
}

/** The help of one command: examples first. */
export function commandHelp(command: Command, { program, options }: ProgramHelp): string {
  const lines = [command.summary, '']
  lines.push('Examples:', ...command.examples.map((example) => `  ${named(example, program)}`))
  lines.push('', `Usage: ${usageLine(command, program)}`)
  if (command.description !== '') lines.push('', ...wrap(command.description, LINE_COLS_MAX))
  const section = (title: string, rows: readonly Row[]) => {
    if (rows.length > 0) lines.push('', `${title}:`, ...table(rows))
  }
  section('Arguments', argumentRows(command))
  section('Options', [...optionRows(command), ...options])
  section('Exit status', exitRows(command))
  section('Environment', environmentRows(command))
  if (command.seeAlso.length > 0)
    lines.push('', `See also: ${command.seeAlso.map((name) => `${program} ${name}`).join(', ')}`)
  return lines.join('\n')
}

/** The help of commands that share their first word. */
export function groupHelp(commands: readonly Command[]): string {
  return table(commands.map(({ command, summary }): Row => [command, summary])).join('\n')
}

/** The help of the whole program. */
export function programHelp(commands: readonly Command[], about: ProgramHelp): string {
  const { program, environment } = about
  return [
    about.summary,
    about.start,
    '',
    'Examples:',
    ...about.examples.map((example) => `  ${example}`),
    '',
    `Usage: ${program} COMMAND [ARGUMENTS] [OPTIONS]`,
    '',
    'Commands:',
    ...table(commands.map(({ command, summary }): Row => [command, summary])),
    '',
    'Options:',
    ...table([...about.options, ['--version', 'Print the version.']]),
    '',
    'Environment:',
    ...table(environment),
    '',
    ...about.footer,
  ].join('\n')
}

/** What to begin with. */
export function firstCommands(program: string): string[] {
  return [
    `${program} create --name work -- bash`,
    `${program} run work -- 'cd /tmp && ls -l'`,
    `${program} snapshot work`,
  ]
}

/** What is printed without a command in a Home that has no session yet. */
export function firstSteps(program: string): string {
  return [
    PROGRAM_SUMMARY,
    '',
    'To begin with:',
    ...firstCommands(program).map((line) => `  ${line}`),
    '',
    `An agent should read "${program} skills get transom"; "${program} --help" lists all commands.`,
  ].join('\n')
}

export function programExamples(program: string): string[] {
  return [
    ...firstCommands(program),
    `${program} exec work 'python3 -q'`,
    `${program} wait work --needs-input`,
    `${program} type work 'print(6 * 7)' --enter`,
    `${program} wait work --text 42 --after-input`,
    `${program} screenshot work -o work.png`,
    `${program} destroy work`,
  ]
}

export function usageLine(command: Command, program: string): string {
  const positionals = command.positionals.map((name) => {
    const param = command.params.find((it) => it.name === name)
    if (param === undefined) return name
    const spelled = label(param) + (param.type === 'list' ? '…' : '')
    return param.required ? spelled : `[${spelled}]`
  })
  const rest = command.rest === null ? [] : ['[-- PROGRAM ARGS…]']
  return [program, command.command, ...positionals, '[OPTIONS]', ...rest].join(' ')
}

export function argumentRows(command: Command): Row[] {
  return command.params
    .filter(({ name }) => command.positionals.includes(name) || name === command.rest)
    .map((param): Row => [label(param), describe(param, command)])
}

export function optionRows(command: Command): Row[] {
  const file = command.params.filter(({ readable, flag }) => readable && flag === null).map(fileRow)
  const options = command.params.filter(({ flag }) => flag !== null)
  return [...file, ...options.map((param) => optionRow(param, command))]
}

/** How this command can end: the statuses of its own errors, and those of every command. */
function exitRows(command: Command): Row[] {
  const isRemote = !command.operation.startsWith('cli.')
  const common: ErrorCode[] = isRemote ? ['usage', 'host_unavailable', 'io_error', 'cancelled'] : ['usage']
  const codes = [...new Set([...command.errors, ...common])]
  const rows = codes.map((code) => [ERROR_TABLE[code].exit, ERROR_TABLE[code].summary] as const)
  const sorted = rows.toSorted(([a], [b]) => a - b)
  return [['0', 'Done.'], ...sorted.map(([exit, summary]): Row => [String(exit), summary])]
}

function environmentRows(command: Command): Row[] {
  const variables = command.params.flatMap(({ from }) => (from?.startsWith('$') ? [from.slice(1)] : []))
  return ENVIRONMENT.filter(([name]) => variables.includes(name))
}

/** Examples are written with the product's first name; the same program answers to others. */
export function named(example: string, program: string): string {
  return example.replace(/^transom\b/, program)
}

function fileRow(param: CommandParam): Row {
  return [
    '--file FILE',
    `Take ${label(param)} from a file ("-" as ${label(param)} takes it from standard input).`,
  ]
}

function optionRow(param: CommandParam, command: Command): Row {
  const value =
    param.type === 'boolean' ? '' : param.type === 'optional' ? `[=${label(param)}]` : ` ${label(param)}`
  return [`--${param.flag}${value}`, describe(param, command)]
}

/** What a parameter is, with the names of the others as the command line has them. */
function describe(param: CommandParam, command: Command): string {
  // Where the description does not spell the values out, they are added.
  const spelledOut = param.values?.every((value) => param.description.includes(value)) ?? true
  const values = spelledOut ? '' : ` One of: ${param.values?.join(', ')}.`
  const isTime = param.type === 'duration' && typeof param.default === 'number'
  const preset =
    param.default === null ? '' : ` Default: ${isTime ? durationWord(param.default) : param.default}.`
  return spellParameters(param.description, [command]) + values + limitsOf(param) + preset
}

/** The limits of a number, unless the description has them. */
function limitsOf({ limits, type, description }: CommandParam): string {
  if (limits === null || description.includes(String(limits[1]))) return ''
  const [min, max] = type === 'duration' || type === 'age' ? limits.map(durationWord) : limits
  return ` From ${min} to ${max}.`
}

/** In the largest unit that fits, as the option takes it. */
function durationWord(ms: number): string {
  const units: readonly (readonly [string, number])[] = [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
  ]
  const [unit, size] = units.find(([, it]) => ms >= it && ms % it === 0) ?? ['ms', 1]
  return ms === 0 ? '0' : `${ms / size}${unit}`
}

function label(param: CommandParam): string {
  return param.placeholder ?? param.name.toUpperCase().replaceAll('.', '_')
}

function table(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}

function wrap(text: string, cols: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > cols) {
      lines.push(line)
      line = word
    } else {
      line = line === '' ? word : `${line} ${word}`
    }
  }
  return [...lines, line]
}
