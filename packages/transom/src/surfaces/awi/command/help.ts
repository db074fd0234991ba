import type { AwiCommand, AwiParam } from './commands.ts'

const OPTIONS: readonly (readonly [string, string])[] = [
  [
    '--socket PATH',
    'The agent socket (AWI_SOCK, else carbonyl/agent.sock in XDG_RUNTIME_DIR or /tmp/carbonyl-UID).',
  ],
  ['--json', 'Print the result as JSON (the default).'],
  ['--plain', 'Print the text alone: a snapshot’s lines, a title.'],
  ['--quiet', 'Print nothing; the exit status tells.'],
  ['--help', 'Show this.'],
]

const EXITS =
  'Exit status: 0 done, 64 usage, 65 data (a URL, key or size that cannot be), 66 not found, 69 no browser,\n' +
  '70 bug, 73 too often, 74 file or connection, 75 timeout, 77 not permitted.'

export function awiHelp(commands: readonly AwiCommand[]): string {
  return [
    'A web browser for agents: pages as text on a grid of cells.',
    '',
    'Examples:',
    '  awi-tty open https://example.com/ --agent-socket /tmp/web.sock &',
    '  export AWI_SOCK=/tmp/web.sock',
    '  awi-tty snapshot --plain',
    '  awi-tty send-key Tab && awi-tty send-key Enter',
    '  awi-tty wait-for-frame-quiescence 500',
    '',
    'Usage: awi-tty COMMAND [ARGUMENTS] [OPTIONS]',
    '',
    'Commands:',
    ...table(commands.map(({ name, summary }) => [name, summary])),
    '',
    'Options:',
    ...table([...OPTIONS, ['--version', 'Print the version.']]),
    '',
    EXITS,
    'docs/AWI-TTY-AGENTS.md tells more.',
  ].join('\n')
}

export function awiCommandHelp(command: AwiCommand): string {
  const args = command.params.filter(({ flag }) => flag === undefined)
  const usage = args.map((param) => (param.optional ? `[${label(param)}]` : label(param)))
  const own = command.params.filter(({ flag }) => flag !== undefined)
  const options = command.method === null ? OPTIONS.filter(([name]) => name !== '--socket PATH') : OPTIONS
  return [
    command.summary,
    '',
    'Examples:',
    ...command.examples.map((example) => `  awi-tty ${example}`),
    '',
    `Usage: ${['awi-tty', command.name, ...usage, '[OPTIONS]'].join(' ')}`,
    ...(args.length === 0 ? [] : ['', 'Arguments:', ...table(args.map((it) => [label(it), it.description]))]),
    '',
    'Options:',
    ...table([...own.map((it) => [`--${it.flag}${value(it)}`, it.description] as const), ...options]),
    ...(command.notes === undefined ? [] : ['', ...command.notes]),
    '',
    EXITS,
  ].join('\n')
}

function label({ name }: AwiParam): string {
  return name.toUpperCase().replace('.', '_')
}

function value(param: AwiParam): string {
  if (param.type === 'boolean') return ''
  if (param.type === 'socket') return '[=PATH]'
  if (param.values !== undefined) return ` ${param.values.join('|')}`
  return param.type === 'integer' ? ' N' : ` ${param.placeholder ?? label(param)}`
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
