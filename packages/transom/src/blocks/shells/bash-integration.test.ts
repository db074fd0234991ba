import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bashShortLine } from './bash-integration.ts'
import { quoteForShell } from './shell-script.ts'

/** What a bash prints that reads lines as from its terminal, with the history at work as there. */
function typedToBash(lines: string): string {
  const functions = `shopt -s expand_aliases; __transom_load() { eval "$3"; }; set -o history -H
alias __transom_run='{ __transom_load' __transom_go=':;}'`
  return execFileSync('bash', ['--norc', '-s'], { input: `${functions}\n${lines}` }).toString()
}

const printing = (text: string) => `L1\nprintf %s ${quoteForShell(text)}`

test('bash evaluates a short text as it is, whatever is in it', () => {
  const texts = fc.sample(fc.string({ unit: 'binary', maxLength: 60 }), { numRuns: 40, seed: 7 })
  for (const text of ["it's", '\\n\\', 'hi!ls !!', 'two\nlines', 'ü\t\u001b[A\u0003', ...texts]) {
    const wellFormed = Buffer.from(text.replaceAll('\0', '')).toString()
    const line = bashShortLine(printing(wellFormed))
    expect(line).toMatch(/^[ -~]+\n$/)
    expect(typedToBash(line ?? ''), JSON.stringify(text)).toBe(wellFormed)
  }
})

test('a text that makes a long line is left to a file', () => {
  expect(bashShortLine(`L1\n${'x'.repeat(900)}`)).not.toBeNull()
  expect(bashShortLine(`L1\n${'x'.repeat(1000)}`)).toBeNull()
  expect(bashShortLine(`L1\n${'ü'.repeat(200)}`)).toBeNull()
})
