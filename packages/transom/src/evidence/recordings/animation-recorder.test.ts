import { expect, test } from 'vitest'
import type { Frame } from '../../terminal/emulator.ts'
import { AnimationRecorder } from './animation-recorder.ts'
import type { RecordedEvent } from './recorded-events.ts'

const DAY_MS = 24 * 60 * 60 * 1000

test.each([DAY_MS + 1, 8.64e15, Infinity])(
  'an animation of %d ms is refused before a frame is shown for that long',
  async (atMs) => {
    const shown: number[] = []
    const recorder = new AnimationRecorder(20, async (_frame, durationMs) => void shown.push(durationMs))
    const at = (ms: number) => ({ atMs: ms, screen: { frame: () => ({}) as Frame } }) as RecordedEvent
    await recorder.event(at(0))
    await recorder.event(at(DAY_MS))
    await expect(recorder.event(at(atMs))).rejects.toMatchObject({
      code: 'usage',
      details: { next: [expect.objectContaining({ set: { idle_limit_ms: 1000 } }), expect.anything()] },
    })
    expect(shown).toEqual([DAY_MS])
  },
)
