import type { Command, CommandParam } from '@transom/protocol'
import type { NextStep, SpellStep } from '@transom/protocol/errors'

/** Words what to do about an error as command lines and options; null for an operation without a command. */
export function spellCommand(commands: readonly Command[], program: string): SpellStep {
  return (step) => ('set' in step ? spelledOptions(step, commands) : spelledLine(step, commands, program))
}

function spelledLine(
  { call, params, does }: Extract<NextStep, { call: string }>,
  commands: readonly Command[],
  program: string,
): string | null {
  const command = commands.find(({ operation }) => operation === call)
  if (command === undefined) return null
  const places = command.params.filter(({ flag }) => flag === null)
  const options = command.params.flatMap((param) => option(param, params[param.name]))
  const isRest = ({ name, type }: CommandParam) => name === command.rest || type === 'list'
  const given = [...command.positionals, ...(command.rest === null ? [] : [command.rest])].flatMap((name) => {
    const param = places.find((it) => it.name === name)
    if (param === undefined) return []
    const value = params[name]
    if (value === undefined && !param.required && param.name !== command.rest) return []
    const words = value === undefined ? [param.placeholder ?? name.toUpperCase()] : wordsOf(value)
    return isRest(param) ? [{ words: ['--', ...words], last: true }] : [{ words, last: false }]
  })
  const first = given.filter(({ last }) => !last).flatMap(({ words }) => words)
  const rest = given.filter(({ last }) => last).flatMap(({ words }) => words)
  return `"${[program, command.command, ...first, ...options, ...rest].join(' ')}" ${does}`
}

function spelledOptions(
  { set, of, does }: Extract<NextStep, { set: object }>,
  commands: readonly Command[],
): string | null {
  const params = commands.filter(({ operation }) => of === undefined || operation === of)
  const options = Object.entries(set).flatMap(([name, value]) => {
    const param = params.flatMap((command) => command.params).find((it) => it.name === name)
    if (param === undefined || param.flag === null) return []
    return value === null ? [`--${param.flag}`] : option(param, value)
  })
  return options.length === 0 ? null : `${does} with ${options.join(' ')}`
}

function option({ flag }: CommandParam, value: unknown): string[] {
  if (flag === null || value === undefined || value === false) return []
  if (value === true) return [`--${flag}`]
  return wordsOf(value).flatMap((word) => [`--${flag}`, word])
}

function wordsOf(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map((part) => shellWord(String(part)))
}

function shellWord(text: string): string {
  return /^[\w.,:/@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
