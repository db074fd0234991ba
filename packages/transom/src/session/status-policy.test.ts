import { expect, test } from 'vitest'
import { sessionStatus } from '@transom/protocol'
import { policyOf } from './status-policy.ts'

test('every status is as the glossary says', () => {
  const table = Object.fromEntries(
    sessionStatus.options.map((status) => {
      const policy = Object.entries(policyOf(status))
      return [status, policy.filter(([, holds]) => holds).map(([name]) => name)]
    }),
  )
  const ended = ['terminal', 'offlineReplayEligible', 'collectable']
  expect(table).toEqual({
    starting: ['active', 'liveHostEligible'],
    running: ['active', 'liveHostEligible', 'commandable'],
    exiting: ['active', 'liveHostEligible'],
    destroying: ['active', 'offlineReplayEligible'],
    exited: ended,
    failed: ended,
    destroyed: ended,
  })
})

test('a session is either active or terminal, and asked live or replayed', () => {
  for (const status of sessionStatus.options) {
    const policy = policyOf(status)
    expect(policy.active).not.toBe(policy.terminal)
    expect(policy.liveHostEligible).not.toBe(policy.offlineReplayEligible)
    if (policy.collectable) expect(policy.terminal).toBe(true)
    if (policy.commandable) expect(policy.liveHostEligible).toBe(true)
  }
})
