import { expect, test } from 'vitest'
import { Turns } from './turns.ts'

test('a turn is due after some time of work, and again that long after it was given', async () => {
  let now = 1000
  const turns = new Turns(() => now)
  expect(turns.isDue).toBe(false)
  now += 10
  expect(turns.isDue).toBe(true)
  let others = 0
  setImmediate(() => others++)
  await turns.give()
  expect(others).toBe(1)
  expect(turns.isDue).toBe(false)
  now += 10
  expect(turns.isDue).toBe(true)
})
