const NEWLINE = 0x0a

/** Cuts a byte stream into lines of at most `bytesMax`. A longer one is reported once and passed over. */
export class LineSplitter {
  readonly #bytesMax: number
  readonly #onLine: (line: Uint8Array) => void
  readonly #onTooLong: () => void
  #parts: Uint8Array[] = []
  #bytes = 0
  #skipping = false

  constructor(bytesMax: number, onLine: (line: Uint8Array) => void, onTooLong: () => void) {
    this.#bytesMax = bytesMax
    this.#onLine = onLine
    this.#onTooLong = onTooLong
  }

  push(chunk: Uint8Array): void {
    for (let start = 0; start < chunk.length;) {
      const newline = chunk.indexOf(NEWLINE, start)
      const end = newline < 0 ? chunk.length : newline
      this.#add(chunk.subarray(start, end))
      if (newline >= 0) this.#endLine()
      start = end + 1
    }
  }

  #add(part: Uint8Array): void {
    if (this.#skipping) return
    this.#bytes += part.length
    if (this.#bytes > this.#bytesMax) {
      this.#skipping = true
      this.#parts = []
      this.#onTooLong()
    } else if (part.length > 0) {
      this.#parts.push(part)
    }
  }

  #endLine(): void {
    const parts = this.#parts
    const [only] = parts
    const skipped = this.#skipping
    const bytes = this.#bytes
    this.#parts = []
    this.#bytes = 0
    this.#skipping = false
    if (skipped || only === undefined) return // too long, or empty: JSON-RPC has no empty messages
    this.#onLine(parts.length === 1 ? only : join(parts, bytes))
  }
}

function join(parts: readonly Uint8Array[], bytes: number): Uint8Array {
  const joined = new Uint8Array(bytes)
  let offset = 0
  for (const part of parts) {
    joined.set(part, offset)
    offset += part.length
  }
  return joined
}
