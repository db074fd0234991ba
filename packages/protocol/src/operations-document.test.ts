import * as fs from 'node:fs'
import { expect, test } from 'vitest'
import { ERROR_TABLE, OPERATIONS, commandTable, type ErrorRow } from './index.ts'
import { operationsDocument } from './operations-document.ts'

test('docs/operations.md is what the table says; "npm run docs" writes it', () => {
  const file = new URL('../../../docs/operations.md', import.meta.url)
  expect(fs.readFileSync(file, 'utf8')).toBe(operationsDocument())
})

test('every number and code of the error table is used once, and exit statuses are sysexits', () => {
  const rows = Object.values<ErrorRow>(ERROR_TABLE)
  expect(new Set(rows.map(({ rpc }) => rpc)).size).toBe(rows.length)
  const checkFailed = 1 // as of `grep` and `test`: nothing went wrong, the answer is no
  const needsInput = 80 // of our own: a caller that sees it answers the program instead of trying again
  expect(
    rows.filter(
      ({ exit }) => ![checkFailed, needsInput, 64, 65, 66, 69, 70, 73, 74, 75, 77, 130].includes(exit),
    ),
  ).toEqual([])
})

test('the table for the CLI is plain data and spells every operation that has a command', () => {
  const table = commandTable()
  expect(JSON.parse(JSON.stringify(table))).toEqual(table)
  const spelled = Object.values(OPERATIONS).flatMap(({ cli }) => (cli === null ? [] : [cli.command]))
  expect(table.map(({ command }) => command)).toEqual(spelled)
  for (const { params, positionals, rest } of table) {
    const names = params.map(({ name }) => name)
    for (const name of [...positionals, ...(rest === null ? [] : [rest])]) expect(names).toContain(name)
  }
})
