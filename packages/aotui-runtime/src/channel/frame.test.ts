import { describe, expect, it } from 'vitest'
import { encodeFrames, FRAME_BYTES_MAX, FrameReader } from './frame.ts'

function framed(body: string): Buffer {
  const header = Buffer.alloc(4)
  header.writeUInt32BE(Buffer.byteLength(body))
  return Buffer.concat([header, Buffer.from(body)])
}

describe('a frame', () => {
  it('carries the largest view, whatever its text holds', () => {
    const item = {
      kind: 'item',
      head: '[{,',
      rest: '\\",[{\\\\',
      indent: 0,
      key: ',,,,',
      value: '{"a":[1,2,3]}',
    }
    const message = { type: 'fragment', splice: { chunks: Array.from({ length: 200_000 }, () => item) } }
    const [frame = Buffer.alloc(0)] = encodeFrames([message])
    expect(new FrameReader().push(frame)).toEqual([message])
  })

  it.each(['{}', '[]', '1', '""', '[[]]', '{"a":{}}', '{"a":"\\\\"}'])(
    'is refused before it is parsed if it is %s without end',
    (value) => {
      const body = `[${`${value},`.repeat(Math.floor((FRAME_BYTES_MAX - 10) / (value.length + 1)))}1]`
      expect(() => new FrameReader().push(framed(body))).toThrow('holds more than 1600000 values')
    },
  )

  it('is its own for each message when they are large together', () => {
    const large = { text: 'x'.repeat(1 << 20) }
    const frames = encodeFrames([large, { text: 'small' }])
    expect(frames.length).toBe(2)
    const reader = new FrameReader()
    expect(frames.flatMap((frame) => reader.push(frame))).toEqual([large, { text: 'small' }])
  })
})
