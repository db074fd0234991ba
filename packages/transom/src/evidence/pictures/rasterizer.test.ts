import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { frameOf, sha256, shippedGlyphs, specimenPage } from '../../../../../test/support/pictures.ts'
import { VtEmulator } from '../../terminal/vt/vt-emulator.ts'
import { encodePng } from './png-writer.ts'
import { Rasterizer, rasterize } from './rasterizer.ts'
import { DARK_THEME, LIGHT_THEME } from './theme.ts'

const small = shippedGlyphs(1)
const page = frameOf(specimenPage(), 80, 32)

/** Of the pixels, not of the file: a zlib of another version may compress them otherwise. */
function pixelHash(...args: Parameters<typeof rasterize>): string {
  return sha256(rasterize(...args).rgba).slice(0, 16)
}

describe('the same screen gives the same pixels on every machine', () => {
  test.each([
    [1, 736, 592, 'e4b65455a48ed0be'],
    [2, 1472, 1184, 'f6ecfa5e725aa488'],
    [3, 2208, 1776, '88960a2cf37a654e'],
  ])('at scale %i', (scale, width, height, hash) => {
    const raster = rasterize(page, shippedGlyphs(scale))
    expect([raster.width, raster.height]).toEqual([width, height])
    expect(sha256(raster.rgba).slice(0, 16)).toBe(hash)
  })

  test('in the light theme', () => {
    expect(pixelHash(page, small, { theme: LIGHT_THEME })).toBe('af59f92b933759e4')
  })

  test('with a window and a title', () => {
    expect(pixelHash(page, small, { window: { title: 'a title – of some length' } })).toBe('267e212d1754d3f1')
  })

  test.each([
    ['block', '\x1b[2 q', '75d4a0c4f0e2f669'],
    ['underline', '\x1b[4 q', 'de546d9b94647338'],
    ['bar', '\x1b[6 q', '4e61cdff3ebd929b'],
    ['hidden', '\x1b[?25l', '305ba02493ddd635'],
  ])('with a cursor: %s', (_name, sequence, hash) => {
    expect(pixelHash(frameOf(`a漢b\x1b[1;2H${sequence}`, 10, 2), small, { padding: 0 })).toBe(hash)
  })
})

test('a crop shows exactly the cells that the whole picture has there', () => {
  const whole = rasterize(page, small, { padding: 0 })
  const crop = rasterize(page, small, { padding: 0, crop: { fromRow: 8, toRow: 12, fromCol: 5, toCol: 30 } })
  expect([crop.width, crop.height]).toEqual([25 * 9, 4 * 18])
  for (let y = 0; y < crop.height; y++) {
    const from = ((y + 8 * 18) * whole.width + 5 * 9) * 4
    const row = crop.rgba.subarray(y * crop.width * 4, (y + 1) * crop.width * 4)
    expect(sha256(row)).toBe(sha256(whole.rgba.subarray(from, from + crop.width * 4)))
  }
})

test('a picture that would not fit into memory is refused before it is drawn', () => {
  const size = { cols: 1000, rows: 1000 }
  const draw = () => rasterize(frameOf('hello', 10, 3), shippedGlyphs(3), { size })
  expect(draw).toThrow(
    expect.objectContaining({ code: 'usage', message: expect.stringContaining('27048 × 54048 pixels') }),
  )
})

test('a picture of another size shows the screen at its upper left', () => {
  const raster = rasterize(frameOf('hello', 10, 3), small, { padding: 0, size: { cols: 20, rows: 6 } })
  expect([raster.width, raster.height]).toEqual([180, 108])
  const cut = rasterize(frameOf('hello', 10, 3), small, { padding: 0, size: { cols: 3, rows: 1 } })
  expect([cut.width, cut.height]).toEqual([27, 18])
})

test('drawing row by row equals drawing at once', () => {
  const piece = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom(
      '\r\n',
      '\x1b[H',
      '\x1b[2J',
      '\x1b[31m',
      '\x1b[7m',
      '漢',
      '\x1b[?25l',
      '\x1b[?25h',
      '\x1b[5;3H',
      '\x1b[2M',
    ),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const emulator = new VtEmulator(20, 6)
      const kept = new Rasterizer(small, { window: { title: '' } })
      for (const text of pieces) {
        emulator.write(Buffer.from(text))
        const drawn = kept.draw(emulator.frame())
        const fresh = rasterize(emulator.frame(), small, { window: { title: '' } })
        expect(sha256(drawn.rgba)).toBe(sha256(fresh.rgba))
      }
    }),
    { numRuns: 60 },
  )
})

test('a character that no font has is an empty box, and reported', () => {
  const glyphs = shippedGlyphs(1)
  const picture = rasterize(frameOf('ok 漢 \u{1f9ff}', 20, 1), glyphs)
  expect(picture.rgba.length).toBeGreaterThan(0)
  expect(glyphs.takeMissing()).toEqual([
    { text: '漢', isWide: true },
    { text: '\u{1f9ff}', isWide: true },
  ])
  expect(glyphs.takeMissing()).toEqual([])
})

test('hidden text leaves no trace in the picture', () => {
  const hidden = rasterize(frameOf('\x1b[8msecret\x1b[0m\x1b[?25l', 10, 1), small)
  const blank = rasterize(frameOf('\x1b[?25l', 10, 1), small)
  expect(sha256(hidden.rgba)).toBe(sha256(blank.rgba))
})

test('a screen of few colours becomes a PNG with a palette, one of many a PNG in true colour', () => {
  const gradient = Array.from(
    { length: 80 * 4 },
    (_, index) => `\x1b[48;2;${index % 256};${index >> 1};9m `,
  ).join('')
  expect(encodePng(rasterize(frameOf('plain text', 80, 4), small))[25]).toBe(3)
  expect(encodePng(rasterize(frameOf(gradient, 80, 4), small))[25]).toBe(2)
})

test('the two themes and the reverse of a cell use the colours that they say', () => {
  const pixel = (bytes: string, theme = DARK_THEME) =>
    Buffer.from(
      rasterize(frameOf(`${bytes}\x1b[?25l`, 4, 1), small, { padding: 0, theme }).rgba.subarray(0, 3),
    ).toString('hex')
  expect(pixel(' ')).toBe('181818')
  expect(pixel(' ', LIGHT_THEME)).toBe('fafafa')
  expect(pixel('\x1b[7m ')).toBe('d8d8d8')
  expect(pixel('\x1b[41m ')).toBe('cc5555')
  expect(pixel('\x1b[48;5;196m ')).toBe('ff0000')
  expect(pixel('\x1b[48;2;1;2;3m ')).toBe('010203')
})

test('every colour of text can be read in the light theme, unless the program chose its background', () => {
  const colors = (bytes: string) => {
    const { rgba } = rasterize(frameOf(`${bytes}█\x1b[?25l`, 4, 1), small, { padding: 0, theme: LIGHT_THEME })
    return [...rgba.subarray(0, 3)]
  }
  const luminance = (rgb: readonly number[]) => {
    const [r = 0, g = 0, b = 0] = rgb.map((value) => {
      const share = value / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const background = luminance([0xfa, 0xfa, 0xfa])
  for (let index = 0; index < 256; index++) {
    const contrast = (background + 0.05) / (luminance(colors(`\x1b[38;5;${index}m`)) + 0.05)
    expect([index, contrast >= 4]).toEqual([index, true]) // an inverse gamma of 2 is near that of sRGB, not equal
  }
  expect(colors('\x1b[97;44m')).toEqual([255, 255, 255])
  expect(colors('\x1b[97;7m')).not.toEqual([255, 255, 255])
})

test('missing characters are reported for every picture, not only for the first', () => {
  const glyphs = shippedGlyphs(1)
  for (const _ of [1, 2]) {
    rasterize(frameOf('漢', 10, 1), glyphs)
    expect(glyphs.takeMissing()).toHaveLength(1)
  }
})
