import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Snapshot, SubscriptionMessage } from '@transom/protocol'
import { Watcher, parseCondition, type WatchEvent } from './watcher.ts'

type Update = Extract<SubscriptionMessage, { type: 'screen' | 'rows' }>
type Line = Snapshot['lines'][number]

const line = (text: string, wrapped = false): Line => ({
  text,
  wrapped,
  cells: text === '' ? [] : [{ col: 0, width: text.length, text }],
})

/** A screen of ten columns. */
function dump(lines: Line[], bells = 0): Update {
  const snapshot = { session: 'id', seq: 1, cols: 10, rows: lines.length, lines, bells } as Snapshot // what is read
  return { subscription: 1, type: 'screen', snapshot }
}

function rows(changed: Record<number, Line>, bells = 0): Update {
  const entries = Object.entries(changed).map(([row, content]) => ({ row: Number(row), line: content }))
  const cursor = { row: 0, col: 0, visible: true, shape: 'block', blink: false } as const
  return { subscription: 1, type: 'rows', seq: 2, rows: entries, cursor, title: '', bells, screen_hash: '' }
}

let events: WatchEvent[]

function watcher(...on: string[]): Watcher {
  return new Watcher({
    conditions: on.map(parseCondition),
    idleMs: 1000,
    emit: (event) => events.push(event),
  })
}

const told = () => events.splice(0).map(({ event, text }) => `${event} ${text}`)

beforeEach(() => {
  events = []
  vi.useFakeTimers()
})

afterEach(() => {
  vi.useRealTimers()
})

describe('a text', () => {
  test('counts when it is there at the start, and again only after it was gone', () => {
    const watch = watcher('text:ERR')
    watch.update(dump([line('one ERR'), line('')]))
    expect(told()).toEqual(['text one ERR'])
    watch.update(rows({ 1: line('ERR again') }))
    watch.update(rows({ 0: line(''), 1: line('') }))
    expect(told()).toEqual([])
    watch.update(rows({ 1: line('new ERR') }))
    expect(told()).toEqual(['text new ERR'])
  })

  test('is found across rows that wrap, with the blanks between them or without', () => {
    const watch = watcher('text:a b', 'text:文x')
    watch.update(dump([line('12345678a'), line('b', true), line('12345678文'), line('x', true)]))
    expect(told()).toEqual(['text 12345678a b', 'text 12345678文x'])
  })
})

test('bells are counted from where the watch began', () => {
  const watch = watcher('bell')
  watch.update(dump([line('')], 5))
  watch.update(rows({}, 5))
  watch.update(rows({}, 7))
  watch.update(dump([line('')], 8)) // a subscriber that was too slow gets a dump again
  expect(told()).toEqual(['bell 2', 'bell 1'])
})

test('idle is reported once for each quiet time, and not after the end', () => {
  const watch = watcher('idle', 'exit')
  watch.update(dump([line('')]))
  vi.advanceTimersByTime(999)
  watch.update(rows({ 0: line('x') }))
  vi.advanceTimersByTime(999)
  expect(told()).toEqual([])
  vi.advanceTimersByTime(5000)
  expect(told()).toEqual(['idle 1000'])
  watch.update(rows({ 0: line('y') }))
  watch.end({ code: 3, signal: null }, 'exited')
  vi.advanceTimersByTime(5000)
  expect(told()).toEqual(['exit 3'])
})

test.each([['signal'], ['text:'], ['']])('--on %j is refused', (spelled) => {
  expect(() => parseCondition(spelled)).toThrowError(expect.objectContaining({ code: 'usage' }))
})
