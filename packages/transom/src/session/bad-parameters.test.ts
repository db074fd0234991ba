import { expect, test } from 'vitest'
import { z } from 'zod'
import { OPERATIONS } from '@transom/protocol'
import { problemsOf } from './bad-parameters.ts'

const schema = z.strictObject({
  cols: z.int().min(2).max(1000).optional(),
  name: z.string().min(1).max(3).optional(),
  keys: z.array(z.string()).min(1).max(2).optional(),
  to: z.enum(['foreground', 'leader']).optional(),
  session: z.string(),
})

test.each([
  [{ session: 's', cols: 1 }, '`cols` must be at least 2 (got 1)'],
  [{ session: 's', cols: 5000 }, '`cols` must be at most 1000 (got 5000)'],
  [{ session: 's', cols: 2.5 }, '`cols` must be a whole number (got 2.5)'],
  [{ session: 's', cols: 'wide' }, '`cols` must be a number (got "wide")'],
  [{ session: 's', name: '' }, '`name` must not be empty (got "")'],
  [{ session: 's', name: 'long' }, '`name` must have at most 3 characters (got "long")'],
  [{ session: 's', keys: [] }, '`keys` must have at least 1 entry (got [])'],
  [{ session: 's', keys: ['a', 5] }, '`keys` at 2 must be a text (got 5)'],
  [{ session: 's', to: 'all' }, '`to` must be one of foreground, leader (got "all")'],
  [{ session: 's', colour: 1 }, 'there is no parameter `colour`'],
  [{}, '`session` is missing'],
  [['s'], 'the parameters must be an object'],
])('%j: %s', (params, problem) => {
  expect(problemsOf(schema.safeParse(params).error?.issues ?? [], params)).toEqual([problem])
})

test.each(['INT', 'int', 'SIGINT', 'sigInt', '2'])('the signal %s is INT', (signal) => {
  expect(OPERATIONS['session.signal'].params.parse({ session: 's', signal })).toMatchObject({ signal: 'INT' })
})

test.each(['99', 'SIG', 'SIGSIGINT', ''])('the signal %j is refused', (signal) => {
  expect(OPERATIONS['session.signal'].params.safeParse({ session: 's', signal }).success).toBe(false)
})
