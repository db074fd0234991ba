import { afterEach, describe, expect, test, vi } from 'vitest'
import { Scope } from '../../lib/scope.ts'
import type { DecodedFrame } from './frame-decoding.ts'
import type { FrameDecoder } from './frame-decoder.ts'
import type { PageTarget } from './page-target.ts'
import { Screencast, type ScreencastNeed } from './screencast.ts'

/** A tab that shows one word, sends it as a frame on request, and returns pictures that the test provides. */
class FakeTab {
  readonly pictures: ((word: string) => void)[] = []
  readonly calls: string[] = []
  sendFrame: (word: string) => void = () => {}

  readonly target = {
    cdp: { scope: Scope.ofProcess() },
    on: (_event: string, listener: (frame: { data: string; sessionId: number }) => void) => {
      this.sendFrame = (word) => listener({ data: Buffer.from(word).toString('base64'), sessionId: 1 })
      return () => {}
    },
    call: async (method: string) => void this.calls.push(method),
    capture: async () =>
      new Promise<Buffer>((resolve) => this.pictures.push((word) => resolve(Buffer.from(word)))),
  } as unknown as PageTarget // what a screencast asks of it

  async asked(count: number): Promise<void> {
    while (this.pictures.length < count) await new Promise((resolve) => setImmediate(resolve))
  }
}

const WORDS = { decode: async (png: Uint8Array) => Buffer.from(png).toString() as unknown as DecodedFrame }

function screencastOf(
  tab: FakeTab,
  read: string[],
  {
    sendsLastFrame = true,
    decoder = WORDS,
    need = () => 'none' as const,
  }: { sendsLastFrame?: boolean; decoder?: object; need?: () => ScreencastNeed } = {},
): Screencast {
  return new Screencast({
    target: tab.target,
    decoder: decoder as FrameDecoder, // what a screencast asks of it
    size: () => ({ cols: 1, rows: 1 }),
    need,
    sendsLastFrame,
    onFrame: (frame) => read.push(frame as unknown as string) > 0,
  })
}

afterEach(() => vi.useRealTimers())

describe('the frames of a tab', () => {
  test('a picture that is older than a frame which came before it is looked at again', async () => {
    const tab = new FakeTab()
    const read: string[] = []
    const screencast = screencastOf(tab, read)
    const captured = screencast.capture()
    tab.sendFrame('new')
    tab.pictures[0]?.('old')
    await captured
    expect(read).toEqual(['new', 'old'])
    await tab.asked(2)
    tab.pictures[1]?.('new')
    while (read.length < 3) await new Promise((resolve) => setImmediate(resolve))
    expect(read.at(-1)).toBe('new')
    screencast.close()
  })

  test('reading takes no picture while the last frame is up to date', async () => {
    const tab = new FakeTab()
    const screencast = screencastOf(tab, [])
    await screencast.look()
    expect(tab.pictures).toHaveLength(0)
    screencast.close()
  })

  test('reading a tab without watchers takes a picture', async () => {
    const tab = new FakeTab()
    const read: string[] = []
    const screencast = screencastOf(tab, read)
    tab.sendFrame('one that is not acknowledged')
    while (read.length < 1) await new Promise((resolve) => setImmediate(resolve))
    await new Promise((resolve) => setImmediate(resolve))
    expect(tab.calls).toEqual([])
    const looked = screencast.look()
    tab.pictures[0]?.('now')
    await looked
    expect(read.at(-1)).toBe('now')
    screencast.close()
  })

  test('come one after the other at once after an input, and at a pace that can be followed later', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const tab = new FakeTab()
    const read: string[] = []
    const screencast = screencastOf(tab, read)
    const acknowledged = async (word: string) => {
      tab.sendFrame(word)
      await vi.advanceTimersByTimeAsync(1)
      const before = tab.calls.length
      await vi.advanceTimersByTimeAsync(1000)
      return { atOnce: before > 0, inTheEnd: tab.calls.splice(0).length > 0 }
    }
    screencast.hurry()
    expect(await acknowledged('of a page that moves')).toEqual({ atOnce: false, inTheEnd: true })
    screencast.expect()
    expect(await acknowledged('of a caret that blinks')).toEqual({ atOnce: true, inTheEnd: true })
    expect(await acknowledged('of a page that moves on')).toEqual({ atOnce: false, inTheEnd: true })
    screencast.close()
  })

  test('one that is kept back is asked for at once when an input comes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const tab = new FakeTab()
    const screencast = screencastOf(tab, [])
    tab.sendFrame('one that nobody needs')
    await vi.advanceTimersByTimeAsync(1000)
    expect(tab.calls).toEqual([])
    screencast.expect()
    await vi.advanceTimersByTimeAsync(1)
    expect(tab.calls).toEqual(['Page.screencastFrameAck'])
    screencast.close()
  })

  test('a picture is taken once after the last of several inputs, also if frames have come', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const tab = new FakeTab()
    const screencast = screencastOf(tab, [])
    for (const key of ['a', 'b', 'c']) {
      screencast.expect()
      tab.sendFrame(key)
      screencast.settle()
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(tab.pictures).toHaveLength(0)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(tab.pictures).toHaveLength(1)
    screencast.settle()
    screencast.close()
    await vi.advanceTimersByTimeAsync(10_000)
    expect(tab.pictures).toHaveLength(1)
  })

  test('while a caller waits and none comes, pictures are taken, less and less often', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const tab = new FakeTab()
    const read: string[] = []
    let need: ScreencastNeed = 'fast'
    const screencast = screencastOf(tab, read, { need: () => need })
    screencast.wake() // a caller has begun to wait
    const picturesAfter = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms)
      for (const take of tab.pictures.splice(0)) take('what no frame has shown')
      await vi.advanceTimersByTimeAsync(0)
      return read.splice(0).length
    }
    expect(await picturesAfter(999)).toBe(0)
    expect(await picturesAfter(1)).toBe(1)
    expect(await picturesAfter(1999)).toBe(0)
    expect(await picturesAfter(1)).toBe(1)
    need = 'slow' // the caller has what it waited for
    await picturesAfter(4000)
    expect(await picturesAfter(60_000)).toBe(0)
    screencast.close()
  })

  test('each is acknowledged, also one that came before the last one was', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const tab = new FakeTab()
    const screencast = screencastOf(tab, [])
    screencast.hurry()
    await vi.advanceTimersByTimeAsync(1480)
    tab.sendFrame('the last one of a page')
    await vi.advanceTimersByTimeAsync(25) // frames have just ceased to come fast
    tab.sendFrame('the first one of the next page')
    await vi.advanceTimersByTimeAsync(1000)
    screencast.hurry()
    await vi.advanceTimersByTimeAsync(1000)
    expect(tab.calls).toEqual(['Page.screencastFrameAck', 'Page.screencastFrameAck'])
    screencast.close()
  })

  test('those that an older Chromium sends unasked, three at a time, are no reason for more', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const tab = new FakeTab()
    const screencast = screencastOf(tab, [], { sendsLastFrame: false })
    for (const word of ['one', 'two', 'three']) {
      tab.sendFrame(word)
      await vi.advanceTimersByTimeAsync(10)
    }
    await vi.advanceTimersByTimeAsync(1000)
    expect(tab.calls).toEqual([])
    screencast.hurry()
    await vi.advanceTimersByTimeAsync(1000)
    expect(tab.calls).toEqual(Array(3).fill('Page.screencastFrameAck'))
    screencast.close()
  })

  test('one whose reading ends with its browser is dropped without a word', async () => {
    const tab = new FakeTab()
    const decoder = { decode: async () => Promise.reject(new Error('the process is ending')) }
    const screencast = screencastOf(tab, [], { decoder })
    tab.sendFrame('the last one')
    screencast.close()
    // An unhandled rejection would end this run as it would end a host.
    await new Promise((resolve) => setImmediate(resolve))
    expect(tab.calls).toEqual([])
  })
})
