/**
 * Keeps a character that a chunk ends inside of until its rest has come. (xterm's own decoder loses some when
 * they arrive byte by byte, such as U+200D.)
 */
export class Utf8Carry {
  #tail: Uint8Array = new Uint8Array(0)

  /** The bytes up to the last whole character, with what was kept from before. */
  take(chunk: Uint8Array): Uint8Array {
    const bytes = this.#tail.length === 0 ? chunk : concat(this.#tail, chunk)
    const whole = bytes.length - incompleteLength(bytes)
    this.#tail = bytes.slice(whole)
    return bytes.subarray(0, whole)
  }
}

/** How many bytes at the end begin a character that is not complete. */
function incompleteLength(bytes: Uint8Array): number {
  for (let length = 1; length <= Math.min(3, bytes.length); length++) {
    const byte = bytes[bytes.length - length] ?? 0
    if ((byte & 0xc0) === 0x80) continue // goes on from a byte before it
    return byte >= 0xc2 && byte <= 0xf4 && length < sequenceLength(byte) ? length : 0
  }
  return 0
}

function sequenceLength(lead: number): number {
  if (lead >= 0xf0) return 4
  return lead >= 0xe0 ? 3 : 2
}

function concat(a: Uint8Array, b: Uint8Array): Uint8Array {
  const joined = new Uint8Array(a.length + b.length)
  joined.set(a)
  joined.set(b, a.length)
  return joined
}
