const FIRST_ROWS = 64
const FIRST_CELLS = 1024

/** Told of a row that leaves the history for good. The arrays are only valid during the call. */
export type DropListener = (row: PackedRow) => void

export interface PackedRow {
  readonly codes: Uint32Array
  readonly styles: Uint32Array
  readonly start: number
  readonly length: number
  readonly flags: number
}

/**
 * The rows above the screen, each at its real length in one ring of cells. Memory grows with what is kept, up to the
 * limit of rows; appending to a full history allocates nothing.
 */
export class History {
  readonly limit: number
  /** How many rows have left at the top. */
  dropped = 0
  onDrop: DropListener | null = null
  #starts = new Int32Array(FIRST_ROWS)
  #lengths = new Int32Array(FIRST_ROWS)
  #flags = new Uint8Array(FIRST_ROWS)
  #first = 0
  #count = 0
  #codes = new Uint32Array(FIRST_CELLS)
  #styles = new Uint32Array(FIRST_CELLS)
  /** Where the next row's cells go. */
  #end = 0

  constructor(limit: number) {
    this.limit = limit
  }

  get count(): number {
    return this.#count
  }

  get codes(): Uint32Array {
    return this.#codes
  }

  get styles(): Uint32Array {
    return this.#styles
  }

  startOf(index: number): number {
    return this.#starts[this.#place(index)] ?? 0
  }

  lengthOf(index: number): number {
    return this.#lengths[this.#place(index)] ?? 0
  }

  flagsOf(index: number): number {
    return this.#flags[this.#place(index)] ?? 0
  }

  rowOf(index: number): PackedRow {
    return {
      codes: this.#codes,
      styles: this.#styles,
      start: this.startOf(index),
      length: this.lengthOf(index),
      flags: this.flagsOf(index),
    }
  }

  push({ codes, styles, start, length, flags }: PackedRow): void {
    this.pushCells(codes, styles, start, length, flags)
  }

  /** push() without an object: every line feed comes here. */
  pushCells(codes: Uint32Array, styles: Uint32Array, from: number, length: number, flags: number): void {
    if (this.limit === 0) {
      this.onDrop?.({ codes, styles, start: from, length, flags })
      this.dropped++
      return
    }
    if (this.#count === this.limit) this.dropFirst()
    else if (this.#count === this.#starts.length) this.#growRows()
    const start = length === 0 ? this.#end : this.#room(length)
    const keptCodes = this.#codes
    const keptStyles = this.#styles
    for (let to = start, at = from; at < from + length; at++, to++) {
      keptCodes[to] = codes[at] ?? 0
      keptStyles[to] = styles[at] ?? 0
    }
    const place = this.#place(this.#count++)
    this.#starts[place] = start
    this.#lengths[place] = length
    this.#flags[place] = flags
    this.#end = start + length
  }

  dropFirst(): void {
    if (this.onDrop !== null) this.onDrop(this.rowOf(0))
    this.#first = this.#first + 1 === this.#starts.length ? 0 : this.#first + 1
    this.#count--
    this.dropped++
  }

  clear(): void {
    while (this.#count > 0) this.dropFirst()
    this.#first = 0
    this.#end = 0
    this.#codes = new Uint32Array(FIRST_CELLS)
    this.#styles = new Uint32Array(FIRST_CELLS)
  }

  /** Takes the first `count` rows of another history in place of its own; those past the limit leave. */
  replaceBy(other: History, count: number): void {
    this.#count = 0
    this.#first = 0
    this.#end = 0
    for (let index = 0; index < count; index++) this.push(other.rowOf(index))
  }

  /** Gives every cell another style id or code. */
  renumber(codeOf: (code: number) => number, styleOf: (style: number) => number): void {
    for (let index = 0; index < this.#count; index++) {
      const start = this.startOf(index)
      const end = start + this.lengthOf(index)
      for (let at = start; at < end; at++) {
        this.#codes[at] = codeOf(this.#codes[at] ?? 0)
        this.#styles[at] = styleOf(this.#styles[at] ?? 0)
      }
    }
  }

  #place(index: number): number {
    const place = this.#first + index
    return place >= this.#starts.length ? place - this.#starts.length : place
  }

  /** Where `length` cells fit; makes the ring larger when they do not. */
  #room(length: number): number {
    if (this.#count === 0) this.#end = 0
    const head = this.#count === 0 ? 0 : (this.#starts[this.#first] ?? 0)
    const isWrapped = this.#end < head
    if (isWrapped ? this.#end + length < head : this.#end + length <= this.#codes.length) return this.#end
    if (!isWrapped && length < head) return 0
    this.#growCells(length)
    return this.#end
  }

  #growCells(length: number): void {
    let capacity = this.#codes.length * 2
    let used = length
    for (let index = 0; index < this.#count; index++) used += this.lengthOf(index)
    while (capacity < used) capacity *= 2
    const codes = new Uint32Array(capacity)
    const styles = new Uint32Array(capacity)
    let at = 0
    for (let index = 0; index < this.#count; index++) {
      const { start, length: cells } = this.rowOf(index)
      codes.set(this.#codes.subarray(start, start + cells), at)
      styles.set(this.#styles.subarray(start, start + cells), at)
      this.#starts[this.#place(index)] = at
      at += cells
    }
    this.#codes = codes
    this.#styles = styles
    this.#end = at
  }

  #growRows(): void {
    const capacity = Math.min(this.limit, this.#starts.length * 2)
    const starts = new Int32Array(capacity)
    const lengths = new Int32Array(capacity)
    const flags = new Uint8Array(capacity)
    for (let index = 0; index < this.#count; index++) {
      starts[index] = this.startOf(index)
      lengths[index] = this.lengthOf(index)
      flags[index] = this.flagsOf(index)
    }
    this.#starts = starts
    this.#lengths = lengths
    this.#flags = flags
    this.#first = 0
  }
}
