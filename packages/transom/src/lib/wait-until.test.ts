import { describe, expect, test, vi } from 'vitest'
import { Changes } from './changes.ts'
import { waitUntil, type Verdict, type Wait } from './wait-until.ts'

const changes = new Changes()

/** A wait for `value()` to be true. */
function waitFor(value: () => boolean, more: Partial<Wait<string>> = {}): Promise<string> {
  return waitUntil<string>({
    subscribe: (onChange) => changes.subscribe(onChange),
    judge: () => (value() ? { done: 'held' } : { dueMs: null }),
    onTimeout: () => 'timed out',
    signal: new AbortController().signal,
    ...more,
  })
}

describe('a wait', () => {
  test('is over at once if the state holds already', async () => {
    expect(await waitFor(() => true)).toBe('held')
    expect(changes.observerCount).toBe(0)
  })

  test('judges at every change, also a state that lasts no longer than one', async () => {
    let value = 0
    const waiting = waitFor(() => value === 2)
    for (value = 1; value <= 3; value++) changes.announce()
    expect(await waiting).toBe('held')
    expect(changes.observerCount).toBe(0)
  })

  test('looks once if it has no time', async () => {
    const judge = vi.fn((): Verdict<string> => ({ dueMs: null }))
    expect(await waitFor(() => false, { judge, timeoutMs: 0 })).toBe('timed out')
    expect(judge).toHaveBeenCalledTimes(1)
  })

  test('looks again when a verdict asks for it, and says that nothing changed', async () => {
    const dues: boolean[] = []
    const judge = ({ due }: { due: boolean }): Verdict<string> => {
      dues.push(due)
      return dues.length === 2 ? { done: 'settled' } : { dueMs: 1 }
    }
    expect(await waitFor(() => false, { judge })).toBe('settled')
    expect(dues).toEqual([false, true])
  })

  test('looks again after a look that took its time if something changed meanwhile', async () => {
    let value = false
    let release = () => {}
    let looks = 0
    const judge = async (): Promise<Verdict<string>> => {
      const seen = value
      looks++
      if (looks === 1) await new Promise<void>((resolve) => (release = resolve))
      return seen ? { done: 'held' } : { dueMs: null }
    }
    const waiting = waitFor(() => false, { judge })
    value = true
    changes.announce()
    release()
    expect([await waiting, looks]).toEqual(['held', 2])
  })

  test('ends with the reason of an abort, of a judge that throws, and of a time-out that throws', async () => {
    const cancelled = new AbortController()
    const waiting = waitFor(() => false, { signal: cancelled.signal })
    cancelled.abort(new Error('cancelled'))
    await expect(waiting).rejects.toThrow('cancelled')
    const throwing = () => {
      throw new Error('judge')
    }
    await expect(waitFor(throwing)).rejects.toThrow('judge')
    const onTimeout = () => {
      throw new Error('late')
    }
    await expect(waitFor(() => false, { timeoutMs: 1, onTimeout })).rejects.toThrow('late')
    expect(changes.observerCount).toBe(0)
  })
})
