import { expect, test } from 'vitest'
import { PauseReasons, type PauseReason } from './pause-reasons.ts'

test('a source resumes when the last reason is removed, in any order', () => {
  const seen: PauseReason[][] = []
  const reasons = new PauseReasons((now) => seen.push([...now]))
  reasons.set('quota', true)
  reasons.set('disk', true)
  expect(reasons.shown).toBe('disk')
  reasons.set('disk', false)
  reasons.set('disk', false)
  expect(reasons.shown).toBe('quota')
  reasons.set('quota', false)
  expect([reasons.shown, seen]).toEqual([null, [['quota'], ['quota', 'disk'], ['quota'], []]])
})
