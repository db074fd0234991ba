import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { EVENT_TYPE_NUMBERS, type ExitRecord } from '@transom/protocol'
import type { CanonicalText } from '@transom/grid'
import { BlockProjection } from '../blocks/block-projection.ts'
import { EchoTracker, cursorPlace } from '../kinds/terminal/echo.ts'
import { TerminalProjection } from '../kinds/terminal/terminal-projection.ts'
import { Changes } from '../lib/changes.ts'
import type { Frame } from '../terminal/emulator.ts'
import { VtEmulator } from '../terminal/vt/vt-emulator.ts'
import { unknownInput } from './needs-input.ts'
import { waitForConditions, type WaitRequest, type WaitSubject } from './waits.ts'

/** A session without a program: the test is the program and the clock. */
class FakeSession implements WaitSubject {
  readonly id = 'fake'
  readonly screen = new TerminalProjection(new VtEmulator(20, 5))
  readonly echo = new EchoTracker()
  readonly changes = new Changes()
  busy = false
  ended = false
  exit: ExitRecord | null = null
  failure: string | null = null
  networkIdleForMs: number | null = null
  lease: WaitSubject['lease'] = null
  lastOutputSeq = 0
  lastOutputMs = 0
  lastInputSeq = 0
  lastInputMs = 0
  input = unknownInput('a test')
  samples = 0
  readonly blocks = new BlockProjection({ session: 'fake', cwd: '/' })
  #seq = 0

  get recency() {
    return this
  }

  now(): number {
    return Date.now()
  }

  needsInput() {
    this.samples++
    return this.input
  }

  capability() {
    return { projection: this.blocks, shells: null }
  }

  echoes(seq: number, frame: Frame, canonical: CanonicalText) {
    return this.echo.echoes(seq, frame, canonical)
  }

  subscribe(observer: () => void) {
    return this.changes.subscribe(observer)
  }

  #apply(typeNumber: number, content: string): void {
    this.screen.apply({ seq: ++this.#seq, time: 0, typeNumber, payload: Buffer.from(content) })
  }

  prints(text: string): void {
    this.#apply(EVENT_TYPE_NUMBERS.output, text)
    this.lastOutputSeq = this.#seq
    this.lastOutputMs = this.now()
    this.changes.announce()
  }

  types(text: string): void {
    this.#apply(EVENT_TYPE_NUMBERS.input, '{}')
    const echoed = this.lastOutputSeq > this.lastInputSeq
    this.echo.typed(this.#seq, text, cursorPlace(this.screen.frame()), { echoed, byKernel: true })
    this.lastInputSeq = this.#seq
    this.lastInputMs = this.now()
    this.changes.announce()
  }

  resizes(cols: number, rows: number): void {
    this.#apply(EVENT_TYPE_NUMBERS.resize, JSON.stringify({ actor: 'test', cols, rows }))
    this.changes.announce()
  }

  exits(code: number): void {
    this.exit = { code, signal: null }
    this.ended = true
    this.changes.announce()
  }

  /** Starts a wait; `state` reports its outcome. */
  wait(request: Partial<WaitRequest>, signal = new AbortController().signal) {
    const state: { outcome: string } = { outcome: 'pending' }
    const result = waitForConditions(this, { timeout_ms: 10_000, settle_ms: 100, ...request }, signal)
    result.then(
      (value) => (state.outcome = value.outcome),
      (error: unknown) => (state.outcome = String(Reflect.get(error as object, 'code'))),
    )
    return { state, result }
  }
}

let session: FakeSession
const turn = () => vi.advanceTimersByTimeAsync(0)

beforeEach(() => {
  vi.useFakeTimers({ now: 0 })
  session = new FakeSession()
})

afterEach(() => vi.useRealTimers())

describe('a wait', () => {
  test('is true at once when it is true already', async () => {
    session.prints('ready')
    const { result } = session.wait({ text: 'ready' })
    await expect(result).resolves.toMatchObject({
      outcome: 'immediate',
      match: { row: 0, text: 'ready', line: 'ready' },
      snapshot: { seq: 1 },
    })
  })

  test('wakes when the text comes, also wrapped over two rows', async () => {
    const { state } = session.wait({ text: '0123456789abcdefghijKLM' })
    session.prints('0123456789abcdefghij')
    await turn()
    expect(state.outcome).toBe('pending')
    session.prints('KLM')
    await turn()
    expect(state.outcome).toBe('changed')
  })

  test('takes several texts and patterns, each a condition of its own', async () => {
    const all = session.wait({ text: ['a', 'b'], regex: ['a.*b'] })
    const any = session.wait({ text: ['nope', 'a'], any: true })
    session.prints('a')
    await turn()
    expect([all.state.outcome, any.state.outcome]).toEqual(['pending', 'changed'])
    await expect(any.result).resolves.toMatchObject({ condition: 'text "nope" or text "a"' })
    session.prints(' b')
    await turn()
    expect(all.state.outcome).toBe('changed')
  })

  test('needs all its conditions, or with `any` one', async () => {
    const all = session.wait({ text: 'a', cursor: { row: 1, col: 0 } })
    const any = session.wait({ text: 'a', cursor: { row: 1, col: 0 }, any: true })
    session.prints('a')
    await turn()
    expect([all.state.outcome, any.state.outcome]).toEqual(['pending', 'changed'])
    session.prints('\r\n')
    await turn()
    expect(all.state.outcome).toBe('changed')
  })

  test('for stability counts from the last change of the text, not of the colours', async () => {
    session.prints('x')
    const { state } = session.wait({ screen_stable_ms: 500 })
    await vi.advanceTimersByTimeAsync(400)
    session.prints('\x1b[31m\rx')
    await vi.advanceTimersByTimeAsync(90)
    expect(state.outcome).toBe('pending')
    await vi.advanceTimersByTimeAsync(20)
    expect(state.outcome).toBe('changed')
  })

  test('for idleness counts every output', async () => {
    session.prints('x')
    const { state } = session.wait({ idle_ms: 500 })
    await vi.advanceTimersByTimeAsync(400)
    session.prints('\x1b[m')
    await vi.advanceTimersByTimeAsync(400)
    expect(state.outcome).toBe('pending')
    await vi.advanceTimersByTimeAsync(101)
    expect(state.outcome).toBe('changed')
  })

  test('for idleness takes a session that is busy for quiet only after five seconds', async () => {
    session.prints('x')
    session.busy = true
    const { state } = session.wait({ idle_ms: 500 })
    await vi.advanceTimersByTimeAsync(4900)
    expect(state.outcome).toBe('pending')
    await vi.advanceTimersByTimeAsync(101)
    expect(state.outcome).toBe('changed')
  })

  test('for an idle network looks again when the last request has ended', async () => {
    const { state } = session.wait({ network_idle_ms: 50 })
    await vi.advanceTimersByTimeAsync(500)
    expect(state.outcome).toBe('pending')
    session.networkIdleForMs = 0
    session.changes.announce()
    await turn()
    expect(state.outcome).toBe('pending')
    session.networkIdleForMs = 50
    await vi.advanceTimersByTimeAsync(50)
    expect(state.outcome).toBe('changed')
  })

  test('fails at once if the session ends without a match, and accepts the end itself', async () => {
    const text = session.wait({ text: 'never' })
    const exit = session.wait({ exit: true })
    session.exits(3)
    await turn()
    expect([text.state.outcome, exit.state.outcome]).toEqual(['session_ended', 'changed'])
    await expect(text.result).rejects.toMatchObject({ details: { exit: { code: 3 } } })
  })

  test('that times out reports what it waited for and what it saw', async () => {
    session.prints('something else')
    const { result } = session.wait({ text: 'never', timeout_ms: 1000 })
    const failure = expect(result).rejects.toMatchObject({
      code: 'wait_timeout',
      details: {
        condition: 'text "never"',
        snapshot: { lines: [{ text: 'something else' }, {}, {}, {}, {}] },
      },
    })
    await vi.advanceTimersByTimeAsync(1000)
    await failure
  })

  test('with a timeout of 0 judges once', async () => {
    await expect(session.wait({ text: 'x', timeout_ms: 0 }).result).rejects.toMatchObject({
      code: 'wait_timeout',
    })
  })

  test('that is cancelled rejects with the reason and leaves no timer', async () => {
    const cancel = new AbortController()
    const { result } = session.wait({ idle_ms: 5000 }, cancel.signal)
    const failure = expect(result).rejects.toThrow('enough')
    cancel.abort(new Error('enough'))
    await failure
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a wait with a baseline', () => {
  test('is not satisfied by what was there before, until the session has settled', async () => {
    session.prints('ready')
    session.types('\r')
    const { state } = session.wait({ text: 'ready', after_input: true })
    await vi.advanceTimersByTimeAsync(99)
    expect(state.outcome).toBe('pending')
    await vi.advanceTimersByTimeAsync(2)
    expect(state.outcome).toBe('changed')
  })

  /** A wait past the last input, after its echo and a second without output. */
  async function waitAfter(text: string, printed: string) {
    session.types('make\r')
    session.prints(printed)
    const wait = session.wait({ text, after_input: true })
    await vi.advanceTimersByTimeAsync(1000)
    return wait
  }

  test('is not satisfied by an older answer that still stands or has only moved', async () => {
    session.prints('$ make\r\npassed\r\n$ ')
    const { state } = await waitAfter('passed', 'make\r\ncc a.c\r\ncc b.c\r\n')
    expect(state.outcome).toBe('pending')
    session.prints('passed\r\n')
    await turn()
    expect(state.outcome).toBe('changed')
  })

  test('is satisfied by the same text drawn again at the same place', async () => {
    session.prints('passed')
    const { state } = await waitAfter('passed', '\x1b[H\x1b[2Jpassed')
    expect(state.outcome).toBe('immediate')
  })

  test('is not satisfied by the prompt at which the text was typed, but by the next one', async () => {
    session.prints('$ ')
    const { state } = await waitAfter('$ ', 'make\r\n')
    expect(state.outcome).toBe('pending')
    session.prints('$ ')
    await turn()
    expect(state.outcome).toBe('changed')
  })

  test('takes what a full-screen program left alone for current once its output rests', async () => {
    session.prints('\x1b[?1049h\x1b[HTitle')
    session.types('j')
    session.prints('\x1b[3;1Hrow')
    const { state } = session.wait({ text: 'Title', after_input: true })
    await vi.advanceTimersByTimeAsync(99)
    expect(state.outcome).toBe('pending')
    await vi.advanceTimersByTimeAsync(2)
    expect(state.outcome).toBe('changed')
  })

  test('takes the present screen after output that draws nothing', async () => {
    session.prints('ready')
    const { state } = await waitAfter('ready', '\x07')
    expect(state.outcome).toBe('changed')
  })

  test('does not take lines for new that a resize has wrapped anew', async () => {
    session.prints('a line that passed, long before\r\n$ ')
    session.types('make\r')
    session.prints('make\r\n')
    session.resizes(12, 5)
    const { result } = session.wait({ text: 'passed', after_input: true, timeout_ms: 500 })
    const failure = expect(result).rejects.toThrow('was there before the baseline')
    await vi.advanceTimersByTimeAsync(1000)
    await failure
  })

  test('is not satisfied by the echo of what was typed', async () => {
    session.types('make\r')
    const { state } = session.wait({ text: 'make', after_input: true })
    session.prints('make\r\n')
    await vi.advanceTimersByTimeAsync(500)
    expect(state.outcome).toBe('pending')
    session.prints('make: done\r\n')
    await turn()
    expect(state.outcome).toBe('changed')
  })
})

describe('a wait for a program that needs input', () => {
  const waiting = { ...unknownInput('a test'), verdict: 'needs_input' as const, reason: 'read' as const }

  test('asks the kernel only when nothing has been printed or typed for a while', async () => {
    session.prints('Name: ')
    session.input = waiting
    const { state } = session.wait({ needs_input: true })
    await vi.advanceTimersByTimeAsync(40)
    session.types('x')
    await vi.advanceTimersByTimeAsync(40)
    expect(session.samples).toBe(0)
    await vi.advanceTimersByTimeAsync(15)
    expect(session.samples).toBe(1)
    expect(state.outcome).toBe('pending')
    await vi.advanceTimersByTimeAsync(10)
    expect(session.samples).toBe(2)
    expect(state.outcome).toBe('changed')
  })

  test('asks again at growing intervals while the program is busy, and not at all without a wait', async () => {
    const { result } = session.wait({ needs_input: true, timeout_ms: 10_000 })
    await vi.advanceTimersByTimeAsync(5000)
    expect(session.samples).toBeLessThan(12)
    session.input = waiting
    await vi.advanceTimersByTimeAsync(1000)
    await expect(result).resolves.toMatchObject({ needs_input: { reason: 'read' } })
    const { samples } = session
    await vi.advanceTimersByTimeAsync(5000)
    expect(session.samples).toBe(samples)
  })

  test('reports at its timeout what the program did instead', async () => {
    const { result } = session.wait({ needs_input: true, timeout_ms: 100 })
    const failure = expect(result).rejects.toMatchObject({ details: { needs_input: { verdict: 'unknown' } } })
    await vi.advanceTimersByTimeAsync(200)
    await failure
  })
})
