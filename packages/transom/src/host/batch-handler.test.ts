import { expect, test } from 'vitest'
import type { Snapshot } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { runBatch } from './batch-handler.ts'
import type { Handlers, RequestContext } from './dispatch.ts'

const context = {
  signal: new AbortController().signal,
  progress: () => {},
} as unknown as RequestContext // no more of it is used
const snapshot = { session: 's1', seq: 9, screen_hash: 'h' } as Snapshot
const batch = { session: 's1', keepGoing: false, actor: undefined, lease: undefined }

/** A host whose waits and commands take longer than they are given. Notes what its waits were given. */
function slowHost() {
  const waits: { timeout_ms: number; after_seq?: number }[] = []
  const handlers = {
    'session.type': () => ({ seq: 5 }),
    'session.snapshot': () => snapshot,
    'session.wait': (given: (typeof waits)[number]) => {
      waits.push(given)
      throw new OpError('wait_timeout', 'it did not come true', { snapshot })
    },
    'session.run': () => {
      throw new OpError('block_running', 'it runs on', { block: { seq: 3 } })
    },
  } as unknown as Handlers
  return { waits, operations: { handlers, findTarget: async () => ({}) as never } }
}

const type = { step: 'type', text: 'x' }
const wait = { step: 'wait', text: 'done', timeout_ms: 60_000 }

test('a batch that is out of time stops at the wait, and reports the baseline that it had', async () => {
  const { waits, operations } = slowHost()
  const result = await runBatch(operations, { ...batch, timeoutMs: 50_000 }, [type, wait, type], context)
  expect(result).toMatchObject({
    steps: [{ number: 1, ok: true }],
    stopped: { number: 2, after_seq: 5, block: null },
  })
  expect(waits).toMatchObject([{ after_seq: 5 }])
  expect(waits[0]?.timeout_ms).toBeLessThanOrEqual(50_000)
})

test('a batch that is out of time in a command reports the block that runs on', async () => {
  const { operations } = slowHost()
  const steps = [{ step: 'run', command: ['make'] }, wait]
  const result = await runBatch(operations, { ...batch, timeoutMs: 50_000 }, steps, context)
  expect(result).toMatchObject({ steps: [], stopped: { number: 1, after_seq: null, block: 3 } })
})

test('a step that is not begun in time is left', async () => {
  const { operations } = slowHost()
  const result = await runBatch(operations, { ...batch, timeoutMs: 0 }, [type], context)
  expect(result).toMatchObject({ steps: [], stopped: { number: 1 } })
})

test.each([undefined, 50_000])(
  'a wait that had all of its time fails the batch (limit %s)',
  async (timeoutMs) => {
    const { operations } = slowHost()
    const call = runBatch(operations, { ...batch, timeoutMs }, [{ ...wait, timeout_ms: 10 }], context)
    await expect(call).rejects.toMatchObject({ code: 'batch_failed' })
  },
)
