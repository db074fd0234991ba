import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { OpError } from '@transom/protocol/errors'
import { DiskWrites } from './disk-writes.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

/** A disk that can be full, and what was done about it. */
function setUp() {
  const done: string[] = []
  const disk = { full: false }
  const failures: unknown[] = []
  const writes = new DiskWrites(
    (stalled) => done.push(stalled ? 'stalled' : 'goes on'),
    (error) => failures.push(error),
  )
  const write = (name: string) => () => {
    if (disk.full) throw new OpError('disk_full', 'no space')
    done.push(name)
  }
  return { writes, write, disk, done, failures }
}

describe('writes to a disk', () => {
  test('are made at once, and then followed up', () => {
    const { writes, write, done } = setUp()
    writes.write(write('one'), () => done.push('then one'))
    writes.after(() => done.push('after'))
    expect(done).toEqual(['one', 'then one', 'after'])
  })

  test('wait in order while the disk is full, and are all made when it is not', () => {
    const { writes, write, disk, done } = setUp()
    disk.full = true
    writes.write(write('one'), () => done.push('then one'))
    writes.after(() => done.push('after one'))
    writes.write(write('two'))
    vi.advanceTimersByTime(1000)
    expect([done, writes.stalled]).toEqual([['stalled'], true])
    disk.full = false
    vi.advanceTimersByTime(250)
    expect(done).toEqual(['stalled', 'one', 'then one', 'after one', 'two', 'goes on'])
    expect(writes.stalled).toBe(false)
  })

  test('that a step makes come before those that waited after it', () => {
    const { writes, write, disk, done } = setUp()
    disk.full = true
    writes.write(write('one'), () => {
      writes.write(write('made by one'))
      writes.write(write('made by one, too'))
    })
    writes.write(write('two'))
    disk.full = false
    vi.advanceTimersByTime(250)
    expect(done).toEqual(['stalled', 'one', 'made by one', 'made by one, too', 'two', 'goes on'])
  })

  test('an operating error of what follows a write is no full disk', () => {
    const { writes, write, done } = setUp()
    const ended = () => {
      throw new OpError('session_ended', 'it has ended')
    }
    expect(() => writes.write(write('one'), ended)).toThrow('it has ended')
    expect([writes.stalled, done]).toEqual([false, ['one']])
  })

  test('an error after a delayed write reaches the owner', () => {
    const { writes, write, disk, failures } = setUp()
    disk.full = true
    writes.write(write('one'), () => {
      throw new Error('a bug')
    })
    disk.full = false
    vi.advanceTimersByTime(250)
    expect(failures).toEqual([new Error('a bug')])
  })

  test('an error thrown by the stall listener reaches the owner', () => {
    const disk = { full: true }
    const failures: unknown[] = []
    const onStall = (stalled: boolean) => {
      if (!stalled) throw new Error('a bug')
    }
    const writes = new DiskWrites(onStall, (error) => failures.push(error))
    writes.write(() => {
      if (disk.full) throw new OpError('disk_full', 'no space')
    })
    disk.full = false
    vi.advanceTimersByTime(250)
    expect([failures, writes.stalled]).toEqual([[new Error('a bug')], false])
  })

  test('are given up at the close, and none is made after it', () => {
    const { writes, write, disk, done } = setUp()
    disk.full = true
    writes.write(write('one'))
    writes.close()
    disk.full = false
    vi.advanceTimersByTime(1000)
    writes.write(write('two'))
    writes.after(() => done.push('after'))
    expect(done).toEqual(['stalled'])
  })
})
