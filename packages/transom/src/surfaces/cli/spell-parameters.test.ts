import { expect, test } from 'vitest'
import { commandTable } from '@transom/protocol'
import { commandHelp, transomHelp } from './help.ts'
import { spellParameters } from './spell-parameters.ts'

const commands = commandTable()

test('a parameter in a message of the host becomes the option or the argument that gives it', () => {
  const of = (name: string) => commands.find(({ command }) => command === name)
  expect(spellParameters('`timeout_ms` must be at least 0 (got -5)', commands, of('wait'))).toBe(
    '--timeout must be at least 0 (got -5)',
  )
  expect(spellParameters('`signal` must be one of INT', commands, of('signal'))).toBe(
    'SIGNAL must be one of INT',
  )
  expect(spellParameters('give `cols`, `rows` or `nothing_known`', commands)).toBe(
    'give --cols, --rows or `nothing_known`',
  )
})

test('no help names a parameter by its spelling in the API', () => {
  for (const command of commands) {
    const help = commandHelp(command, transomHelp('transom'))
    const names = commands.flatMap(({ params }) => params.filter(({ flag }) => flag?.includes('-') ?? false))
    for (const { name } of names)
      expect([command.command, help]).not.toEqual([command.command, expect.stringContaining(`\`${name}\``)])
  }
})
