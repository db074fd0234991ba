import { assertRaster } from './animation-size.ts'
import { LastPicture } from './changed-rows.ts'
import { PNG_SIGNATURE, concatBytes, pngChunk } from './png-chunks.ts'
import { compress, pngHeader, trueColorRows } from './png-writer.ts'
import { pixelsOf, type Raster } from './raster.ts'

const TRUE_COLOR = 2
/** Where the count of frames stands: behind the signature and the header. */
const COUNT_OFFSET = PNG_SIGNATURE.length + 25
/** The longest delay that fits the format's 16 bits, in milliseconds. A frame that is shown longer is said again. */
const DELAY_MAX_MS = 65_535

/**
 * An animated PNG, written frame by frame: each is the band of rows that differ from the frame before. It keeps one
 * picture, whatever the length of the recording.
 *
 * A frame is written when it is known how long it is shown, that is with its add(). The count of frames stands at the
 * file's beginning and is known at its end: `end()` says what to write there, `{ offset, bytes }`, over what is in the
 * file already. A reader that meets a file without it shows the first frame.
 */
export class ApngEncoder {
  readonly #size: { readonly width: number; readonly height: number }
  readonly #plays: number
  readonly #last: LastPicture
  #frames = 0
  /** Frames and their data are numbered through. */
  #sequence = 0

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
    const { width, height } = this.#size
    const isFirst = this.#frames === 0
    // Nothing has changed: a row is said again, so that the time counts.
    const [top, bottom] = this.#last.replace(raster) ?? [0, 1]
    const parts = isFirst
      ? [
          PNG_SIGNATURE,
          pngChunk('IHDR', pngHeader(width, height, TRUE_COLOR)),
          pngChunk('acTL', this.#control(0)),
        ]
      : []
    const data = compress(trueColorRows(pixelsOf(raster), width, [top, bottom]))
    let leftMs = Math.max(1, Math.round(durationMs))
    parts.push(pngChunk('fcTL', this.#frameControl([top, bottom], Math.min(leftMs, DELAY_MAX_MS))))
    parts.push(isFirst ? pngChunk('IDAT', data) : pngChunk('fdAT', this.#numbered(data)))
    for (leftMs -= DELAY_MAX_MS; leftMs > 0; leftMs -= DELAY_MAX_MS) {
      parts.push(pngChunk('fcTL', this.#frameControl([0, 1], Math.min(leftMs, DELAY_MAX_MS))))
      parts.push(pngChunk('fdAT', this.#numbered(compress(trueColorRows(pixelsOf(raster), width, [0, 1])))))
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
      patch: { offset: COUNT_OFFSET, bytes: pngChunk('acTL', this.#control(this.#frames)) },
    }
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
