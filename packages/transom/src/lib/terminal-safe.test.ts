import { expect, test } from 'vitest'
import { terminalSafe } from './terminal-safe.ts'

const ALL_CONTROLS = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code))
  .filter((character) => /\p{Cc}/u.test(character))
  .join('')

test('no control but tab and line feed is left', () => {
  expect(terminalSafe(ALL_CONTROLS)).not.toMatch(/[^\P{Cc}\t\n]/u)
  expect(terminalSafe('a\u001b[2Jb\u009b31mc\r\u007f')).toBe('a\\u001b[2Jb\\u009b31mc\\u000d\\u007f')
})

test('other text stays as it is', () => {
  const text = 'plain\ttext, 漢字 é 🙂\nnext \\u001b line\u00a0'
  expect(terminalSafe(text)).toBe(text)
})

test('JSON stays JSON with the same value', () => {
  const value = { text: ALL_CONTROLS, [`\u009b`]: ['\u007f'] }
  for (const indent of [0, 2])
    expect(JSON.parse(terminalSafe(JSON.stringify(value, null, indent)))).toEqual(value)
})
