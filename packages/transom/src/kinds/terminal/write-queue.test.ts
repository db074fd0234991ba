import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { INPUT_QUEUE_BYTES_MAX, WriteQueue } from './write-queue.ts'

/** A pty whose program reads only when the test asks it to. */
class FakePty {
  room = 0
  readonly received: Buffer[] = []
  attempts = 0

  write(bytes: Uint8Array): number {
    this.attempts++
    if (this.room === 0) throw Object.assign(new Error('full'), { code: 'EAGAIN' })
    const taken = Math.min(this.room, bytes.length)
    this.received.push(Buffer.from(bytes.subarray(0, taken)))
    this.room -= taken
    return taken
  }
}

let pty: FakePty
let queue: WriteQueue

beforeEach(() => {
  vi.useFakeTimers()
  pty = new FakePty()
  queue = new WriteQueue((bytes) => pty.write(bytes))
})

afterEach(() => {
  queue.close()
  vi.useRealTimers()
})

test('what the pty takes in pieces arrives whole and in order', () => {
  queue.push(Buffer.from('hello '))
  queue.push(Buffer.from('world'))
  for (let turn = 0; turn < 11; turn++) {
    pty.room = 1
    vi.advanceTimersByTime(100)
  }
  expect(Buffer.concat(pty.received).toString()).toBe('hello world')
})

test('a program that does not read is asked ever more rarely, not spun on', () => {
  queue.push(Buffer.from('x'))
  vi.advanceTimersByTime(10_000)
  expect(pty.attempts).toBeLessThan(10_000 / 60)
})

test('a sign of life is answered at once', () => {
  queue.push(Buffer.from('x'))
  pty.room = 10
  queue.flush()
  expect(Buffer.concat(pty.received).toString()).toBe('x')
})

test('past the bound the error reports how much is waiting, and no input is taken', () => {
  queue.push(Buffer.alloc(INPUT_QUEUE_BYTES_MAX))
  expect(() => queue.assertRoom(1)).toThrowError(
    expect.objectContaining({
      code: 'input_queue_full',
      details: expect.objectContaining({ queued_bytes: INPUT_QUEUE_BYTES_MAX }),
    }),
  )
})
