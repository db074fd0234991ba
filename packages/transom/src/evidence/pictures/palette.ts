const SLOTS = 4096 // of the hash table: sixteen for each of 256 colours

/** Past this many colours that have no entry of their own, what is remembered of them is dropped. */
const NEAREST_MAX = 50_000

/** The distinct colours of some pixels, in the order in which they were first seen. */
export class PaletteBuilder {
  readonly #colorsMax: number
  readonly #takesNearest: boolean
  readonly #nearest = new Map<number, number>()
  readonly colors: number[] = []
  readonly #keys = new Uint32Array(SLOTS)
  /** The colour's index + 1; 0 for a free slot. */
  readonly #values = new Uint16Array(SLOTS)

  /** With `takesNearest`, a colour too many is shown as the nearest that there is. */
  constructor(colorsMax: number, { takesNearest = false } = {}) {
    this.#colorsMax = colorsMax
    this.#takesNearest = takesNearest
  }

  /** Whether every colour has an entry of its own. */
  get isExact(): boolean {
    return this.#nearest.size === 0
  }

  /**
   * Writes the index of each of `pixels` [from, to) to `indexes`, from `at` on. False if there are more colours than
   * the palette may have; what was written is then of no use.
   */
  index(
    pixels: Uint32Array,
    [from, to]: readonly [number, number],
    indexes: Uint8Array,
    at: number,
  ): boolean {
    // Straight from the tables where the first probe hits, as it nearly always does: this is half of making a PNG.
    const keys = this.#keys
    const values = this.#values
    let last = -1
    let lastIndex = 0
    for (let position = from; position < to; position++) {
      const pixel = pixels[position] ?? 0
      if (pixel !== last) {
        last = pixel
        const slot = slotOf(pixel)
        const value = values[slot] ?? 0
        lastIndex = value !== 0 && keys[slot] === pixel ? value - 1 : this.#indexOf(pixel)
        if (lastIndex < 0) return false
      }
      indexes[at++] = lastIndex
    }
    return true
  }

  #indexOf(pixel: number): number {
    let slot = slotOf(pixel)
    for (;;) {
      const value = this.#values[slot] ?? 0
      if (value === 0) break
      if (this.#keys[slot] === pixel) return value - 1
      slot = (slot + 1) & (SLOTS - 1)
    }
    if (this.colors.length >= this.#colorsMax) return this.#takesNearest ? this.#nearestTo(pixel) : -1
    this.#keys[slot] = pixel
    return (this.#values[slot] = this.colors.push(pixel)) - 1
  }

  #nearestTo(pixel: number): number {
    const known = this.#nearest.get(pixel)
    if (known !== undefined) return known
    let best = 0
    for (const [index, color] of this.colors.entries())
      if (distance(color, pixel) < distance(this.colors[best] ?? 0, pixel)) best = index
    if (this.#nearest.size >= NEAREST_MAX) this.#nearest.clear()
    this.#nearest.set(pixel, best)
    return best
  }
}

function slotOf(pixel: number): number {
  return (Math.imul(pixel, 0x9e3779b1) >>> 20) & (SLOTS - 1)
}

function distance(a: number, b: number): number {
  const channel = (shift: number) => ((a >> shift) & 0xff) - ((b >> shift) & 0xff)
  const [red, green, blue] = [channel(0), channel(8), channel(16)]
  return red * red + green * green + blue * blue
}

/** Red, green and blue of each colour. */
export function paletteBytes(colors: readonly number[]): Uint8Array {
  return Uint8Array.from(colors.flatMap((pixel) => [pixel & 0xff, (pixel >> 8) & 0xff, (pixel >> 16) & 0xff]))
}
