import { EVENT_TYPE_NUMBERS, type SubscriptionMessage } from '@transom/protocol'
import { expect, test } from 'vitest'
import { TerminalProjection } from '../kinds/terminal/terminal-projection.ts'
import { VtEmulator } from '../terminal/vt/vt-emulator.ts'
import { streamScreen } from './subscriptions.ts'

test('a slow subscriber gets a fresh dump when it missed a state, and none when it missed nothing', async () => {
  const screen = new TerminalProjection(new VtEmulator(20, 4))
  const observers = new Set<() => void>()
  const session = {
    id: 'a',
    screen,
    ended: false,
    subscribe: (observer: () => void) => {
      observers.add(observer)
      return () => observers.delete(observer)
    },
  }
  const print = (text: string) => {
    screen.apply({
      seq: screen.seq + 1,
      time: 0,
      typeNumber: EVENT_TYPE_NUMBERS.output,
      payload: Buffer.from(text),
    })
    for (const observer of observers) observer()
  }
  const messages: SubscriptionMessage[] = []
  const wakeups: (() => void)[] = []
  // Takes every message for one too many, until the test says that it has read them.
  const slow = {
    notify: (message: object) => {
      messages.push(message as SubscriptionMessage) // what a stream sends
      return false
    },
    drained: async () => new Promise<void>((resolve) => wakeups.push(resolve)),
  }
  const read = async () => {
    while (wakeups.length === 0) await new Promise((resolve) => setImmediate(resolve))
    wakeups.shift()?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const gone = new AbortController()
  const streamed = streamScreen(session, 1, slow, gone.signal)
  await read()
  print('one')
  await read()
  print('two')
  while (messages.length < 3) await new Promise((resolve) => setImmediate(resolve))
  print('three') // while it has not read `two`
  await read()
  await read()
  expect(messages.map(({ type }) => type)).toEqual(['screen', 'rows', 'rows', 'screen'])
  gone.abort()
  await streamed
})
