import { CLUSTER_BASE, EMPTY_CELL, WIDE_SPACER } from '@transom/grid'
import { ByteReader, ByteWriter } from '../../lib/varint.ts'
import { createPen, type TerminalState } from './terminal-state.ts'
import type { Pen } from './style-table.ts'

/** Varints are of 32 bits; larger numbers go in two parts. */
const LOW_PART = 2 ** 28
/** No terminal is larger; a checkpoint that says so is damaged. */
const LIST_ITEMS_MAX = 1 << 24

/** How a cell's content begins. Printable ASCII is itself. */
const CELL_EMPTY = 0
const CELL_SPACER = 1
const CELL_CLUSTER = 2
const CELL_CODE_POINT = 3
const CELL_EMPTY_RUN = 4
const EMPTY_RUN_MIN = 3

/**
 * Writes values, or reads them back: every method takes the value to write and returns it, or what was read in its
 * place. So the same code says what a checkpoint contains for both ways. Styles, links and clusters are written where
 * they first occur and by number from then on, which makes the bytes depend on what is shown alone.
 */
export class Archive {
  readonly #writer: ByteWriter | null
  readonly #reader: ByteReader | null
  readonly #styles = new Numbering()
  readonly #links = new Numbering()
  readonly #clusters = new Numbering()

  private constructor(writer: ByteWriter | null, reader: ByteReader | null) {
    this.#writer = writer
    this.#reader = reader
  }

  static toWrite(): Archive {
    return new Archive(new ByteWriter(), null)
  }

  static toRead(bytes: Uint8Array): Archive {
    return new Archive(null, new ByteReader(bytes))
  }

  get isReading(): boolean {
    return this.#reader !== null
  }

  bytes(): Uint8Array {
    return this.#writer?.bytes() ?? new Uint8Array(0)
  }

  /** From 0 to 2³². */
  count(value: number): number {
    if (this.#reader !== null) return this.#reader.varint()
    this.#writer?.varint(value)
    return value
  }

  /** Any whole number from 0. */
  large(value: number): number {
    const high = this.count(Math.floor(value / LOW_PART))
    return high * LOW_PART + this.count(value % LOW_PART)
  }

  /** -1 and above: a colour. */
  color(value: number): number {
    return this.count(value + 1) - 1
  }

  flag(value: boolean): boolean {
    return this.count(value ? 1 : 0) === 1
  }

  text(value: string): string {
    const points = Array.from(value, (character) => character.codePointAt(0) ?? 0)
    this.list(points, (point) => this.count(point ?? 0))
    return this.isReading ? points.map((point) => String.fromCodePoint(point)).join('') : value
  }

  /** Writes or replaces the items of an array. */
  list<T>(items: T[], each: (item: T | undefined) => T): void {
    const length = this.count(items.length)
    if (length > LIST_ITEMS_MAX) throw new RangeError(`a list of ${length} items is too long`)
    if (this.isReading) items.length = 0
    for (let index = 0; index < length; index++) {
      const item = each(this.isReading ? undefined : items[index])
      if (this.isReading) items.push(item)
    }
  }

  numbers(values: Map<number, number>): void {
    const entries: (readonly [number, number])[] = [...values]
    this.list(entries, (entry): readonly [number, number] => [
      this.count(entry?.[0] ?? 0),
      this.count(entry?.[1] ?? 0),
    ])
    if (!this.isReading) return
    values.clear()
    for (const [key, value] of entries) values.set(key, value)
  }

  pen(state: TerminalState, pen: Pen): void {
    pen.fg = this.color(pen.fg)
    pen.bg = this.color(pen.bg)
    pen.underlineColor = this.color(pen.underlineColor)
    pen.flags = this.count(pen.flags)
    pen.link = this.#link(state, pen.link)
  }

  /** The cells of a row, or as many as are read into the arrays from `start` on. Returns their number. */
  cells(
    state: TerminalState,
    codes: Uint32Array,
    styles: Uint32Array,
    start: number,
    length: number,
  ): number {
    const count = this.count(length)
    if (start + count > codes.length) throw new RangeError(`a row of ${count} cells is too long`)
    this.#styleRuns(state, styles, start, count)
    for (let at = start; at < start + count;) at += this.#cell(state, codes, at, start + count)
    return count
  }

  /** A cell's content outside of a row. */
  code(state: TerminalState, code: number): number {
    const cell = Uint32Array.of(code)
    this.#cell(state, cell, 0, 1)
    return cell[0] ?? EMPTY_CELL
  }

  #styleRuns(state: TerminalState, styles: Uint32Array, start: number, count: number): void {
    for (let at = start; at < start + count;) {
      let end = at + 1
      while (end < start + count && styles[end] === styles[at]) end++
      const length = this.count(end - at)
      const style = this.#style(state, styles[at] ?? 0)
      if (length === 0 || at + length > start + count) throw new RangeError('a run of styles is too long')
      if (this.isReading) styles.fill(style, at, at + length)
      at += length
    }
  }

  /** Returns how many cells it stands for. */
  #cell(state: TerminalState, codes: Uint32Array, at: number, end: number): number {
    const code = codes[at] ?? EMPTY_CELL
    const kind = this.count(this.isReading ? 0 : cellKind(codes, at, end))
    switch (kind) {
      case CELL_EMPTY:
        codes[at] = EMPTY_CELL
        return 1
      case CELL_SPACER:
        codes[at] = WIDE_SPACER
        return 1
      case CELL_CLUSTER:
        codes[at] = this.#cluster(state, code)
        return 1
      case CELL_CODE_POINT:
        codes[at] = this.count(code)
        return 1
      case CELL_EMPTY_RUN: {
        const length = this.count(this.isReading ? 0 : emptyRun(codes, at, end))
        if (length === 0 || at + length > end) throw new RangeError('a run of cells is too long')
        codes.fill(EMPTY_CELL, at, at + length)
        return length
      }
      default:
        codes[at] = kind
        return 1
    }
  }

  #style(state: TerminalState, style: number): number {
    const number = this.count(this.#styles.numberOf(style))
    if (!this.#styles.isNext(number)) return this.#styles.valueOf(number)
    const pen = createPen()
    if (!this.isReading) state.styles.read(style, pen)
    this.pen(state, pen)
    return this.#styles.add(this.isReading ? state.styles.idOf(pen) : style)
  }

  #link(state: TerminalState, link: number): number {
    const number = this.count(this.#links.numberOf(link))
    if (!this.#links.isNext(number)) return this.#links.valueOf(number)
    const id = this.text(state.links.idOf(link))
    const uri = this.text(state.links.uriOf(link))
    if (!this.isReading) return this.#links.add(link)
    return this.#links.add(uri === '' ? 0 : state.links.intern(id, uri))
  }

  #cluster(state: TerminalState, code: number): number {
    const number = this.count(this.#clusters.numberOf(code))
    if (!this.#clusters.isNext(number)) return this.#clusters.valueOf(number)
    const text = this.text(this.isReading ? '' : state.clusters.textOf(code))
    return this.#clusters.add(this.isReading ? state.clusters.intern(text) : code)
  }
}

/** Numbers values in the order in which they are first met. */
class Numbering {
  readonly #numbers = new Map<number, number>()
  readonly #values: number[] = []

  /** Of a new value it is the next one. */
  numberOf(value: number): number {
    return this.#numbers.get(value) ?? this.#values.length
  }

  isNext(number: number): boolean {
    return number === this.#values.length
  }

  valueOf(number: number): number {
    const value = this.#values[number]
    if (value === undefined) throw new RangeError(`nothing has number ${number}`)
    return value
  }

  add(value: number): number {
    this.#numbers.set(value, this.#values.push(value) - 1)
    return value
  }
}

function cellKind(codes: Uint32Array, at: number, end: number): number {
  const code = codes[at] ?? EMPTY_CELL
  if (code === EMPTY_CELL) return emptyRun(codes, at, end) >= EMPTY_RUN_MIN ? CELL_EMPTY_RUN : CELL_EMPTY
  if (code === WIDE_SPACER) return CELL_SPACER
  if (code >= CLUSTER_BASE) return CELL_CLUSTER
  return code >= 0x20 && code < 0x7f ? code : CELL_CODE_POINT
}

function emptyRun(codes: Uint32Array, at: number, end: number): number {
  let to = at
  while (to < end && codes[to] === EMPTY_CELL) to++
  return to - at
}
