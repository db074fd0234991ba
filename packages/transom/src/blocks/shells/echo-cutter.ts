/**
 * Takes the echo of a line out of a stream of bytes: what a terminal repeats of a line that had the shell run a block is
 * nothing that a program printed. Every other byte goes on as it came.
 */
export class EchoCutter {
  #echo: Buffer | null = null
  #held: Buffer = Buffer.alloc(0)

  /** The next time that these bytes come they are taken out. Null: none are. */
  expect(echo: string | null): void {
    this.#echo = echo === null ? null : Buffer.from(echo)
  }

  /** What of a chunk is no echo. Holds back what may be the start of one. */
  take(chunk: Buffer): Buffer {
    if (this.#echo === null && this.#held.length === 0) return chunk
    const all = Buffer.concat([this.release(), chunk])
    if (this.#echo === null) return all
    const at = all.indexOf(this.#echo)
    if (at < 0) {
      const end = all.length - startLength(all, this.#echo)
      this.#held = all.subarray(end)
      return all.subarray(0, end)
    }
    const behind = at + this.#echo.length
    this.#echo = null
    return Buffer.concat([all.subarray(0, at), all.subarray(behind)])
  }

  /** Whether something is held back. */
  get unsure(): boolean {
    return this.#held.length > 0
  }

  /** Gives up what is held back: it will not become the echo any more. */
  release(): Buffer {
    const held = this.#held
    this.#held = Buffer.alloc(0)
    return held
  }
}

/** How much of the end of `bytes` is the start of `echo`. */
function startLength(bytes: Buffer, echo: Buffer): number {
  for (let length = Math.min(bytes.length, echo.length - 1); length > 0; length--)
    if (bytes.subarray(bytes.length - length).equals(echo.subarray(0, length))) return length
  return 0
}
