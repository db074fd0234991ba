import { describe, expect, test } from 'vitest'
import { hasEnded, manifestFields, nextLifecycle, type Lifecycle, type LifecycleEvent } from './lifecycle.ts'

const AT = '2026-01-01T00:00:00.000Z'
const LATER = '2026-01-01T00:00:01.000Z'
const STARTED: LifecycleEvent = { type: 'started', pid: 7 }
const EXITED: LifecycleEvent = { type: 'exited', record: { code: 3, signal: null }, at: AT }
const DESTROY: LifecycleEvent = { type: 'destroy', because: 'quota' }
const DESTROYED: LifecycleEvent = { type: 'destroyed', failure: null, at: LATER }
const FAILED: LifecycleEvent = { type: 'failed', cause: 'session_error', failure: 'a bug', at: LATER }

function after(...events: LifecycleEvent[]): Lifecycle {
  return events.reduce(nextLifecycle, { status: 'starting' })
}

describe('the life of a session', () => {
  test('goes from its start over its exit to its end', () => {
    expect(manifestFields(after(STARTED))).toMatchObject({ status: 'running', pid: 7, ended_by: null })
    expect(after(STARTED, { type: 'exiting' })).toMatchObject({ status: 'exiting', pid: 7 })
    expect(manifestFields(after(STARTED, { type: 'exiting' }, EXITED))).toEqual({
      status: 'exited',
      pid: null,
      exit: { code: 3, signal: null },
      failure: null,
      ended_by: 'exit',
      ended_at: AT,
    })
  })

  test('has ended for its program once that has exited, also while the rest is being ended', () => {
    const destroying = after(STARTED, DESTROY)
    expect(hasEnded(destroying)).toBe(false)
    const exited = nextLifecycle(destroying, EXITED)
    expect([exited.status, hasEnded(exited)]).toEqual(['destroying', true])
    expect(manifestFields(nextLifecycle(exited, DESTROYED))).toMatchObject({
      status: 'destroyed',
      ended_by: 'quota',
      ended_at: AT,
      exit: { code: 3, signal: null },
    })
  })

  test('keeps its first end: what comes after it changes nothing', () => {
    const ends = [after(STARTED, EXITED), after(STARTED, DESTROY, DESTROYED), after(STARTED, FAILED)]
    for (const end of ends)
      for (const late of [STARTED, EXITED, DESTROY, DESTROYED, { type: 'exiting' } as const])
        expect(nextLifecycle(end, late)).toBe(end)
  })

  test('may fail at any time, also when its end could not be written', () => {
    expect(manifestFields(after(FAILED))).toMatchObject({ status: 'failed', failure: 'a bug', pid: null })
    expect(manifestFields(after(STARTED, EXITED, FAILED))).toMatchObject({
      status: 'failed',
      exit: { code: 3, signal: null },
      ended_by: 'session_error',
    })
  })

  test('takes another process for a browser that was started again', () => {
    expect(after(STARTED, { type: 'started', pid: 8 })).toEqual({ status: 'running', pid: 8 })
  })
})
