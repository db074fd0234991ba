import { assertRaster } from './animation-size.ts'
import { LastPicture } from './changed-rows.ts'
import { lzwEncode } from './lzw.ts'
import { PaletteBuilder, paletteBytes } from './palette.ts'
import { concatBytes } from './png-chunks.ts'
import { pixelsOf, type Raster } from './raster.ts'

const COLORS_MAX = 256
/** The format counts hundredths of a second, and browsers slow down what is faster than two of them. */
const DELAY_MIN = 2
const DELAY_MAX = 65_535

/**
 * An animated GIF, written frame by frame: each is the band of rows that differ from the frame before, with a palette of
 * its own. Exact as long as a band has no more than 256 colours; past that, colours are rounded until they fit. It keeps
 * one picture, whatever the length of the recording.
 */
export class GifEncoder {
  readonly #size: { readonly width: number; readonly height: number }
  readonly #plays: number
  readonly #last: LastPicture
  #frames = 0
  /** What rounding the durations to hundredths has left over. */
  #restMs = 0

  /** `plays` 0 is for ever. */
  constructor({ width, height, plays = 0 }: { width: number; height: number; plays?: number }) {
    this.#size = { width, height }
    this.#plays = plays
    this.#last = new LastPicture({ width, height })
  }

  get frameCount(): number {
    return this.#frames
  }

  /** The bytes of a picture that is shown for so long. */
  add(raster: Raster, durationMs: number): Uint8Array {
    assertRaster(raster, this.#size)
    const parts = this.#frames === 0 ? [this.#header()] : []
    const band = this.#last.replace(raster) ?? [0, 1] // nothing has changed: a row is said again, for its time
    let left = this.#hundredths(durationMs)
    parts.push(...this.#frame(raster, band, Math.min(left, DELAY_MAX)))
    for (left -= DELAY_MAX; left > 0; left -= DELAY_MAX)
      parts.push(...this.#frame(raster, [0, 1], Math.min(left, DELAY_MAX)))
    return concatBytes(parts)
  }

  end(): { readonly bytes: Uint8Array } {
    return { bytes: Uint8Array.of(0x3b) }
  }

  #hundredths(durationMs: number): number {
    const exact = durationMs + this.#restMs
    const hundredths = Math.max(DELAY_MIN, Math.round(exact / 10))
    this.#restMs = exact - hundredths * 10
    return hundredths
  }

  #header(): Uint8Array {
    const { width, height } = this.#size
    return Uint8Array.of(
      ...latin1('GIF89a'),
      ...uint16(width),
      ...uint16(height),
      // No palette for all frames.
      0x70,
      0,
      0,
      // How often it is played.
      0x21,
      0xff,
      11,
      ...latin1('NETSCAPE2.0'),
      3,
      1,
      ...uint16(this.#plays),
      0,
    )
  }

  #frame(raster: Raster, [top, bottom]: readonly [number, number], delay: number): Uint8Array[] {
    const { width } = this.#size
    const { indexes, colors } = indexedBand(raster, [top, bottom])
    const bits = Math.max(1, Math.ceil(Math.log2(colors.length)))
    const palette = new Uint8Array(3 << bits)
    palette.set(paletteBytes(colors))
    this.#frames++
    return [
      Uint8Array.of(0x21, 0xf9, 4, 0x04, ...uint16(delay), 0, 0), // stays when the next one comes
      Uint8Array.of(
        0x2c,
        ...uint16(0),
        ...uint16(top),
        ...uint16(width),
        ...uint16(bottom - top),
        0x80 | (bits - 1),
      ),
      palette,
      lzwEncode(indexes, bits),
    ]
  }
}

function indexedBand(
  raster: Raster,
  [top, bottom]: readonly [number, number],
): { indexes: Uint8Array; colors: readonly number[] } {
  const { width } = raster
  const indexes = new Uint8Array((bottom - top) * width)
  let pixels = pixelsOf(raster).subarray(top * width, bottom * width)
  // Fewer bits of each channel, until the colours fit: 3 of each are 512 at most, and no screen had so many.
  for (let bits = 8; bits > 0; bits--) {
    if (bits < 8) pixels = rounded(pixels, bits)
    const builder = new PaletteBuilder(COLORS_MAX)
    if (builder.index(pixels, [0, pixels.length], indexes, 0)) return { indexes, colors: builder.colors }
  }
  throw new RangeError('one bit a channel has no more than eight colours')
}

function rounded(pixels: Uint32Array, bits: number): Uint32Array {
  const levels = (1 << bits) - 1
  const byChannel = Uint8Array.from({ length: 256 }, (_, value) => {
    const level = Math.floor((value * levels * 2 + 255) / 510)
    return Math.floor((level * 510 + levels) / (levels * 2))
  })
  return pixels.map((pixel) => {
    const [red = 0, green = 0, blue = 0] = [
      byChannel[pixel & 0xff],
      byChannel[(pixel >> 8) & 0xff],
      byChannel[(pixel >> 16) & 0xff],
    ]
    return (0xff000000 | (blue << 16) | (green << 8) | red) >>> 0
  })
}

function uint16(value: number): [number, number] {
  return [value & 0xff, (value >> 8) & 0xff]
}

function latin1(text: string): number[] {
  return Array.from(text, (character) => character.charCodeAt(0))
}
