import { expect, test } from 'vitest'
import type { Snapshot } from '@transom/protocol'
import { WatchedScreen } from './watched-screen.ts'

test('a text is on a watched screen when a wait would find it there', () => {
  const screen = new WatchedScreen()
  const lines = [
    { text: 'first   thing', wrapped: false },
    { text: 'goes', wrapped: false },
    { text: 'on', wrapped: true },
  ]
  const snapshot = { cols: 14, lines, bells: 0, seq: 1 } as unknown as Snapshot // what it looks at
  screen.apply({ type: 'screen', subscription: 1, snapshot })
  expect(screen.lineWith('first thing')).toBe('first   thing')
  expect(screen.lineWith('goes on')).toBe('goes          on')
  expect(screen.lineWith('thing first')).toBeNull()
})
