import { WIDE_SPACER, type Grid } from '@transom/grid'
import { CellSource, type CellRow } from './cell-source.ts'
import type { ColorDepth } from './color-depth.ts'
import { lookChange } from './look.ts'

export interface Cursor {
  readonly row: number
  readonly col: number
  readonly visible: boolean
  readonly shape: 'block' | 'underline' | 'bar'
  readonly blink: boolean
}

export interface ScreenWriterOptions {
  /** The size of the terminal. What a Grid has beyond it is not shown. */
  readonly cols: number
  readonly rows: number
  readonly colors?: ColorDepth
  /** Whether a drawing is wrapped in a synchronized update (mode 2026), which terminals without it ignore. */
  readonly synchronized?: boolean
}

const BLANK = 0x20
const PLAIN = 0
/** Moving over so many columns costs no less than writing them again. */
const GAP_COLS_MAX = 3
/** Erasing to the end of a row costs this many characters. */
const ERASE_COLS_MIN = 4
/** A drawing that is longer than this is seen while it arrives: the cursor is hidden meanwhile. */
const QUIET_CHARS_MAX = 32

/**
 * Draws Grids onto a terminal: knows what the terminal shows, and emits what changes it into the next Grid. All that
 * it emits is cells, the sequences for their looks, and moves of the cursor: no control character of any text goes
 * through. The terminal has to be in its usual modes, with autowrap off (mode 7), and is for this writer alone.
 */
export class ScreenWriter {
  readonly #source: CellSource
  readonly #synchronized: boolean
  #cols = 0
  #rows = 0
  /** What the terminal shows, row by row; null if that is not known. */
  #shown: CellRow[] | null = null
  #next: CellRow = cellRow(0)
  #changed = new Uint8Array(0)
  /** Where the terminal writes next; -1 for somewhere. */
  #row = -1
  #col = -1
  #look = PLAIN
  #isCursorShown: boolean | null = null
  #cursorStyle = 0
  #out = ''

  constructor(options: ScreenWriterOptions) {
    this.#source = new CellSource(options.colors ?? 'true')
    this.#synchronized = options.synchronized ?? false
    this.resize(options.cols, options.rows)
  }

  get cols(): number {
    return this.#cols
  }

  get rows(): number {
    return this.#rows
  }

  /** Takes a new size of the terminal. What it shows then depends on the terminal: all is drawn again. */
  resize(cols: number, rows: number): void {
    this.#cols = cols
    this.#rows = rows
    this.#next = cellRow(cols)
    this.#changed = new Uint8Array(cols + 2)
    this.forget()
  }

  /** Forgets what the terminal shows: the next drawing begins with an erased screen. */
  forget(): void {
    this.#shown = null
  }

  /** What makes the terminal show a Grid from its top left corner, and the cursor; empty if it does already. */
  draw(grid: Grid, cursor: Cursor | null = null): string {
    this.#out = ''
    if (this.#source.isFull) {
      this.#source.clear()
      this.forget()
    }
    for (const [row, shown] of (this.#shown ?? this.#erase()).entries()) {
      this.#source.readRow(grid, row, this.#next)
      if (this.#compare(shown)) this.#drawRow(row, shown)
    }
    const hides = this.#out.length > QUIET_CHARS_MAX && this.#isCursorShown !== false
    if (hides) {
      this.#out = `\u001b[?25l${this.#out}`
      this.#isCursorShown = false
    }
    this.#placeCursor(cursor)
    return this.#out !== '' && this.#synchronized ? `\u001b[?2026h${this.#out}\u001b[?2026l` : this.#out
  }

  #erase(): CellRow[] {
    this.#out += '\u001b[m\u001b[2J'
    this.#row = -1
    this.#look = PLAIN
    this.#isCursorShown = null
    this.#cursorStyle = 0
    this.#shown = Array.from({ length: this.#rows }, () => cellRow(this.#cols))
    return this.#shown
  }

  /** Marks the columns that have to be written; false for none. To touch half of a wide character is to touch it all. */
  #compare(shown: CellRow): boolean {
    const { codes, looks } = this.#next
    const changed = this.#changed
    let any = false
    for (let col = 0; col < this.#cols; col++) {
      const differs = codes[col] !== shown.codes[col] || looks[col] !== shown.looks[col]
      changed[col] = differs ? 1 : 0
      any ||= differs
    }
    if (!any) return false
    for (let col = 0; col < this.#cols; col++) {
      if (shown.codes[col + 1] === WIDE_SPACER || codes[col + 1] === WIDE_SPACER)
        if (changed[col] === 1 || changed[col + 1] === 1) changed[col] = changed[col + 1] = 1
      // What a terminal does to the cell after one of uncertain width is not known.
      if (changed[col] === 1 && this.#source.isUncertain(codes[col] ?? BLANK)) changed[this.#after(col)] = 1
    }
    return true
  }

  /** Writes the cells that differ, and notes what is shown then. */
  #drawRow(row: number, shown: CellRow): void {
    const { codes, looks } = this.#next
    const end = this.#erasableFrom()
    for (let col = 0; col < end; col = this.#after(col)) {
      if (this.#changed[col] === 0 || codes[col] === WIDE_SPACER) continue
      const chain = this.#chainAt(col)
      if (chain.length === 1) this.#writeCell(row, col)
      else this.#writeChain(row, chain)
      col = chain.at(-1) ?? col
    }
    if (end < this.#cols) {
      this.#reach(row, end)
      this.#setLook(PLAIN)
      this.#out += '\u001b[K'
    }
    shown.codes.set(codes)
    shown.looks.set(looks)
  }

  /** The first changed column of a blank rest of the row that is worth erasing. */
  #erasableFrom(): number {
    const { codes, looks } = this.#next
    let first = this.#cols
    let count = 0
    for (let col = this.#cols - 1; col >= 0 && codes[col] === BLANK && looks[col] === PLAIN; col--) {
      if (this.#changed[col] === 0) continue
      first = col
      count++
    }
    return count >= ERASE_COLS_MIN ? first : this.#cols
  }

  /** The cells around a column of which each would be joined to the one on its left by a terminal. */
  #chainAt(col: number): number[] {
    const { codes } = this.#next
    const joins = (left: number, right: number) =>
      this.#source.joins(codes[left] ?? BLANK, codes[right] ?? BLANK)
    const chain = [col]
    for (let first = col; first > 0;) {
      const left = codes[first - 1] === WIDE_SPACER ? first - 2 : first - 1
      if (!joins(left, first)) break
      chain.unshift(left)
      first = left
    }
    for (let last = col; ;) {
      const right = this.#after(last)
      if (right >= this.#cols || !joins(last, right)) return chain
      chain.push(right)
      last = right
    }
  }

  /** Writes such cells from right to left, each after an erased one: nothing is joined to that. */
  #writeChain(row: number, chain: readonly number[]): void {
    const [first = 0] = chain
    this.#reach(row, first)
    this.#setLook(PLAIN)
    this.#out += `\u001b[${this.#after(chain.at(-1) ?? 0) - first}X`
    for (const col of chain.toReversed()) {
      this.#col = -1
      this.#writeCell(row, col)
    }
    this.#col = -1
  }

  #writeCell(row: number, col: number): void {
    const code = this.#next.codes[col] ?? BLANK
    this.#reach(row, col)
    this.#setLook(this.#next.looks[col] ?? PLAIN)
    this.#out += this.#source.textOf(code)
    const next = this.#after(col)
    // After the last column some terminals stand on it and some past it.
    this.#col = next >= this.#cols || this.#source.isUncertain(code) ? -1 : next
  }

  /** Moves to a column of the row that is being drawn. */
  #reach(row: number, col: number): void {
    const gap = row === this.#row && this.#col >= 0 ? col - this.#col : -1
    const text = gap > 0 && gap <= GAP_COLS_MAX ? this.#gapText(this.#col, col) : null
    if (text === null) return this.#moveTo(row, col)
    this.#out += text
    this.#col = col
  }

  /** The unchanged cells between two columns, if nothing but their text is needed to write them again. */
  #gapText(from: number, to: number): string | null {
    let text = ''
    for (let col = from; col < to; col++) {
      const code = this.#next.codes[col] ?? BLANK
      if (code > 0x7e || this.#next.looks[col] !== this.#look) return null
      text += String.fromCodePoint(code)
    }
    return text
  }

  #moveTo(row: number, col: number): void {
    if (row !== this.#row) {
      const place = col === 0 ? (row === 0 ? '' : `${row + 1}`) : `${row + 1};${col + 1}`
      this.#out += `\u001b[${place}H`
    } else if (this.#col < 0 || col < this.#col) {
      this.#out += `\u001b[${col + 1}G`
    } else if (col > this.#col) {
      const cols = col - this.#col
      this.#out += `\u001b[${cols === 1 ? '' : cols}C`
    }
    this.#row = row
    this.#col = col
  }

  #setLook(look: number): void {
    if (look === this.#look) return
    this.#out += lookChange(this.#source.look(this.#look), this.#source.look(look))
    this.#look = look
  }

  #placeCursor(cursor: Cursor | null): void {
    const isInside = cursor !== null && cursor.row < this.#rows && cursor.col < this.#cols
    if (!isInside || !cursor.visible) {
      if (this.#isCursorShown !== false) this.#out += '\u001b[?25l'
      this.#isCursorShown = false
      return
    }
    this.#moveTo(cursor.row, cursor.col)
    const style = { block: 1, underline: 3, bar: 5 }[cursor.shape] + (cursor.blink ? 0 : 1) // DECSCUSR
    if (style !== this.#cursorStyle) this.#out += `\u001b[${style} q`
    if (this.#isCursorShown !== true) this.#out += '\u001b[?25h'
    this.#cursorStyle = style
    this.#isCursorShown = true
  }

  /** The column after a cell of the next row. */
  #after(col: number): number {
    return col + (this.#next.codes[col + 1] === WIDE_SPACER ? 2 : 1)
  }
}

function cellRow(cols: number): CellRow {
  return { codes: new Uint32Array(cols).fill(BLANK), looks: new Uint32Array(cols) }
}
