import { expect, test } from 'vitest'
import { commandTable } from '@transom/protocol'
import { expandCommand, type CompactCommand } from './local-command.ts'
import { LOCAL_COMMANDS } from './local-commands.ts'

test('defaults that the build leaves out of the command table are filled in again', () => {
  const table = commandTable()
  const isEmpty = (value: unknown) =>
    value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0)
  const compact = JSON.parse(
    JSON.stringify(table, (_key, value: unknown) => (isEmpty(value) ? undefined : value)),
  ) as CompactCommand[]
  expect(compact.map(expandCommand)).toEqual(table)
})

test('every command that the help of another names is there', () => {
  const commands = [...commandTable(), ...LOCAL_COMMANDS]
  const names = new Set(commands.map(({ command }) => command))
  expect(commands.flatMap(({ seeAlso }) => seeAlso.filter((name) => !names.has(name)))).toEqual([])
})
