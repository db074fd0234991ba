import type { Command, CommandParam } from '@transom/protocol'

/** The help of one command: examples first. */
export function commandHelp(command: Command, program: string): string {
  const options = command.params.filter(({ flag }) => flag !== null)
  const lines = [
    command.summary,
    '',
    'Examples:',
    ...command.examples.map((example) => `  ${named(example, program)}`),
    '',
    `Usage: ${program} ${[command.command, ...placeholders(command)].join(' ')}`,
  ]
  const positionals = command.params.filter(
    ({ name }) => command.positionals.includes(name) || name === command.rest,
  )
  if (positionals.length > 0)
    lines.push('', 'Arguments:', ...table(positionals.map((param) => [label(param), describe(param)])))
  lines.push('', 'Options:', ...table([...options.map(optionRow), ...GLOBAL_OPTIONS]))
  return lines.join('\n')
}

/** The help of the whole program. */
export function programHelp(commands: readonly Command[], program: string): string {
  return [
    'Terminals that an agent can operate, with proof of what it did.',
    '',
    'Examples:',
    ...[
      `${program} create --name work -- bash`,
      `${program} type work 'ls -l' --enter`,
      `${program} wait work --screen-stable-ms 200 --after-input`,
      `${program} snapshot work`,
      `${program} destroy work`,
    ].map((example) => `  ${example}`),
    '',
    `Usage: ${program} COMMAND [ARGUMENTS] [OPTIONS]`,
    '',
    'Commands:',
    ...table([
      ...commands.map(({ command, summary }): Row => [command, summary]),
      ['version', 'Print the version.'],
    ]),
    '',
    'Options:',
    ...table([...GLOBAL_OPTIONS, ['--version', 'Print the version.']]),
    '',
    `"${program} COMMAND --help" tells more about one. TRANSOM_SESSION stands in for SESSION, TRANSOM_HOME for --home.`,
    'Exit status: 0 done, 64 usage, 65 data, 66 not found, 69 unavailable, 70 bug, 73 try later, 74 disk, 75 timeout, 77 permission.',
  ].join('\n')
}

type Row = [left: string, right: string]

const GLOBAL_OPTIONS: Row[] = [
  ['--home DIR', 'The Home to use (TRANSOM_HOME, AGENT_TTY_HOME, else ~/.transom).'],
  ['--json', 'Print one JSON object: the result, or {"error": …}.'],
  ['--help', 'Show this.'],
]

function placeholders(command: Command): string[] {
  const positionals = command.positionals.map((name) => {
    const param = command.params.find((it) => it.name === name)
    return param === undefined ? name : label(param) + (param.type === 'list' ? '…' : '')
  })
  return [...positionals, '[OPTIONS]', ...(command.rest === null ? [] : ['[-- PROGRAM ARGS…]'])]
}

function optionRow(param: CommandParam): Row {
  const value = param.type === 'boolean' ? '' : ` ${label(param)}`
  return [`--${param.flag}${value}`, describe(param)]
}

function describe(param: CommandParam): string {
  return param.default === null ? param.description : `${param.description} Default: ${param.default}.`
}

function label(param: CommandParam): string {
  return param.placeholder ?? param.name.toUpperCase()
}

function table(rows: readonly Row[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}

/** Examples are written with the product's first name; the same program answers to others. */
function named(example: string, program: string): string {
  return example.replace(/^transom\b/, program)
}
