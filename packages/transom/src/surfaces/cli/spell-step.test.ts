import { expect, test } from 'vitest'
import { commandTable } from '@transom/protocol'
import { fullMessage, next, quote } from '@transom/protocol/errors'
import { spellCommand } from './spell-step.ts'

const spell = spellCommand(commandTable(), 'transom')

test('a step is a command line, with what the caller chooses as a placeholder', () => {
  const lines = [
    { call: 'session.list', params: { all: true }, does: 'lists' },
    { call: 'session.wait', params: { session: 'my work', block_end: 3 }, does: 'waits' },
    { call: 'session.run', params: { session: 'work' }, does: 'runs' },
    { call: 'session.create', params: { name: 'x', command: ['bash', '-l'] }, does: 'starts' },
    { call: 'pty.read', params: { conversation_id: 'work', block: 3 }, does: 'reads' },
  ].map(spell)
  expect(lines).toEqual([
    '"transom list --all" lists',
    `"transom wait 'my work' --block-end 3" waits`,
    '"transom run work -- COMMAND" runs',
    '"transom create --name x -- bash -l" starts',
    '"transom block work 3" reads',
  ])
})

test('a parameter is an option; an operation without a command is left out', () => {
  expect(spell({ set: { cwd: null }, does: 'choose another' })).toBe('choose another with --cwd')
  expect(spell({ set: { allow_hosts: ['localhost'] }, of: 'session.create', does: 'start it' })).toBe(
    'start it with --allow-host localhost',
  )
  expect(spell({ call: 'pty.send', params: {}, does: 'sends' })).toBeNull()
})

test('a message has what the program said as a quotation, and what to do after it', () => {
  const details = { ...quote('Are you\nsure?'), ...next({ set: { force: true }, does: 'replace it' }) }
  expect(fullMessage({ message: 'it asks', details }, spell)).toBe(
    'it asks: "Are you\\nsure?"; replace it with --force',
  )
  expect(quote('x'.repeat(20_000)).quote).toHaveLength(501)
})

test('steps of a host of another version are left out', () => {
  const details = { next: [null, { does: 1 }, { call: 'session.list', does: 'lists' }, 'x'] }
  expect(fullMessage({ message: 'm', details }, spell)).toBe('m')
})
