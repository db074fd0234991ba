import { describe, expect, test } from 'vitest'
import { Scope } from './scope.ts'

function scopeWithFailures(): { scope: Scope; failures: unknown[] } {
  const failures: unknown[] = []
  return { scope: new Scope((error) => failures.push(error)), failures }
}

describe('a scope', () => {
  test('hands the failure of a task to its owner', async () => {
    const { scope, failures } = scopeWithFailures()
    scope.run(async () => Promise.reject(new Error('task')))
    await scope.close()
    expect(failures).toEqual([])
    const other = scopeWithFailures()
    other.scope.run(async () => Promise.reject(new Error('task')))
    await new Promise(setImmediate)
    expect(other.failures).toEqual([new Error('task')])
  })

  test('hands what a guarded callback throws to its owner, and goes on', () => {
    const { scope, failures } = scopeWithFailures()
    const seen: number[] = []
    const callback = scope.guard((value: number) => {
      seen.push(value)
      if (value === 1) throw new Error('callback')
    })
    callback(1)
    callback(2)
    expect([seen, failures]).toEqual([[1, 2], [new Error('callback')]])
  })

  test('closes when its tasks have ended, and starts none afterwards', async () => {
    const { scope } = scopeWithFailures()
    const order: string[] = []
    scope.run(async () => {
      await new Promise(setImmediate)
      order.push('task')
    })
    await scope.close().then(() => order.push('closed'))
    scope.run(async () => void order.push('late'))
    scope.guard(() => order.push('late callback'))()
    scope.timeout(0, () => order.push('late timer'))
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(order).toEqual(['task', 'closed'])
  })

  test('clears its timers at the close', async () => {
    const { scope, failures } = scopeWithFailures()
    const called: string[] = []
    scope.timeout(1, () => called.push('timer'))
    await scope.close()
    await new Promise((resolve) => setTimeout(resolve, 10))
    expect([called, failures]).toEqual([[], []])
  })

  test('signals its tasks when it closes', async () => {
    const { scope, failures } = scopeWithFailures()
    scope.run(
      async () =>
        new Promise((_, reject) =>
          scope.signal.addEventListener('abort', () => reject(scope.signal.reason as Error)),
        ),
    )
    await scope.close()
    expect(failures).toEqual([])
  })
})
