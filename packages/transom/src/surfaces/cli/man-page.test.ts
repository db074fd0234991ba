import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { commandTable } from '@transom/protocol'
import { needs } from '../../../../../test/support/needs.ts'
import { LOCAL_COMMANDS } from './local-commands.ts'
import { manPage } from './man-page.ts'

const commands = [...commandTable(), ...LOCAL_COMMANDS.filter(({ hidden }) => !hidden)]

test('no line of text is taken for a request', () => {
  const known = /^\.(TH|SH|SS|B|BR|TP|PP|nf|fi|RS|RE)( |$)/
  const page = manPage(commands, 'transom')
  for (const line of page.split('\n')) if (/^[.']/.test(line)) expect(line).toMatch(known)
  expect(page).toMatch(/^[\x00-\x7f]*$/)
})

needs('groff')('groff sets the manual page without a complaint, with every command and option', () => {
  const { stdout, stderr, status } = spawnSync('groff', ['-Tutf8', '-man', '-ww', '-P-cbou', '-rLL=200n'], {
    input: manPage(commands, 'transom'),
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
  for (const { command, params, examples } of commands) {
    expect(stdout).toContain(`transom ${command}`)
    for (const { flag } of params) if (flag !== null) expect(stdout).toContain(`--${flag}`)
    for (const example of examples) expect(stdout).toContain(example)
  }
  for (const title of ['NAME', 'SYNOPSIS', 'EXIT STATUS', 'ENVIRONMENT', 'FILES', 'SEE ALSO'])
    expect(stdout).toContain(`\n${title}\n`)
})
