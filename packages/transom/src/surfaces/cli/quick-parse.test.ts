import * as fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parseQuickly } from './quick-parse.ts'

const table = {
  type: JSON.stringify({
    operation: 'session.type',
    command: 'type',
    positionals: ['session', 'text'],
    params: [
      { name: 'session', type: 'string', required: true },
      { name: 'text', type: 'string', required: true, readable: true },
    ],
  }),
  'host stop': JSON.stringify({ operation: 'host.stop', command: 'host stop' }),
}
const read = (...argv: string[]) => parseQuickly(argv, table, {})

test('a well-formed command of the operation table is read without the whole table', () => {
  expect(read('--home', '/h', 'type', 's1', 'ls', '--json')).toMatchObject({
    command: { operation: 'session.type', startsHost: false },
    params: { session: 's1', text: 'ls' },
    flags: { json: true, home: '/h' },
  })
  expect(read('host', 'stop')).toMatchObject({ command: { operation: 'host.stop' } })
})

test.each([
  ['no command', []],
  ['a local command', ['watch', 's1']],
  ['the name of a member of every object', ['constructor']],
  ['help', ['type', '--help']],
  ['a missing argument', ['type', 's1']],
  ['an unknown option', ['type', 's1', 'x', '--nosuch']],
  ['a text from standard input, which can be read only once', ['type', 's1', '-']],
])('%s is left to the whole program', (_what, argv) => {
  expect(read(...argv)).toBeNull()
})

test('the program that is compiled for every call is small, and ASCII, which V8 reads without converting it', () => {
  const file = fileURLToPath(new URL('../../../dist/cli.cjs', import.meta.url))
  const bytes = fs.readFileSync(file)
  expect(bytes.length).toBeLessThan(76 << 10)
  expect(bytes.every((byte) => byte < 0x80)).toBe(true)
})
