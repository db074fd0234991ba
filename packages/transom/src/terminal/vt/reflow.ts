import { EMPTY_CELL, WIDE_SPACER } from '@transom/grid'
import { History, type PackedRow } from './history.ts'
import { ROW_LINE_SIZE, ROW_WRAPPED, ScreenBuffer } from './screen-buffer.ts'
import { keepWritten, keepWrittenRows } from './written-rows.ts'

/** A place on the screen that keeps its character when lines are wrapped anew. */
export interface TrackedPlace {
  x: number
  y: number
  pendingWrap: boolean
}

/**
 * The main screen and its history at another size. Lines that wrapped are wrapped at the new width; the first of
 * `places` is the cursor, which stays on the screen.
 */
export function reflow(
  screen: ScreenBuffer,
  history: History,
  cols: number,
  rows: number,
  places: TrackedPlace[],
): ScreenBuffer {
  const cursorRow = places[0]?.y ?? 0
  let contentRows = screen.rows
  while (contentRows > cursorRow + 1 && isBlank(screen, contentRows - 1)) contentRows--
  const hasRoomBelow = contentRows < screen.rows

  const wrapper = new LineWrapper(screen.cols, cols, places)
  for (let index = 0; index < history.count; index++) wrapper.add(history.rowOf(index), -1)
  for (let row = 0; row < contentRows; row++) wrapper.add(packedRow(screen, row), row)
  wrapper.endLine()

  const { output, topRow } = wrapper
  const overflow = output.count - rows
  const cursorOutput = places[0]?.y ?? 0
  const top = Math.max(0, Math.min(cursorOutput, hasRoomBelow ? Math.max(topRow, overflow) : overflow))
  const resized = new ScreenBuffer(cols, rows, history)
  history.replaceBy(output, top)
  for (let row = 0; row < rows && top + row < output.count; row++)
    putRow(resized, row, output.rowOf(top + row))
  for (const place of places) place.y = Math.max(0, Math.min(rows - 1, place.y - top))
  keepWritten({ screen, row: cursorRow }, { screen: resized, row: places[0]?.y ?? 0 })
  return resized
}

/** A screen without history at another size: rows and columns are cut off or added, and the cursor's row stays. */
export function resizeWithoutReflow(
  screen: ScreenBuffer,
  cols: number,
  rows: number,
  place: TrackedPlace | null,
): ScreenBuffer {
  const resized = new ScreenBuffer(cols, rows, null)
  const top = place === null ? 0 : Math.max(0, place.y - rows + 1)
  for (let row = 0; row < rows && top + row < screen.rows; row++) {
    putRow(resized, row, packedRow(screen, top + row))
    if (cols !== screen.cols) resized.setWrapped(row, false)
  }
  keepWrittenRows(screen, resized, top)
  if (place !== null) {
    place.y -= top
    place.pendingWrap &&= place.x === screen.cols - 1 && cols === screen.cols
    place.x = Math.min(place.x, cols - 1)
  }
  return resized
}

/** Joins rows to lines and cuts them again at another width. */
class LineWrapper {
  readonly output = new History(Number.MAX_SAFE_INTEGER)
  /** Where the old screen's first row went. */
  topRow = 0
  readonly #oldCols: number
  readonly #cols: number
  readonly #places: readonly TrackedPlace[]
  /** What each place was before: those in the line are found by their offset in it. */
  readonly #olds: readonly TrackedPlace[]
  readonly #offsets: number[]
  #codes = new Uint32Array(1024)
  #styles = new Uint32Array(1024)
  #length = 0
  /** Where the cells of the last row begin. */
  #rowStart = 0
  #flags = 0
  #isOpen = false
  #topOffset = -1

  constructor(oldCols: number, cols: number, places: readonly TrackedPlace[]) {
    this.#oldCols = oldCols
    this.#cols = cols
    this.#places = places
    this.#olds = places.map((place) => ({ ...place }))
    this.#offsets = places.map(() => -1)
  }

  /** `screenRow` is -1 for a row of the history. */
  add(row: PackedRow, screenRow: number): void {
    if ((row.flags & ROW_WRAPPED) === 0 || !this.#isOpen) {
      this.endLine()
      this.#isOpen = true
      this.#flags = row.flags
    } else {
      this.#padLine(row)
    }
    this.#rowStart = this.#length
    if (screenRow === 0) this.#topOffset = this.#length
    for (const [index, old] of this.#olds.entries())
      if (screenRow >= 0 && old.y === screenRow) this.#offsets[index] = this.#length + old.x
    this.#reserve(this.#length + row.length)
    for (let cell = 0; cell < row.length; cell++) {
      this.#codes[this.#length + cell] = row.codes[row.start + cell] ?? EMPTY_CELL
      this.#styles[this.#length + cell] = row.styles[row.start + cell] ?? 0
    }
    this.#length += row.length
  }

  /** Writes the line out. */
  endLine(): void {
    if (!this.#isOpen) return
    const cols = (this.#flags & ROW_LINE_SIZE) !== 0 ? Math.max(1, this.#cols >> 1) : this.#cols
    if (this.#cols === this.#oldCols) this.#emitRows(cols, 0)
    else {
      while (this.#length > 0 && this.#isUnused(this.#length - 1)) this.#length--
      this.#emitRows(cols, this.#cols < 2 ? 0 : 1)
    }
    this.#length = 0
    this.#isOpen = false
    this.#topOffset = -1
    this.#offsets.fill(-1)
  }

  /** The row before is continued: its cells up to the last column count, but for a gap before a wide character. */
  #padLine(next: PackedRow): void {
    const end = this.#rowStart + this.#oldCols
    if (this.#cols !== this.#oldCols && next.length > 1 && next.codes[next.start + 1] === WIDE_SPACER) {
      if (this.#length === end && this.#codes[end - 1] === EMPTY_CELL) this.#length--
      if (this.#length === end - 1) return
    }
    if (this.#length >= end) return
    this.#reserve(end)
    this.#codes.fill(EMPTY_CELL, this.#length, end)
    this.#styles.fill(0, this.#length, end)
    this.#length = end
  }

  #emitRows(cols: number, keepWide: number): void {
    let start = 0
    do {
      let end = Math.min(this.#length, start + cols)
      // A wide character that would be cut goes to the next row whole.
      if (keepWide === 1 && end < this.#length && end - start > 1 && this.#codes[end] === WIDE_SPACER) end--
      if (start <= this.#topOffset && (this.#topOffset < end || end >= this.#length))
        this.topRow = this.output.count
      this.#place(start, end, cols)
      this.output.push({
        codes: this.#codes,
        styles: this.#styles,
        start,
        length: end - start,
        flags: start === 0 ? this.#flags : (this.#flags & ROW_LINE_SIZE) | ROW_WRAPPED,
      })
      start = end
    } while (start < this.#length)
  }

  /** Moves the places that lie in the row [start, end) of the line. */
  #place(start: number, end: number, cols: number): void {
    for (const [index, offset] of this.#offsets.entries()) {
      const place = this.#places[index]
      const isHere = offset >= start && (offset < end || end >= this.#length)
      if (place === undefined || offset < 0 || !isHere) continue
      const wasPending = this.#olds[index]?.pendingWrap ?? false
      const col = offset - start + (wasPending ? 1 : 0)
      place.y = this.output.count
      place.x = Math.min(cols - 1, col)
      place.pendingWrap = wasPending && col >= cols
      this.#offsets[index] = -1
    }
  }

  #isUnused(index: number): boolean {
    return this.#codes[index] === EMPTY_CELL && this.#styles[index] === 0
  }

  #reserve(length: number): void {
    if (length <= this.#codes.length) return
    const capacity = Math.max(length, this.#codes.length * 2)
    const codes = new Uint32Array(capacity)
    const styles = new Uint32Array(capacity)
    codes.set(this.#codes.subarray(0, this.#length))
    styles.set(this.#styles.subarray(0, this.#length))
    this.#codes = codes
    this.#styles = styles
  }
}

function isBlank(screen: ScreenBuffer, row: number): boolean {
  const slot = screen.slotOf(row)
  const start = slot * screen.cols
  const end = start + (screen.lengths[slot] ?? 0)
  for (let at = start; at < end; at++)
    if (screen.codes[at] !== EMPTY_CELL || screen.styles[at] !== 0) return false
  return true
}

function packedRow(screen: ScreenBuffer, row: number): PackedRow {
  const slot = screen.slotOf(row)
  return {
    codes: screen.codes,
    styles: screen.styles,
    start: slot * screen.cols,
    length: screen.lengths[slot] ?? 0,
    flags: screen.flags[slot] ?? 0,
  }
}

/** Copies a packed row to the screen, cut at its width. */
function putRow(screen: ScreenBuffer, row: number, packed: PackedRow): void {
  const slot = screen.slotOf(row)
  const length = Math.min(screen.cols, packed.length)
  const to = slot * screen.cols
  screen.codes.set(packed.codes.subarray(packed.start, packed.start + length), to)
  screen.styles.set(packed.styles.subarray(packed.start, packed.start + length), to)
  screen.lengths[slot] = length
  screen.flags[slot] = packed.flags
  screen.touch(slot)
  if (packed.length > length && packed.codes[packed.start + length] === WIDE_SPACER)
    screen.codes[to + length - 1] = EMPTY_CELL
}
