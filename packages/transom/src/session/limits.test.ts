import { expect, test } from 'vitest'
import { LimitWatch, type LimitedSession } from './limits.ts'
import type { Quota } from './quota.ts'

/** A session whose log has a size that is set, and how the limits treat it. */
function limited(quota: Partial<Quota> = {}) {
  const seen = { bytes: 0, usage: 1000, over: false, ended: '' }
  const session: LimitedSession = {
    logBytes: () => seen.bytes,
    idleMs: () => 0,
    setOverQuota: (over) => (seen.over = over),
    end: (because) => (seen.ended = because),
    timeout: () => () => {},
  }
  const usage = {
    get bytes() {
      return seen.usage
    },
    add: (bytes: number) => (seen.usage += bytes),
  }
  const limits = { sessionBytes: 100, homeBytes: 2000, policy: 'pause' as const, ...quota }
  return { seen, watch: new LimitWatch(session, { quota: limits, idleTimeoutMs: null }, usage) }
}

test('a session over its quota resumes when its log has become smaller', () => {
  const { seen, watch } = limited()
  seen.bytes = 101
  watch.check()
  expect([seen.over, seen.usage]).toEqual([true, 1101])
  seen.bytes = 40
  watch.check()
  expect([seen.over, seen.usage]).toEqual([false, 1040])
})

test('the Home counts stored bytes, after compression', () => {
  const { seen, watch } = limited({ sessionBytes: 10_000 })
  seen.bytes = 1500
  watch.check()
  expect([seen.over, seen.usage]).toEqual([true, 2500])
  seen.bytes = 200
  watch.setQuota({})
  expect([seen.over, seen.usage]).toEqual([false, 1200])
})

test('a policy of no pause ends the session, or does nothing', () => {
  for (const [policy, ended] of [
    ['end', 'quota'],
    ['drop_nothing', ''],
  ] as const) {
    const { seen, watch } = limited({ policy })
    seen.bytes = 101
    watch.check()
    expect([seen.over, seen.ended]).toEqual([false, ended])
  }
})
