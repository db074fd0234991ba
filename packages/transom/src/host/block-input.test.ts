import { expect, test } from 'vitest'
import type { NeedsInput } from '@transom/protocol'
import { blockInput, type BlockSession } from './block-input.ts'

const EVIDENCE = { program: 'bash', pid: 7, waits_in: 'pselect6', fd: 0, echo: false, canonical: false }

class FakeSession implements BlockSession {
  readonly recency = { lastOutputMs: 0, lastInputMs: 0 }
  nowMs = 1000
  inFront = true

  now(): number {
    return this.nowMs
  }

  shellIsInFront(): boolean {
    return this.inFront
  }

  needsInput(): NeedsInput {
    const evidence = { ...EVIDENCE, quiet_ms: 1000, note: '' }
    return { verdict: 'needs_input', reason: 'shell_prompt', prompt: 'Name: ', evidence }
  }
}

/** Samples again after each delay that it is given; returns the verdict and how long that took. */
function answerOf(session: FakeSession): { found: NeedsInput; afterMs: number } {
  const ask = blockInput(session)
  const startMs = session.nowMs
  for (;;) {
    const found = ask()
    if (typeof found !== 'number') return { found, afterMs: session.nowMs - startMs }
    session.nowMs += found
  }
}

test('a shell that edits a line is at its prompt, unless no end mark comes', () => {
  const { found, afterMs } = answerOf(new FakeSession())
  expect(found).toMatchObject({ verdict: 'needs_input', reason: 'read', prompt: 'Name: ' })
  expect(found.evidence.note).toBe('bash edits a line that the command reads')
  expect(afterMs).toBeGreaterThanOrEqual(500)
  expect(afterMs).toBeLessThan(2000)
})

test('a shell that the command started shows a prompt of its own', () => {
  const session = new FakeSession()
  session.inFront = false
  const { found, afterMs } = answerOf(session)
  expect([found.reason, afterMs]).toEqual(['shell_prompt', 10])
})
