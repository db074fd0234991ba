import { expect, test } from 'vitest'
import { frameOf, shippedGlyphs } from '../../../../../test/support/pictures.ts'
import { diffPictures } from './picture-diff.ts'
import { rasterize } from './rasterizer.ts'

const glyphs = shippedGlyphs(1)
const picture = (text: string, cols = 10) =>
  rasterize(frameOf(`${text}\x1b[?25l`, cols, 3), glyphs, { padding: 0 })

test('two pictures of one screen do not differ', () => {
  expect(diffPictures(picture('same'), picture('same'))).toMatchObject({ changedPixels: 0, bounds: null })
})

test('differing pixels are counted, bounded and drawn in red', () => {
  const { raster, changedPixels, bounds } = diffPictures(picture('one\r\ntwo'), picture('one\r\ntwx'))
  expect(changedPixels).toBeGreaterThan(0)
  expect(bounds?.left).toBeGreaterThanOrEqual(18)
  expect(bounds?.right).toBeLessThanOrEqual(27)
  expect(bounds?.top).toBeGreaterThanOrEqual(18)
  expect(bounds?.bottom).toBeLessThanOrEqual(36)
  let red = 0
  for (let at = 0; at < raster.rgba.length; at += 4)
    if ((raster.rgba[at] ?? 0) > 200 && (raster.rgba[at + 1] ?? 0) < 200) red++
  expect(red).toBe(changedPixels)
})

test('pixels outside of one picture all differ', () => {
  const { raster, changedPixels } = diffPictures(picture('x', 10), picture('x', 12))
  expect([raster.width, raster.height]).toEqual([108, 54])
  expect(changedPixels).toBe(2 * 9 * 54)
})
