/** Half of it is always kept, about ten blocks of a shell: a wait begins to read a few records before the end. */
const TAIL_BYTES = 16 << 10

/** The end of a log that is being written, in memory: a wait for what comes next need not open its file. */
export class LogTail {
  readonly #bytes = Buffer.allocUnsafeSlow(TAIL_BYTES)
  #length = 0
  /** Where it begins in the file. */
  #start: number

  constructor(endOffset: number) {
    this.#start = endOffset
  }

  /** Must be called with everything that is written, in order. */
  add(bytes: Uint8Array): void {
    if (this.#length + bytes.length > TAIL_BYTES) this.#makeRoom(bytes.length)
    const kept = bytes.subarray(Math.max(0, bytes.length - TAIL_BYTES))
    this.#start += bytes.length - kept.length
    this.#bytes.set(kept, this.#length)
    this.#length += kept.length
  }

  /** Copies bytes of the file from an offset on; false if they are not all in memory. */
  read(into: Buffer, offset: number, bytes: number): boolean {
    const from = offset - this.#start
    if (from < 0 || from + bytes > this.#length) return false
    this.#bytes.copy(into, 0, from, from + bytes)
    return true
  }

  /** Forgets at least half of what there is, so that it is not moved for every record. */
  #makeRoom(bytes: number): void {
    const kept = Math.max(0, Math.min(TAIL_BYTES >> 1, TAIL_BYTES - bytes, this.#length))
    this.#bytes.copyWithin(0, this.#length - kept, this.#length)
    this.#start += this.#length - kept
    this.#length = kept
  }
}
