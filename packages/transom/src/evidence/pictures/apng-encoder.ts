import { assertRaster } from './animation-size.ts'
import { LastPicture } from './changed-rows.ts'
import { PNG_SIGNATURE, concatBytes, pngChunk } from '../../lib/png-chunks.ts'
import { PaletteBuilder, paletteBytes } from './palette.ts'
import { INDEXED, TRUE_COLOR, compress, pngHeader, trueColorRows } from './png-writer.ts'
import { pixelsOf, type Raster } from './raster.ts'

const COLORS_MAX = 256
/** The offset of the frame count and the palette: after the signature and the header. */
const KNOWN_OFFSET = PNG_SIGNATURE.length + 25
/** The longest delay that fits the format's 16 bits, in milliseconds. A frame that is shown longer is said again. */
const DELAY_MAX_MS = 65_535

export interface ApngOptions {
  readonly width: number
  readonly height: number
  readonly plays?: number
  readonly trueColor?: boolean
}

/**
 * An animated PNG, written frame by frame: each is the band of rows that differ from the frame before. It keeps one
 * picture, whatever the length of the recording.
 *
 * A frame is written when it is known how long it is shown, that is with its add(). The count of frames and the palette
 * stand at the file's beginning and are known at its end: `end()` says what to write there, `{ offset, bytes }`, over
 * what is in the file already.
 *
 * The palette has 256 colours for all frames, which the screens of most programs get by with; past that, a colour is
 * shown as the nearest that there is, and `isExact` says so. With `trueColor` there is no such limit, for a file three
 * times as large that takes half as long again to make.
 */
export class ApngEncoder {
  readonly #size: { readonly width: number; readonly height: number }
  readonly #plays: number
  readonly #last: LastPicture
  /** Null for true colour. */
  readonly #palette: PaletteBuilder | null
  #frames = 0
  /** Frames and their data are numbered through. */
  #sequence = 0

  /** `plays` 0 is for ever. */
  constructor({ width, height, plays = 0, trueColor = false }: ApngOptions) {
    this.#palette = trueColor ? null : new PaletteBuilder(COLORS_MAX, { takesNearest: true })
    this.#size = { width, height }
    this.#plays = plays
    this.#last = new LastPicture({ width, height })
  }

  get frameCount(): number {
    return this.#frames
  }

  /** Whether every pixel so far has its own colour. */
  get isExact(): boolean {
    return this.#palette?.isExact ?? true
  }

  /** The bytes of a picture that is shown for so long. */
  add(raster: Raster, durationMs: number): Uint8Array {
    assertRaster(raster, this.#size)
    const isFirst = this.#frames === 0
    // Nothing has changed: a row is said again, so that the time counts.
    const band = this.#last.replace(raster) ?? [0, 1]
    const parts = isFirst ? [PNG_SIGNATURE, this.#header(), this.#known()] : []
    const data = this.#pixels(raster, band)
    let leftMs = Math.max(1, Math.round(durationMs))
    parts.push(pngChunk('fcTL', this.#frameControl(band, Math.min(leftMs, DELAY_MAX_MS))))
    parts.push(isFirst ? pngChunk('IDAT', data) : pngChunk('fdAT', this.#numbered(data)))
    for (leftMs -= DELAY_MAX_MS; leftMs > 0; leftMs -= DELAY_MAX_MS) {
      parts.push(pngChunk('fcTL', this.#frameControl([0, 1], Math.min(leftMs, DELAY_MAX_MS))))
      parts.push(pngChunk('fdAT', this.#numbered(this.#pixels(raster, [0, 1]))))
    }
    return concatBytes(parts)
  }

  /** The last bytes, and what to write over the beginning. */
  end(): {
    readonly bytes: Uint8Array
    readonly patch: { readonly offset: number; readonly bytes: Uint8Array }
  } {
    return {
      bytes: pngChunk('IEND', new Uint8Array(0)),
      patch: { offset: KNOWN_OFFSET, bytes: this.#known() },
    }
  }

  #header(): Uint8Array {
    const { width, height } = this.#size
    return pngChunk('IHDR', pngHeader(width, height, this.#palette === null ? TRUE_COLOR : INDEXED))
  }

  /** The count of frames and the palette, as far as they are known; of one length, whatever they are. */
  #known(): Uint8Array {
    const control = pngChunk('acTL', this.#control(this.#frames))
    if (this.#palette === null) return control
    const colors = new Uint8Array(COLORS_MAX * 3)
    colors.set(paletteBytes(this.#palette.colors))
    return concatBytes([control, pngChunk('PLTE', colors)])
  }

  #pixels(raster: Raster, [top, bottom]: readonly [number, number]): Uint8Array {
    const { width } = this.#size
    const pixels = pixelsOf(raster)
    if (this.#palette === null) return compress(trueColorRows(pixels, width, [top, bottom]))
    const rows = new Uint8Array((bottom - top) * (width + 1)) // each after the number of its filter, 0 for none
    for (let y = top; y < bottom; y++)
      this.#palette.index(pixels, [y * width, (y + 1) * width], rows, (y - top) * (width + 1) + 1)
    return compress(rows)
  }

  #control(frames: number): Uint8Array {
    const control = new Uint8Array(8)
    const view = new DataView(control.buffer)
    view.setUint32(0, frames)
    view.setUint32(4, this.#plays)
    return control
  }

  #frameControl([top, bottom]: readonly [number, number], delayMs: number): Uint8Array {
    const control = new Uint8Array(26)
    const view = new DataView(control.buffer)
    view.setUint32(0, this.#sequence++)
    view.setUint32(4, this.#size.width)
    view.setUint32(8, bottom - top)
    view.setUint32(16, top)
    view.setUint16(20, delayMs)
    view.setUint16(22, 1000)
    this.#frames++
    return control // the frame stays as it is (dispose 0) and replaces what is there (blend 0)
  }

  #numbered(data: Uint8Array): Uint8Array {
    const numbered = new Uint8Array(data.length + 4)
    new DataView(numbered.buffer).setUint32(0, this.#sequence++)
    numbered.set(data, 4)
    return numbered
  }
}
