import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { FileHandle } from 'node:fs/promises'
import type { OpError } from '@transom/protocol/errors'
import { PictureSink, type PictureSettings } from './picture-sink.ts'

const assets = fileURLToPath(new URL('../../../assets', import.meta.url))
const target = { file: {} as FileHandle, path: '/none', signal: new AbortController().signal } // nothing is written

function refusal(settings: Pick<PictureSettings, 'scale' | 'size'>): OpError {
  try {
    new PictureSink({ format: 'gif', framesPerSecond: 20, theme: 'dark', assets, ...settings }, target)
  } catch (error) {
    return error as OpError // what the test looks at
  }
  return expect.unreachable()
}

test('pictures that are too large are refused with what works in their place', () => {
  const { code, message, details } = refusal({ scale: 1, size: { cols: 1000, rows: 1000 } })
  expect([code, message]).toEqual(['usage', expect.stringMatching(/162 million pixels/)])
  expect(details['next']).toMatchObject([{ set: { format: 'html' } }])
})

test('a smaller scale is advised only where it is small enough', () => {
  const { details } = refusal({ scale: 3, size: { cols: 300, rows: 100 } })
  expect(details['next']).toMatchObject([{ set: { scale: 1 } }, { set: { format: 'html' } }])
})
