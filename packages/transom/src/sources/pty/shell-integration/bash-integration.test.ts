import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bashShortLine } from './bash-integration.ts'
import { quoteForShell } from './shell-script.ts'

/** What a bash prints that reads lines as from its terminal, with the history at work as there. */
function typedToBash(lines: string): string {
  const functions =
    '__transom_r=0 __transom_i=; __transom_run() { local t=$__transom_i; __transom_i=; eval "$t"; }; set -o history -H'
  return execFileSync('bash', ['--norc', '-s'], { input: `${functions}\n${lines}` }).toString()
}

const printing = (text: string) => `__transom_r=1\nprintf %s ${quoteForShell(text)}`

test('bash evaluates a short text as it is, whatever is in it', () => {
  const texts = fc.sample(fc.string({ unit: 'binary', maxLength: 60 }), { numRuns: 40, seed: 7 })
  for (const text of ["it's", '\\n\\', 'hi!ls !!', 'two\nlines', 'ü\t\u001b[A\u0003', ...texts]) {
    const wellFormed = Buffer.from(text.replaceAll('\0', '')).toString()
    const line = bashShortLine(1, printing(wellFormed))
    expect(line).toMatch(/^[ -~]+\n$/)
    expect(typedToBash(line ?? ''), JSON.stringify(text)).toBe(wellFormed)
  }
})

test('a line that is typed twice runs once', () => {
  const line = bashShortLine(1, printing('once'))
  expect(typedToBash(`${line}${line}`)).toBe('once')
})

test('a text that makes a long line is left to a file', () => {
  expect(bashShortLine(1, 'x'.repeat(900))).not.toBeNull()
  expect(bashShortLine(1, 'x'.repeat(1000))).toBeNull()
  expect(bashShortLine(1, 'ü'.repeat(200))).toBeNull()
})
