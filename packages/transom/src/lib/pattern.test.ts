import { describe, expect, test, vi } from 'vitest'
import { RE2JS } from 're2js'
import { checkSteps, compilePattern } from './pattern.ts'

describe('a pattern that would take long to compile is refused before it is compiled', () => {
  test.each([
    ['many counted repetitions', 'x{1000}'.repeat(500)],
    ['repetitions of repetitions', '(?:(?:(?:(?:.{0,10}){0,10}){0,10}))'.repeat(100)],
    ['a repeated group', `(?:${'abc'.repeat(100)}){100}`],
    ['a repetition behind a class with a bracket in it', '[]{]{1000}[\\]a]{1000}[[:alpha:]]{1000}x{1000}'],
    ['Unicode classes', `[${'\\pL'.repeat(1300)}]`],
    ['Unicode classes, each by its name', '\\p{Greek}|\\PN|'.repeat(200)],
    ['groups that are left open', '(x{1000}'.repeat(10)],
    ['a long literal', 'a'.repeat(4096)],
  ])('%s', (_name, pattern) => {
    using compile = vi.spyOn(RE2JS, 'compile')
    expect(() => compilePattern(pattern)).toThrow(expect.objectContaining({ code: 'bad_pattern' }))
    expect(compile).not.toHaveBeenCalled()
  })
})

test.each([
  'listening on :\\d+',
  '(?i)(?:error|warning): .{0,200}$',
  '^\\s*\\d+ (?P<what>passed|failed)\\b',
  '[^]]{1,20}[a-z\\]]{3}',
  '\\$ $',
  'x{500}',
  '(?:\\d{1,3}\\.){3}\\d{1,3}',
  '\\p{Greek}+ \\pL',
  'ab{',
])('an ordinary pattern is compiled: %s', (pattern) => {
  expect(compilePattern(pattern).pattern()).toBe(pattern)
})

test('the message names the pattern, and of a long one the beginning', () => {
  expect(() => compilePattern('(?=a)')).toThrow(/cannot use the pattern "\(\?=a\)".*look-around/)
  expect(() => compilePattern('b'.repeat(4000))).toThrow(/^cannot use the pattern "b{200}…": it is too large/)
})

test('a pattern is refused for a screen that is too large for it', () => {
  const small = compilePattern('BUILD (?:OK|FAILED)')
  expect(() => checkSteps(small, 200_000)).not.toThrow()
  const large = compilePattern('(?:.{0,30}){20}[xy]')
  expect(() => checkSteps(large, 80 * 24)).not.toThrow()
  expect(() => checkSteps(large, 1000 * 1000)).toThrow(expect.objectContaining({ code: 'bad_pattern' }))
})
