import type { Raster } from './raster.ts'

/** Keeps the last picture of an animation and returns the rows of the next one that differ. */
export class LastPicture {
  readonly #rowBytes: number
  readonly #bytes: Uint8Array
  #isEmpty = true

  constructor({ width, height }: { width: number; height: number }) {
    this.#rowBytes = width * 4
    this.#bytes = new Uint8Array(this.#rowBytes * height)
  }

  /** The rows [top, bottom) that have changed, all of them for the first picture; null for none. Keeps the picture. */
  replace({ rgba, height }: Raster): [top: number, bottom: number] | null {
    let top = 0
    let bottom = height
    if (!this.#isEmpty) {
      const words = wordsOf(rgba)
      const before = wordsOf(this.#bytes)
      while (top < height && this.#isSameRow(words, before, top)) top++
      if (top === height) return null
      while (this.#isSameRow(words, before, bottom - 1)) bottom--
    }
    this.#isEmpty = false
    this.#bytes.set(rgba.subarray(top * this.#rowBytes, bottom * this.#rowBytes), top * this.#rowBytes)
    return [top, bottom]
  }

  #isSameRow(a: Uint32Array, b: Uint32Array, row: number): boolean {
    const perRow = this.#rowBytes >> 2
    for (let index = row * perRow; index < (row + 1) * perRow; index++)
      if (a[index] !== b[index]) return false
    return true
  }
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 2)
}
