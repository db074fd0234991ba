import { expect, test } from 'vitest'
import { commandTable } from '@transom/protocol'
import { expandCommand, type CompactCommand } from './local-command.ts'

test('what the build leaves out of the command table is filled in again', () => {
  const table = commandTable()
  const isEmpty = (value: unknown) =>
    value === null || value === false || value === '' || (Array.isArray(value) && value.length === 0)
  const compact = JSON.parse(
    JSON.stringify(table, (_key, value: unknown) => (isEmpty(value) ? undefined : value)),
  ) as CompactCommand[]
  expect(compact.map(expandCommand)).toEqual(table)
})
