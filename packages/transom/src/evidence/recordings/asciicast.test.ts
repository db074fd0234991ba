import { describe, expect, test } from 'vitest'
import fc from 'fast-check'
import { CastLines } from './asciicast.ts'
import { MAX_SPEED_PAUSE_MS, Timeline } from './timeline.ts'

const bytes = (text: string) => Buffer.from(text)
const info = { cols: 80, rows: 24, startMs: 1_700_000_000_500, title: 'a "title"', command: 'sh -c x' }

describe('an asciicast', () => {
  test('begins with a header of its version', () => {
    expect(JSON.parse(new CastLines(2).header(info))).toEqual({
      version: 2,
      width: 80,
      height: 24,
      timestamp: 1_700_000_000,
      title: 'a "title"',
      command: 'sh -c x',
      env: { TERM: 'xterm-256color' },
    })
    expect(JSON.parse(new CastLines(3).header({ ...info, title: '' }))).toEqual({
      version: 3,
      term: { cols: 80, rows: 24, type: 'xterm-256color' },
      timestamp: 1_700_000_000,
      command: 'sh -c x',
    })
  })

  test('counts time from the start in version 2, and from the event before in version 3', () => {
    const lines = (version: 2 | 3) => {
      const cast = new CastLines(version)
      return [
        cast.output(100, bytes('a')),
        cast.resize(350.5, 100, 30),
        cast.marker(350.5, 'here'),
        cast.exit(1000, 3),
      ].join('')
    }
    expect(lines(2)).toBe('[0.1,"o","a"]\n[0.3505,"r","100x30"]\n[0.3505,"m","here"]\n')
    expect(lines(3)).toBe('[0.1,"o","a"]\n[0.2505,"r","100x30"]\n[0,"m","here"]\n[0.6495,"x","3"]\n')
  })

  test('adds up to the same moment in version 3, however many events there are', () => {
    const cast = new CastLines(3)
    let sum = 0
    for (let index = 1; index <= 10_000; index++)
      sum += (JSON.parse(cast.output(index / 3, bytes('x'))) as [number])[0]
    expect(sum).toBeCloseTo(10_000 / 3 / 1000, 5)
  })

  test('joins characters that records have split, at any byte', () => {
    const text = 'aé€😀\u{1f469}\u200d\u{1f680}ÿ'
    fc.assert(
      fc.property(fc.array(fc.nat(Buffer.byteLength(text))), (cuts) => {
        const cast = new CastLines(2)
        const edges = [0, ...cuts.toSorted((a, b) => a - b), Buffer.byteLength(text)]
        const parts = edges
          .slice(1)
          .map((end, index) => cast.output(0, bytes(text).subarray(edges[index], end)))
        const events = [...parts, cast.end(0)].filter((line) => line !== '')
        expect(events.map((line) => (JSON.parse(line) as unknown[])[2]).join('')).toBe(text)
      }),
    )
  })

  test('has U+FFFD for invalid UTF-8, also for a character that was never completed', () => {
    const cast = new CastLines(2)
    expect(cast.output(0, Buffer.from([0x61, 0xff, 0x62, 0xe2, 0x82]))).toBe('[0,"o","a\ufffdb"]\n')
    expect(cast.end(1)).toBe('[0.001,"o","\ufffd"]\n')
  })

  test('does not control the terminal that it is shown on', () => {
    const line = new CastLines(2).output(0, bytes('\u001b[31m\u009b32m\u007f'))
    expect(line).toBe('[0,"o","\\u001b[31m\\u009b32m\\u007f"]\n')
  })
})

describe('the timing of a recording', () => {
  const times = [1000, 1100, 6100, 6200]
  const play = (timing: ConstructorParameters<typeof Timeline>[0]) => {
    const timeline = new Timeline(timing, 1000)
    return times.map((time) => timeline.at(time))
  }

  test('is as it happened, with pauses cut, faster, or as fast as can be', () => {
    expect(play({ speed: 1, idleLimitMs: null })).toEqual([0, 100, 5100, 5200])
    expect(play({ speed: 1, idleLimitMs: 500 })).toEqual([0, 100, 600, 700])
    expect(play({ speed: 2, idleLimitMs: 500 })).toEqual([0, 50, 300, 350])
    const pause = MAX_SPEED_PAUSE_MS
    expect(play({ speed: 'max', idleLimitMs: null })).toEqual([0, pause, 2 * pause, 3 * pause])
  })

  test('never goes back', () => {
    const timeline = new Timeline({ speed: 1, idleLimitMs: null }, 1000)
    expect([2000, 1500, 2100].map((time) => timeline.at(time))).toEqual([1000, 1000, 1100])
  })
})
