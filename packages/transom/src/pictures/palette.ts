const SLOTS = 4096 // of the hash table: sixteen for each of 256 colours

/** The distinct colours of some pixels, in the order in which they were first seen. */
export class PaletteBuilder {
  readonly #colorsMax: number
  readonly colors: number[] = []
  readonly #keys = new Uint32Array(SLOTS)
  /** The colour's index + 1; 0 for a free slot. */
  readonly #values = new Uint16Array(SLOTS)

  constructor(colorsMax: number) {
    this.#colorsMax = colorsMax
  }

  /**
   * Writes the index of each of `pixels` [from, to) to `indexes`, from `at` on. False when there are more colours than
   * the palette may have; what was written is then of no use.
   */
  index(
    pixels: Uint32Array,
    [from, to]: readonly [number, number],
    indexes: Uint8Array,
    at: number,
  ): boolean {
    let last = -1
    let lastIndex = 0
    for (let position = from; position < to; position++) {
      const pixel = pixels[position] ?? 0
      if (pixel !== last) {
        last = pixel
        lastIndex = this.#indexOf(pixel)
        if (lastIndex < 0) return false
      }
      indexes[at++] = lastIndex
    }
    return true
  }

  #indexOf(pixel: number): number {
    let slot = (Math.imul(pixel, 0x9e3779b1) >>> 20) & (SLOTS - 1)
    for (;;) {
      const value = this.#values[slot] ?? 0
      if (value === 0) break
      if (this.#keys[slot] === pixel) return value - 1
      slot = (slot + 1) & (SLOTS - 1)
    }
    if (this.colors.length >= this.#colorsMax) return -1
    this.#keys[slot] = pixel
    return (this.#values[slot] = this.colors.push(pixel)) - 1
  }
}

/** Red, green and blue of each colour. */
export function paletteBytes(colors: readonly number[]): Uint8Array {
  return Uint8Array.from(colors.flatMap((pixel) => [pixel & 0xff, (pixel >> 8) & 0xff, (pixel >> 16) & 0xff]))
}
