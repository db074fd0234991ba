import { describe, expect, test } from 'vitest'
import { OpError, toWireError } from './errors.ts'

class Narrower extends OpError {}

describe('an operating error', () => {
  test('of another copy of this file is recognised', async () => {
    const copyPath = './errors.ts?copy' // the query makes it a module of its own
    const copy = (await import(copyPath)) as { OpError: typeof OpError }
    expect(copy.OpError).not.toBe(OpError)
    const foreign: unknown = new copy.OpError('session_not_found', 'no session "x"', { ref: 'x' })
    expect(foreign).toBeInstanceOf(OpError)
    expect(new OpError('usage', 'x')).toBeInstanceOf(copy.OpError)
    expect(toWireError(foreign)).toEqual({
      code: 'session_not_found',
      message: 'no session "x"',
      retryable: false,
      details: { ref: 'x' },
    })
  })

  test('is distinguished from other errors, and a subclass from its base', () => {
    expect(new Error('x')).not.toBeInstanceOf(OpError)
    expect({ code: 'usage', message: 'x', details: {} }).not.toBeInstanceOf(OpError)
    expect(null).not.toBeInstanceOf(OpError)
    expect(new OpError('usage', 'x')).not.toBeInstanceOf(Narrower)
    expect(new Narrower('usage', 'x')).toBeInstanceOf(Narrower)
    expect(new Narrower('usage', 'x')).toBeInstanceOf(OpError)
  })

  test('shows no brand where it is printed or serialized', () => {
    expect(Object.keys(new OpError('usage', 'x'))).toEqual(['code', 'details', 'name'])
    expect(Object.getOwnPropertySymbols(new OpError('usage', 'x'))).toEqual([])
  })
})
