import { randomInt } from 'node:crypto'

/**
 * A mark to be written into the program's end of the pty after it exited. A pty is first in, first out: once the
 * mark comes out of our end, everything that the program wrote has come out before it.
 *
 * Digits only: a program may leave the terminal translating letters (`stty olcuc`).
 */
export class DrainBarrier {
  readonly bytes: Buffer
  #tail: Buffer = Buffer.alloc(0)

  constructor() {
    const nonce = Array.from({ length: 4 }, () => String(randomInt(2 ** 40))).join('')
    this.bytes = Buffer.from(`\x1b_${nonce}\x1b\\`, 'latin1')
  }

  /** Splits what was read into the program's bytes and whether the mark has come. Holds back what may be its start. */
  take(chunk: Buffer): { bytes: Buffer; reached: boolean } {
    const all = this.#tail.length === 0 ? chunk : Buffer.concat([this.#tail, chunk])
    const at = all.indexOf(this.bytes)
    if (at >= 0) return { bytes: all.subarray(0, at), reached: true }
    const held = this.#startLength(all)
    this.#tail = all.subarray(all.length - held)
    return { bytes: all.subarray(0, all.length - held), reached: false }
  }

  /** What was held back, when the mark will not come any more. */
  rest(): Buffer {
    return this.#tail
  }

  #startLength(bytes: Buffer): number {
    for (let length = Math.min(bytes.length, this.bytes.length - 1); length > 0; length--) {
      if (bytes.subarray(bytes.length - length).equals(this.bytes.subarray(0, length))) return length
    }
    return 0
  }
}
