import type { Command } from '@transom/protocol'
import { ERROR_TABLE, type ErrorRow } from '@transom/protocol/errors'
import { VERSION } from '@transom/protocol/version'
import {
  ENVIRONMENT,
  GLOBAL_OPTIONS,
  PROGRAM_SUMMARY,
  argumentRows,
  named,
  optionRows,
  programExamples,
  usageLine,
  type Row,
} from './help.ts'

/** The manual page of the program, in the man(7) macros. */
export function manPage(commands: readonly Command[], program: string): string {
  return [
    `.TH ${program.toUpperCase()} 1 "" "${program} ${VERSION}" "User Commands"`,
    '.SH NAME',
    `${program} \\- ${text(PROGRAM_SUMMARY.replace(/\.$/, '').replace(/^T/, 't'))}`,
    '.SH SYNOPSIS',
    `.B ${program}`,
    text('COMMAND [ARGUMENTS] [OPTIONS]'),
    '.SH DESCRIPTION',
    text(
      'Each session is a real program on a pseudoterminal of its own, with an append-only Event Log of every byte, input and resize. Sessions are addressed by id, by a unique prefix of it, or by name. They live in a Home and are owned by its host, a background process that the first command starts.',
    ),
    '.SH OPTIONS',
    'Every command takes these.',
    ...definitions(GLOBAL_OPTIONS),
    '.SH COMMANDS',
    ...commands.flatMap((command) => commandSection(command, program)),
    '.SH EXIT STATUS',
    ...definitions([['0', 'Done.'], ...exitStatuses()]),
    '.SH ENVIRONMENT',
    ...definitions(ENVIRONMENT),
    '.SH FILES',
    ...definitions(FILES),
    '.SH EXAMPLES',
    ...literal(programExamples(program)),
    '.SH SEE ALSO',
    '.BR tmux (1),',
    '.BR script (1),',
    '.BR pty (7)',
  ].join('\n')
}

const FILES: readonly Row[] = [
  ['~/.transom', 'The default Home.'],
  ['HOME/sessions/ID/events.log', 'The Event Log of a session; a long one goes on in events-SEQ.log.'],
  ['HOME/host-debug.log', 'The host’s debug log, when it is on; host-debug.log.1 is the one before.'],
]

function commandSection(command: Command, program: string): string[] {
  const codes = command.errors.map((code) => `${code} (${ERROR_TABLE[code].exit})`)
  return [
    `.SS ${text(usageLine(command, program))}`,
    text([command.summary, command.description].filter(Boolean).join(' ')),
    ...definitions([...argumentRows(command), ...optionRows(command)]),
    ...(codes.length === 0 ? [] : ['.PP', text(`Errors: ${codes.join(', ')}.`)]),
    '.PP',
    ...literal(command.examples.map((example) => named(example, program))),
  ]
}

function exitStatuses(): Row[] {
  const byStatus = new Map<number, string[]>()
  for (const [code, { exit }] of Object.entries<ErrorRow>(ERROR_TABLE))
    byStatus.set(exit, [...(byStatus.get(exit) ?? []), code])
  return [...byStatus]
    .toSorted(([a], [b]) => a - b)
    .map(([exit, codes]): Row => [String(exit), `${codes.join(', ')}.`])
}

function definitions(rows: readonly Row[]): string[] {
  return rows.flatMap(([term, meaning]) => ['.TP', `.B ${text(term)}`, text(meaning)])
}

function literal(lines: readonly string[]): string[] {
  return ['.nf', '.RS 4', ...lines.map(text), '.RE', '.fi']
}

/** Text that roff shows as it is: no escape, no request, a minus that can be copied, characters by their number. */
function text(plain: string): string {
  const escaped = plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll('"', '\\(dq') // a quote at the start of a macro's argument would be taken away
    .replaceAll(/[^\x00-\x7f]/gu, (character) => {
      const number = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')
      return `\\[u${number}]`
    })
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped
}
