const FIRST_ROWS = 64
const FIRST_BYTES = 4096
/** A code of four bytes, and a run of styles of one cell: two varints. */
const CELL_BYTES_MAX = 14
const WORD_BYTES = 4
/** In the flags of a kept row: codes have four bytes, because one of them is not ASCII. */
const WIDE_CODES = 0x80

/** Called for a row that leaves the history for good. The arrays are only valid during the call. */
export type DropListener = (row: PackedRow) => void

export interface PackedRow {
  readonly codes: Uint32Array
  readonly styles: Uint32Array
  readonly start: number
  readonly length: number
  readonly flags: number
}

/**
 * The rows above the screen, packed into one ring of bytes: a byte for each cell while all are ASCII, then the styles
 * in runs. Memory grows with what is kept, up to the limit of rows; appending to a full history allocates nothing.
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
  #bytes = new Uint8Array(FIRST_BYTES)
  /** The same memory, for codes that have four bytes: every row begins at a multiple of four. */
  #words = new Uint32Array(this.#bytes.buffer)
  /** Where the next row's bytes go. */
  #end = 0
  /** What rowOf() unpacks a row to. */
  #codes = new Uint32Array(0)
  #styles = new Uint32Array(0)

  constructor(limit: number) {
    this.limit = limit
  }

  get count(): number {
    return this.#count
  }

  /** A row's cells, valid until the next call. */
  rowOf(index: number): PackedRow {
    const place = this.#place(index)
    const length = this.#lengths[place] ?? 0
    const flags = this.#flags[place] ?? 0
    if (this.#codes.length < length) {
      this.#codes = new Uint32Array(length)
      this.#styles = new Uint32Array(length)
    }
    this.#unpack(this.#starts[place] ?? 0, length, (flags & WIDE_CODES) !== 0)
    return { codes: this.#codes, styles: this.#styles, start: 0, length, flags: flags & ~WIDE_CODES }
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
    const start = aligned(this.#room(length * CELL_BYTES_MAX + WORD_BYTES))
    const asciiEnd = packAscii(this.#bytes, start, codes, styles, from, length)
    const isWide = asciiEnd < 0
    const place = this.#place(this.#count++)
    this.#starts[place] = start
    this.#lengths[place] = length
    this.#flags[place] = isWide ? flags | WIDE_CODES : flags
    this.#end = isWide ? this.#packWide(start, codes, styles, from, length) : asciiEnd
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
    this.#setBytes(new Uint8Array(FIRST_BYTES))
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
    const renumbered = new History(this.limit)
    for (let index = 0; index < this.#count; index++) {
      const row = this.rowOf(index)
      for (let at = 0; at < row.length; at++) {
        row.codes[at] = codeOf(row.codes[at] ?? 0)
        row.styles[at] = styleOf(row.styles[at] ?? 0)
      }
      renumbered.push(row)
    }
    this.#starts = renumbered.#starts
    this.#lengths = renumbered.#lengths
    this.#flags = renumbered.#flags
    this.#first = renumbered.#first
    this.#setBytes(renumbered.#bytes)
    this.#end = renumbered.#end
  }

  #place(index: number): number {
    const place = this.#first + index
    return place >= this.#starts.length ? place - this.#starts.length : place
  }

  #unpack(start: number, length: number, isWide: boolean): void {
    const bytes = this.#bytes
    const first = isWide ? start / WORD_BYTES : start
    const source = isWide ? this.#words : bytes
    for (let index = 0; index < length; index++) this.#codes[index] = source[first + index] ?? 0
    let at = start + (isWide ? length * WORD_BYTES : length)
    for (let index = 0; index < length;) {
      const count = readVarint(bytes, at)
      at += varintSize(count)
      const style = readVarint(bytes, at)
      at += varintSize(style)
      this.#styles.fill(style, index, index + count)
      index += count
    }
  }

  /** Where so many bytes fit; makes the ring larger when they do not. */
  #room(size: number): number {
    if (this.#count === 0) this.#end = 0
    const head = this.#count === 0 ? 0 : (this.#starts[this.#first] ?? 0)
    const isWrapped = this.#end < head
    if (isWrapped ? this.#end + size < head : this.#end + size <= this.#bytes.length) return this.#end
    if (!isWrapped && size < head) return 0
    this.#growBytes(size)
    return this.#end
  }

  /** Rows lie one after the other, in one piece or in two. */
  #growBytes(size: number): void {
    const old = this.#bytes
    const head = this.#count === 0 ? 0 : (this.#starts[this.#first] ?? 0)
    const bytes = new Uint8Array(aligned(Math.max(old.length + (old.length >> 1), old.length + size)))
    let at = 0
    let moved = 0
    for (let index = 0; index < this.#count; index++) {
      const place = this.#place(index)
      const start = this.#starts[place] ?? 0
      if (index === 0) moved = -head
      else if (start < (this.#starts[this.#place(index - 1)] ?? 0)) moved = at - start
      const next = index + 1 < this.#count ? (this.#starts[this.#place(index + 1)] ?? 0) : this.#end
      const end = next >= start ? next : old.length
      bytes.set(old.subarray(start, end), start + moved)
      this.#starts[place] = start + moved
      at = end + moved
    }
    this.#setBytes(bytes)
    this.#end = at
  }

  #setBytes(bytes: Uint8Array<ArrayBuffer>): void {
    this.#bytes = bytes
    this.#words = new Uint32Array(bytes.buffer)
  }

  /** Four bytes for each code, then the styles. */
  #packWide(start: number, codes: Uint32Array, styles: Uint32Array, from: number, length: number): number {
    const words = this.#words
    const style = styles[from] ?? 0
    const end = from + length
    let isOneStyle = true
    for (let at = from, to = start / WORD_BYTES; at < end; at++, to++) {
      words[to] = codes[at] ?? 0
      if (styles[at] !== style) isOneStyle = false
    }
    const to = start + length * WORD_BYTES
    if (!isOneStyle) return packStyles(this.#bytes, to, styles, from, length)
    return writeVarint(this.#bytes, writeVarint(this.#bytes, to, length), style)
  }

  #growRows(): void {
    const capacity = Math.min(this.limit, this.#starts.length * 2)
    const starts = new Int32Array(capacity)
    const lengths = new Int32Array(capacity)
    const flags = new Uint8Array(capacity)
    for (let index = 0; index < this.#count; index++) {
      const place = this.#place(index)
      starts[index] = this.#starts[place] ?? 0
      lengths[index] = this.#lengths[place] ?? 0
      flags[index] = this.#flags[place] ?? 0
    }
    this.#starts = starts
    this.#lengths = lengths
    this.#flags = flags
    this.#first = 0
  }
}

/** A byte for each code, then the styles. Returns where it ends; -1 when a code is not ASCII. */
function packAscii(
  bytes: Uint8Array,
  start: number,
  codes: Uint32Array,
  styles: Uint32Array,
  from: number,
  length: number,
): number {
  if (length === 0) return start
  const style = styles[from] ?? 0
  let to = start
  let isOneStyle = true // as in most rows
  for (let at = from; at < from + length; at++, to++) {
    const code = codes[at] ?? 0
    if (code > 0x7f) return -1
    bytes[to] = code
    if (styles[at] !== style) isOneStyle = false
  }
  if (!isOneStyle) return packStyles(bytes, to, styles, from, length)
  return writeVarint(bytes, writeVarint(bytes, to, length), style)
}

/** Runs of equal styles: their length, and the style. */
function packStyles(
  bytes: Uint8Array,
  start: number,
  styles: Uint32Array,
  from: number,
  length: number,
): number {
  let to = start
  const end = from + length
  for (let at = from; at < end;) {
    const style = styles[at] ?? 0
    let next = at + 1
    while (next < end && styles[next] === style) next++
    to = writeVarint(bytes, writeVarint(bytes, to, next - at), style)
    at = next
  }
  return to
}

function writeVarint(bytes: Uint8Array, start: number, value: number): number {
  let at = start
  let rest = value
  for (; rest > 127; rest >>>= 7) bytes[at++] = (rest & 127) | 128
  bytes[at++] = rest
  return at
}

function readVarint(bytes: Uint8Array, start: number): number {
  let value = 0
  for (let at = start, shift = 0; ; at++, shift += 7) {
    const byte = bytes[at] ?? 0
    value |= (byte & 127) << shift
    if (byte < 128) return value >>> 0
  }
}

function varintSize(value: number): number {
  let size = 1
  for (let rest = value; rest > 127; rest >>>= 7) size++
  return size
}

/** The next multiple of four. */
function aligned(at: number): number {
  return (at + WORD_BYTES - 1) & -WORD_BYTES
}
