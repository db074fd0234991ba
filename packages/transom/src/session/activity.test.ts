import type { LeaseState, NeedsInput, PageView } from '@transom/protocol'
import { expect, test } from 'vitest'
import { ActivityJudge, type ActiveSession, type SessionLook } from './activity.ts'
import { unknownInput } from './needs-input.ts'

/** A session without a program: the test is the program, the kernel and the clock. */
function setUp(change: Partial<SessionLook> = {}) {
  const state = {
    nowMs: 100_000,
    samples: 0,
    input: { ...unknownInput('a test'), verdict: 'busy' } as NeedsInput,
    lastOutputMs: 100_000,
    lastInputMs: 90_000,
  }
  const look: SessionLook = {
    ended: false,
    endedMs: null,
    holder: null,
    busy: false,
    page: null,
    shellAtPrompt: false,
    runningSinceMs: null,
    canNeedInput: true,
    ...change,
  }
  const session: ActiveSession = {
    look: () => look,
    recency: state,
    now: () => state.nowMs,
    needsInput: () => {
      state.samples++
      return state.input
    },
  }
  const judge = new ActivityJudge(session)
  /** Looks, and looks again whenever that is due, for so long. */
  const settle = (ms = 0) => {
    const endMs = state.nowMs + ms
    let verdict = judge.judge()
    while (verdict.dueMs !== null && state.nowMs + verdict.dueMs <= endMs) {
      state.nowMs += Math.ceil(verdict.dueMs)
      verdict = judge.judge()
    }
    state.nowMs = Math.max(state.nowMs, endMs)
    return verdict.activity
  }
  return { state, judge, settle }
}

const asks = (reason: NeedsInput['reason'], prompt: string): NeedsInput => ({
  ...unknownInput('a test'),
  verdict: 'needs_input',
  reason,
  prompt,
})

const PERSON: LeaseState['holder'] = { actor: 'ann', note: null, role: 'person', since: 5, keep_ms: 1000 }
const PAGE: PageView = {
  url: 'https://example.org/',
  title: '',
  loading: false,
  can_go_back: false,
  can_go_forward: false,
  dialog: null,
}

test('a program that prints is working, and is not sampled', () => {
  const { state, judge } = setUp()
  expect(judge.judge()).toMatchObject({ activity: { state: 'working', since: 90_000 }, unsure: false })
  expect(state.samples).toBe(0)
})

test('a quiet program that waits for input is seen by two looks', () => {
  const { state, judge, settle } = setUp()
  state.input = asks('password', 'Password: ')
  state.nowMs += 60
  expect(judge.judge()).toMatchObject({ activity: { state: 'working' }, unsure: true })
  expect(settle(20)).toMatchObject({ state: 'needs_input', reason: 'password', prompt: 'Password: ' })
  expect(state.samples).toBe(2)
})

test('a quiet program that works is looked at less and less often', () => {
  const { state, settle } = setUp()
  expect(settle(60_000).state).toBe('working')
  expect(state.samples).toBeLessThan(70)
})

test('a shell at its prompt is idle, by its marks or by the kernel', () => {
  const marked = setUp({ shellAtPrompt: true })
  expect(marked.settle(1000).state).toBe('idle')
  expect(marked.state.samples).toBe(0)
  const seen = setUp()
  seen.state.input = asks('shell_prompt', '$ ')
  expect(seen.settle(100).state).toBe('idle')
})

test('a program of which nothing is seen is working for a while, and idle after it', () => {
  const { state, settle } = setUp()
  state.input = unknownInput('hidden')
  expect(settle(5_000).state).toBe('working')
  expect(settle(6_000).state).toBe('idle')
})

test('a command that runs has begun when its block did', () => {
  const { settle } = setUp({ runningSinceMs: 77 })
  expect(settle()).toMatchObject({ state: 'working', since: 77 })
})

test('a page works while it loads and paints, waits while it has a dialog open, and is idle otherwise', () => {
  expect(setUp({ canNeedInput: false, page: PAGE, busy: true }).settle(9_000).state).toBe('working')
  const painted = setUp({ canNeedInput: false, page: PAGE })
  expect(painted.settle(500).state).toBe('working')
  expect(painted.settle(600).state).toBe('idle')
  const dialog = { type: 'confirm', message: 'Delete all?', default_prompt: '' } as const
  const asked = setUp({ canNeedInput: false, page: { ...PAGE, dialog } })
  expect(asked.settle()).toMatchObject({ state: 'needs_input', reason: 'dialog', prompt: 'Delete all?' })
})

test('a person who holds it comes before what it waits for, and the end before everything', () => {
  const { state, settle } = setUp({ holder: PERSON })
  state.input = asks('confirm', 'Go on? [y/n]')
  expect(settle(1000)).toMatchObject({ state: 'held', since: 5 })
  expect(state.samples).toBe(0)
  expect(setUp({ holder: PERSON, ended: true, endedMs: 9 }).settle()).toMatchObject({
    state: 'ended',
    since: 9,
  })
  expect(setUp({ holder: { ...PERSON, role: 'agent' } }).settle().state).toBe('working')
})
