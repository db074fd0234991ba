import { EMPTY_CELL, WIDE_SPACER } from '@transom/grid'
import type { History } from './history.ts'

/** Flags of a row. */
export const ROW_WRAPPED = 1
/** A shell's prompt begins on the row (OSC 133;A). */
export const ROW_PROMPT = 2
/** DECDWL, and the halves of DECDHL. */
export const ROW_DOUBLE_WIDTH = 4
export const ROW_DOUBLE_TOP = 8
export const ROW_DOUBLE_BOTTOM = 16
export const ROW_LINE_SIZE = ROW_DOUBLE_WIDTH | ROW_DOUBLE_TOP | ROW_DOUBLE_BOTTOM

/** Below this many cells a loop is faster than a call of the engine's own fill. */
const SHORT_FILL = 32

/**
 * The cells of a screen in slots of one row each. A ring maps rows to slots, so that scrolling moves
 * numbers instead of cells. Cells from a row's length on are empty, in the default style, whatever the arrays hold.
 */
export class ScreenBuffer {
  readonly cols: number
  readonly rows: number
  readonly codes: Uint32Array
  readonly styles: Uint32Array
  /** By slot. */
  readonly lengths: Int32Array
  readonly flags: Uint8Array
  /** The generation in which a slot was last written to. */
  readonly stamps: Float64Array
  readonly ring: Int32Array
  /** The place of the top row in the ring. */
  base = 0
  /** Raised whenever a frame is read or a record begins: a slot with an older stamp has not changed since. */
  generation = 2
  /** By slot: the seq of the record that wrote to the row last. */
  readonly written: Float64Array
  /** Stamps up to this generation have been noted in `written`. */
  #notedGeneration = 1
  /** How often rows have moved. */
  scrolls = 0
  /** Null for the alternate screen. */
  readonly history: History | null

  constructor(cols: number, rows: number, history: History | null) {
    this.cols = cols
    this.rows = rows
    this.history = history
    this.codes = new Uint32Array(cols * rows)
    this.styles = new Uint32Array(cols * rows)
    this.lengths = new Int32Array(rows)
    this.flags = new Uint8Array(rows)
    this.stamps = new Float64Array(rows).fill(1)
    this.written = new Float64Array(rows)
    this.ring = Int32Array.from({ length: rows }, (_, index) => index)
  }

  slotOf(row: number): number {
    let place = this.base + row
    if (place >= this.rows) place -= this.rows
    return this.ring[place] ?? 0
  }

  touch(slot: number): void {
    this.stamps[slot] = this.generation
  }

  /** Notes `seq` for the rows that were written to since the last call. */
  noteWritten(seq: number): void {
    for (let slot = 0; slot < this.rows; slot++)
      if ((this.stamps[slot] ?? 0) > this.#notedGeneration) this.written[slot] = seq
    this.skipWritten()
  }

  /** Has the rows touched since the last noteWritten() keep the seqs they have: their text is the same. */
  skipWritten(): void {
    this.#notedGeneration = this.generation++
  }

  isWrapped(row: number): boolean {
    return ((this.flags[this.slotOf(row)] ?? 0) & ROW_WRAPPED) !== 0
  }

  setWrapped(row: number, wrapped: boolean): void {
    if (row >= this.rows) return
    const slot = this.slotOf(row)
    const flags = this.flags[slot] ?? 0
    const next = wrapped ? flags | ROW_WRAPPED : flags & ~ROW_WRAPPED
    if (next === flags) return
    this.flags[slot] = next
    this.touch(slot)
  }

  /** DECDWL and DECDHL. A row of double width has half as many columns; the rest is lost. */
  setLineSize(row: number, size: number): void {
    const slot = this.slotOf(row)
    const flags = this.flags[slot] ?? 0
    if ((flags & ROW_LINE_SIZE) === size) return
    this.flags[slot] = (flags & ~ROW_LINE_SIZE) | size
    if (size !== 0) this.erase(row, this.cols >> 1, this.cols, 0)
    this.touch(slot)
  }

  codeAt(row: number, col: number): number {
    const slot = this.slotOf(row)
    return col < (this.lengths[slot] ?? 0) ? (this.codes[slot * this.cols + col] ?? EMPTY_CELL) : EMPTY_CELL
  }

  styleAt(row: number, col: number): number {
    const slot = this.slotOf(row)
    return col < (this.lengths[slot] ?? 0) ? (this.styles[slot * this.cols + col] ?? 0) : 0
  }

  /** Makes the cells of a row up to `col` real ones. */
  reach(slot: number, col: number): void {
    const length = this.lengths[slot] ?? 0
    if (length >= col) return
    const start = slot * this.cols
    this.#fill(start + length, start + col, EMPTY_CELL, 0)
    this.lengths[slot] = col
  }

  #fill(from: number, to: number, code: number, style: number): void {
    if (to - from < SHORT_FILL) {
      for (let at = from; at < to; at++) {
        this.codes[at] = code
        this.styles[at] = style
      }
    } else {
      this.codes.fill(code, from, to)
      this.styles.fill(style, from, to)
    }
  }

  /** Writes one cell, whatever it cuts in two. */
  set(row: number, col: number, code: number, style: number): void {
    const slot = this.slotOf(row)
    if ((this.lengths[slot] ?? 0) <= col) {
      this.reach(slot, col)
      this.lengths[slot] = col + 1
    }
    const at = slot * this.cols + col
    this.codes[at] = code
    this.styles[at] = style
    this.touch(slot)
  }

  /** Blanks both halves of a wide character that a boundary before `col` would cut. */
  splitAt(row: number, col: number, style: number): void {
    if (col <= 0 || col >= this.cols || this.codeAt(row, col) !== WIDE_SPACER) return
    this.set(row, col - 1, EMPTY_CELL, style)
    this.set(row, col, EMPTY_CELL, style)
  }

  /** Empties the cells [from, to) of a row. */
  erase(row: number, from: number, to: number, style: number): void {
    if (from >= to) return
    if (style === 0 && to === this.cols) {
      this.#eraseEnd(this.slotOf(row), from)
      return
    }
    this.splitAt(row, from, style)
    this.splitAt(row, to, style)
    const slot = this.slotOf(row)
    const length = this.lengths[slot] ?? 0
    this.touch(slot)
    if (style === 0 && to >= length) {
      if (from < length) this.lengths[slot] = from
      return
    }
    this.reach(slot, to)
    const start = slot * this.cols
    this.#fill(start + from, start + to, EMPTY_CELL, style)
  }

  /** erase() to the end of a row in the default style: the row gets shorter. */
  #eraseEnd(slot: number, from: number): void {
    this.stamps[slot] = this.generation
    if (from >= (this.lengths[slot] ?? 0)) return
    this.lengths[slot] = from
    const at = slot * this.cols + from
    if (from > 0 && this.codes[at] === WIDE_SPACER) {
      this.codes[at - 1] = EMPTY_CELL
      this.styles[at - 1] = 0
    }
  }

  /** Empties a row as a whole, its flags included. */
  clearRow(row: number, style: number): void {
    const slot = this.slotOf(row)
    this.lengths[slot] = 0
    this.flags[slot] = 0
    this.touch(slot)
    if (style !== 0) this.erase(row, 0, this.cols, style)
  }

  fillRow(row: number, code: number, style: number): void {
    this.clearRow(row, 0)
    const slot = this.slotOf(row)
    const start = slot * this.cols
    this.codes.fill(code, start, start + this.cols)
    this.styles.fill(style, start, start + this.cols)
    this.lengths[slot] = this.cols
  }

  /** Shifts the cells [col, right] to the right by `count`. What goes past `right` is lost. */
  insertCells(row: number, col: number, right: number, count: number, style: number): void {
    const shifted = Math.min(count, right - col + 1)
    this.splitAt(row, col, style)
    this.splitAt(row, right + 1, style)
    this.splitAt(row, right + 1 - shifted, style)
    this.#shift(row, col, col + shifted, right + 1 - col - shifted)
    this.erase(row, col, col + shifted, style)
  }

  /** Shifts the cells after [col, col + count) up to `right` to the left. */
  deleteCells(row: number, col: number, right: number, count: number, style: number): void {
    const shifted = Math.min(count, right - col + 1)
    this.splitAt(row, col, style)
    this.splitAt(row, col + shifted, style)
    this.splitAt(row, right + 1, style)
    this.#shift(row, col + shifted, col, right + 1 - col - shifted)
    // What is left here may be the second half of a wide character that has been moved whole.
    this.set(row, right + 1 - shifted, EMPTY_CELL, style)
    this.erase(row, right + 1 - shifted, right + 1, style)
  }

  /** Moves `count` cells of a row from one column to another. */
  #shift(row: number, from: number, to: number, count: number): void {
    const slot = this.slotOf(row)
    this.reach(slot, Math.min(this.cols, Math.max(from, to) + count))
    const start = slot * this.cols
    this.codes.copyWithin(start + to, start + from, start + from + count)
    this.styles.copyWithin(start + to, start + from, start + from + count)
    this.touch(slot)
  }

  /** Copies the cells [left, right] of one row to another. */
  copyCells(fromRow: number, toRow: number, left: number, right: number): void {
    const from = this.slotOf(fromRow)
    const to = this.slotOf(toRow)
    this.reach(from, right + 1)
    this.reach(to, right + 1)
    const source = from * this.cols
    this.codes.copyWithin(to * this.cols + left, source + left, source + right + 1)
    this.styles.copyWithin(to * this.cols + left, source + left, source + right + 1)
    this.touch(to)
  }

  /** Moves the rows [top, bottom] up by `count`. Rows that leave at the very top go to the history. */
  scrollUp(top: number, bottom: number, count: number, style: number): void {
    const moved = Math.min(count, bottom - top + 1)
    if (top === 0) for (let row = 0; row < moved; row++) this.#keep(row)
    this.#moveUp(top, bottom, moved, style)
    if (top > 0) this.setWrapped(top, false)
  }

  /** scrollUp() of the whole screen by one row: what most line feeds do. */
  scrollLine(style: number): void {
    this.scrolls++
    if (this.history !== null) this.#keep(0)
    this.base = this.base + 1 === this.rows ? 0 : this.base + 1
    const slot = this.slotOf(this.rows - 1)
    this.lengths[slot] = 0
    this.flags[slot] = 0
    this.stamps[slot] = this.generation
    if (style !== 0) this.clearRow(this.rows - 1, style)
  }

  /** As scrollUp(), but nothing is kept. */
  removeRows(top: number, bottom: number, count: number, style: number): void {
    this.#moveUp(top, bottom, Math.min(count, bottom - top + 1), style)
    this.setWrapped(top, false)
  }

  /** Moves the rows [top, bottom] down by `count`. */
  insertRows(top: number, bottom: number, count: number, style: number): void {
    const moved = Math.min(count, bottom - top + 1)
    if (moved <= 0) return
    this.scrolls++
    this.#rotate(top, bottom, bottom - top + 1 - moved)
    for (let row = top; row < top + moved; row++) this.clearRow(row, style)
    this.setWrapped(top + moved, false)
    this.setWrapped(bottom + 1, false)
  }

  #moveUp(top: number, bottom: number, count: number, style: number): void {
    this.scrolls++
    if (top === 0 && bottom === this.rows - 1) this.base = (this.base + count) % this.rows
    else this.#rotate(top, bottom, count)
    for (let row = bottom - count + 1; row <= bottom; row++) this.clearRow(row, style)
    this.setWrapped(bottom + 1, false)
  }

  /** Brings row `top + count` to the top of [top, bottom], and so on around. */
  #rotate(top: number, bottom: number, count: number): void {
    if (this.base !== 0) this.#straighten()
    if (count === 1) {
      const slot = this.ring[top] ?? 0
      this.ring.copyWithin(top, top + 1, bottom + 1)
      this.ring[bottom] = slot
      return
    }
    const first = this.ring.slice(top, top + count)
    this.ring.copyWithin(top, top + count, bottom + 1)
    this.ring.set(first, bottom + 1 - count)
  }

  #straighten(): void {
    const tail = this.ring.slice(0, this.base)
    this.ring.copyWithin(0, this.base)
    this.ring.set(tail, this.rows - this.base)
    this.base = 0
  }

  #keep(row: number): void {
    if (this.history === null) return
    const slot = this.slotOf(row)
    const length = this.lengths[slot] ?? 0
    this.history.pushCells(this.codes, this.styles, slot * this.cols, length, this.flags[slot] ?? 0)
  }
}
