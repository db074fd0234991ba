/** Variable-width LZW as GIF has it (GIF89a, appendix F), packed into sub-blocks of 255 bytes. */
const CODES_MAX = 4096
/** Of the hash table: twice as many as there are codes, so that few probes are needed. */
const SLOTS = 8192

/** `indexes` are palette indexes below 2 ** bits. The bytes begin with the code size and end with an empty block. */
export function lzwEncode(indexes: Uint8Array, bits: number): Uint8Array {
  const codeSize = Math.max(2, bits)
  return new LzwEncoder(codeSize, indexes.length).encode(indexes)
}

class LzwEncoder {
  readonly #codeSize: number
  readonly #clear: number
  /** (prefix code × 256 + index) + 1 by slot, and the code of that string. */
  readonly #keys = new Int32Array(SLOTS)
  readonly #codes = new Uint16Array(SLOTS)
  #out: Uint8Array
  #length = 1
  #blockStart = 1
  #bits = 0
  #bitCount = 0
  #width = 0
  #next = 0

  constructor(codeSize: number, pixels: number) {
    this.#codeSize = codeSize
    this.#clear = 1 << codeSize
    this.#out = new Uint8Array(1024 + (pixels >> 2))
    this.#out[0] = codeSize
  }

  encode(indexes: Uint8Array): Uint8Array {
    this.#blockStart = this.#length++ // room for the block's length
    this.#reset()
    let prefix = indexes[0] ?? 0
    for (let position = 1; position < indexes.length; position++) {
      const index = indexes[position] ?? 0
      const slot = this.#slotOf(prefix, index)
      if (this.#keys[slot] !== 0) {
        prefix = this.#codes[slot] ?? 0
        continue
      }
      this.#put(prefix)
      if (this.#next < CODES_MAX) {
        this.#keys[slot] = ((prefix << 8) | index) + 1
        this.#codes[slot] = this.#next
        if (this.#next === 1 << this.#width) this.#width++
        this.#next++
      } else {
        this.#reset()
      }
      prefix = index
    }
    this.#put(prefix)
    this.#put(this.#clear + 1)
    return this.#finish()
  }

  #slotOf(prefix: number, index: number): number {
    const key = ((prefix << 8) | index) + 1
    let slot = (Math.imul(key, 0x9e3779b1) >>> 19) & (SLOTS - 1)
    while (this.#keys[slot] !== 0 && this.#keys[slot] !== key) slot = (slot + 1) & (SLOTS - 1)
    return slot
  }

  #reset(): void {
    if (this.#width === 0) this.#width = this.#codeSize + 1
    this.#put(this.#clear)
    this.#keys.fill(0)
    this.#width = this.#codeSize + 1
    this.#next = this.#clear + 2
  }

  #put(code: number): void {
    this.#bits |= code << this.#bitCount
    this.#bitCount += this.#width
    while (this.#bitCount >= 8) {
      this.#byte(this.#bits & 0xff)
      this.#bits >>>= 8
      this.#bitCount -= 8
    }
  }

  #byte(value: number): void {
    if (this.#length - this.#blockStart === 256) this.#closeBlock()
    if (this.#length + 2 >= this.#out.length) {
      const larger = new Uint8Array(this.#out.length * 2)
      larger.set(this.#out)
      this.#out = larger
    }
    this.#out[this.#length++] = value
  }

  #closeBlock(): void {
    this.#out[this.#blockStart] = this.#length - this.#blockStart - 1
    this.#blockStart = this.#length++
  }

  #finish(): Uint8Array {
    if (this.#bitCount > 0) this.#byte(this.#bits & 0xff)
    if (this.#length - this.#blockStart > 1) this.#closeBlock()
    this.#out[this.#blockStart] = 0
    return this.#out.slice(0, this.#length)
  }
}
