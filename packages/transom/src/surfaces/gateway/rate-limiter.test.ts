import { expect, test } from 'vitest'
import { RateLimiter } from './rate-limiter.ts'

test('a caller has twice its rate at once, then its rate, and others are not concerned', () => {
  let now = 0
  const limiter = new RateLimiter(10, () => now)
  const allowed = (caller: string, tries: number) => {
    let count = 0
    for (let i = 0; i < tries; i++) {
      try {
        limiter.take(caller, 'requests')
        count++
      } catch (error) {
        expect(error).toMatchObject({ code: 'rate_limited', details: { retry_after_ms: expect.any(Number) } })
      }
    }
    return count
  }
  expect(allowed('a', 100)).toBe(20)
  expect(allowed('b', 5)).toBe(5)
  now += 1000
  expect(allowed('a', 100)).toBe(10)
  now += 60_000
  expect(allowed('a', 100)).toBe(20)
})
