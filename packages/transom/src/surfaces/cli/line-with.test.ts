import { expect, test } from 'vitest'
import { lineWith } from './line-with.ts'

test('a text is on a screen if a wait would find it there', () => {
  const lines = [
    { text: 'first   thing', wrapped: false },
    { text: 'goes', wrapped: false },
    { text: 'on', wrapped: true },
  ]
  const screen = { cols: 14, lines }
  expect(lineWith(screen, 'first thing')).toBe('first   thing')
  expect(lineWith(screen, 'goes on')).toBe('goes          on')
  expect(lineWith(screen, 'thing first')).toBeNull()
})
