import fc from 'fast-check'
import type { Fact, WriteRight } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { describe, expect, test } from 'vitest'
import { Lease, type LeaseRequest } from './lease.ts'

/** A session that is nothing but its lease: the test is the clock, and applies the inputs. */
function setUp(policy: ConstructorParameters<typeof Lease>[1] = 'open') {
  const facts: Fact<'lease'>[] = []
  const timers: { atMs: number; run: () => void }[] = []
  const state = { nowMs: 1_000_000, queued: 0 }
  const lease = new Lease(
    {
      id: 's',
      now: () => state.nowMs,
      commit: (fact) => void facts.push(fact),
      append: (fact) => void facts.push(fact),
      announce: () => {},
      queuedBytes: () => state.queued,
      dropQueued: () => (state.queued = 0),
      timeout: (ms, run) => {
        const timer = { atMs: state.nowMs + ms, run }
        timers.push(timer)
        return () => void timers.splice(timers.indexOf(timer), timers.includes(timer) ? 1 : 0)
      },
    },
    policy,
  )
  const pass = (ms: number) => {
    state.nowMs += ms
    for (const timer of timers.filter(({ atMs }) => atMs <= state.nowMs)) {
      timers.splice(timers.indexOf(timer), 1)
      timer.run()
    }
  }
  return { lease, facts, state, pass }
}

const request = (change: Partial<LeaseRequest> = {}): LeaseRequest => ({
  actor: { actor: 'ann' },
  role: 'agent',
  note: null,
  keepMs: 60_000,
  takeover: false,
  connected: false,
  handle: null,
  ...change,
})

function codeOf(run: () => unknown): string | null {
  try {
    run()
    return null
  } catch (error) {
    if (error instanceof OpError) return error.code
    throw error
  }
}

describe('a lease', () => {
  test('is not needed where no caller has taken it', () => {
    const { lease } = setUp()
    expect(codeOf(() => lease.assert(lease.admit(null)))).toBeNull()
  })

  test('keeps every other caller from writing, with who holds it and what to do', () => {
    const { lease } = setUp()
    const handle = lease.take(request({ note: 'logging in', role: 'person' }))
    expect(codeOf(() => lease.admit(handle))).toBeNull()
    expect(() => lease.admit(null)).toThrow(/held by ann \(person\) since/)
    expect(codeOf(() => lease.admit('guess'))).toBe('held')
    expect(lease.state.holder).toMatchObject({ actor: 'ann', role: 'person', note: 'logging in' })
  })

  test('is not taken from its holder, unless that is asked for', () => {
    const { lease } = setUp()
    const first = lease.take(request())
    expect(codeOf(() => lease.take(request()))).toBe('held')
    expect(lease.take(request({ handle: first }))).toBe(first)
    const second = lease.take(request({ takeover: true }))
    expect(codeOf(() => lease.admit(first))).toBe('held')
    expect(codeOf(() => lease.admit(second))).toBeNull()
  })

  test('goes to a person before an agent, where people come first', () => {
    const { lease } = setUp('people_first')
    lease.take(request({ role: 'agent' }))
    lease.take(request({ role: 'person' }))
    expect(codeOf(() => lease.take(request({ role: 'person' })))).toBe('held')
    expect(codeOf(() => lease.take(request({ role: 'agent' })))).toBe('held')
  })

  test('is needed for every input where the policy says so', () => {
    const { lease } = setUp('lease_required')
    expect(codeOf(() => lease.admit(null))).toBe('lease_required')
    expect(codeOf(() => lease.admit(lease.take(request())))).toBeNull()
  })

  test('refuses an input that was admitted before the session changed hands, also when it is free again', () => {
    const { lease } = setUp()
    const queued = lease.admit(null)
    const handle = lease.take(request())
    expect(codeOf(() => lease.assert(queued))).toBe('held')
    lease.give(handle, { actor: 'ann' }, null)
    expect(codeOf(() => lease.assert(queued))).toBe('lease_changed')
    expect(codeOf(() => lease.admit(handle))).toBe('lease_changed')
    expect(codeOf(() => lease.give(handle, { actor: 'ann' }, null))).toBe('lease_changed')
  })

  test('drops what had not reached the program, and records how much', () => {
    const { lease, facts, state } = setUp()
    state.queued = 500
    lease.take(request())
    expect(state.queued).toBe(0)
    expect(facts).toMatchObject([{ change: 'taken', epoch: 1, dropped_bytes: 500 }])
  })

  test('ends when its holder has not used it for the time that was stated, and not before', () => {
    const { lease, facts, pass } = setUp()
    const handle = lease.take(request({ keepMs: 10_000 }))
    pass(9_000)
    lease.admit(handle)
    pass(9_000)
    expect(lease.state.holder).not.toBeNull()
    pass(1_000)
    expect(lease.state.holder).toBeNull()
    expect(facts.map(({ change }) => change)).toEqual(['taken', 'expired'])
  })

  test('does not end while its holder is connected, and is kept for a while afterwards', () => {
    const { lease, pass } = setUp()
    const handle = lease.take(request({ keepMs: 10_000, connected: true }))
    pass(60_000)
    expect(lease.state.holder).not.toBeNull()
    lease.left(handle)
    pass(9_000)
    expect(lease.state.holder).not.toBeNull()
    pass(1_000)
    expect(lease.state.holder).toBeNull()
  })

  test('shows who asks for it until it changes hands', () => {
    const { lease } = setUp()
    const handle = lease.take(request())
    lease.request({ actor: 'bob' }, 'please')
    expect(lease.state.requests).toMatchObject([{ actor: 'bob', note: 'please' }])
    lease.give(handle, { actor: 'ann' }, null)
    expect(lease.state.requests).toEqual([])
  })
})

test('in any order of takes, gives, expiries and queued inputs there is one writer, in its own epoch', () => {
  const who = fc.constantFrom(0, 1, 2)
  const step = fc.oneof(
    fc.record({ is: fc.constant('take' as const), who, takeover: fc.boolean() }),
    fc.record({ is: fc.constant('give' as const), who }),
    fc.record({ is: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 40_000 }) }),
    fc.record({ is: fc.constant('admit' as const), who }),
    fc.record({ is: fc.constant('apply' as const), nth: fc.nat(20) }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const { lease, facts, pass } = setUp()
      const handles: (string | null)[] = [null, null, null]
      const queue: { who: number; right: WriteRight }[] = []
      for (const at of steps) {
        if (at.is === 'take')
          codeOf(() => {
            handles[at.who] = lease.take(request({ actor: { actor: `${at.who}` }, takeover: at.takeover }))
          })
        else if (at.is === 'give') {
          const handle = handles[at.who] ?? null
          if (handle !== null) codeOf(() => lease.give(handle, { actor: `${at.who}` }, null))
          handles[at.who] = null
        } else if (at.is === 'pass') pass(at.ms)
        else if (at.is === 'admit')
          codeOf(() => queue.push({ who: at.who, right: lease.admit(handles[at.who] ?? null) }))
        else {
          const [input] = queue.splice(at.nth % Math.max(1, queue.length), 1)
          if (input === undefined || codeOf(() => lease.assert(input.right)) !== null) continue
          const { holder, epoch } = lease.state
          // What is applied is the holder's, or of the epoch in which everyone may write.
          if (holder === null) expect(input.right).toMatchObject({ handle: null, epoch })
          else expect(holder.actor).toBe(`${input.who}`)
        }
      }
      const epochs = facts.map(({ epoch }) => epoch)
      expect(epochs).toEqual(epochs.map((_, index) => index + 1))
    }),
    { numRuns: 1000 },
  )
})
