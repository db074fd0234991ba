import {
  BREAKS,
  CLUSTER_BASE,
  EMPTY_CELL,
  InternTable,
  SIMPLE_NARROW,
  SIMPLE_WIDE,
  WIDE_SPACER,
  codePointTable,
  firstState,
  joinedState,
  textCells,
  widthOf,
  type Grid,
  type GridTables,
} from '@transom/grid'
import type { ColorDepth } from './color-depth.ts'
import { PLAIN_LOOK, lookKey, lookOf, type Look } from './look.ts'
import { safeText } from './safe-text.ts'

/** Past this many, a program shows ever new ones: the tables begin anew, at the price of one whole drawing. */
const ENTRIES_MAX = 1 << 14
const BLANK = 0x20
const REPLACEMENT = 0xfffd

/** A row as a terminal can show it. Codes are as in a Grid; looks are numbers of a CellSource. */
export interface CellRow {
  readonly codes: Uint32Array
  readonly looks: Uint32Array
}

/**
 * Turns the cells of any Grid into ones that a terminal shows as they are: equal cells are equal numbers whichever
 * Grid they come from, no text holds a control character, and no wide character is cut.
 */
export class CellSource {
  readonly #depth: ColorDepth
  #looks = new InternTable<Look>(lookKey, PLAIN_LOOK)
  #clusters = new InternTable<string>((text) => text)
  #lookIds = new WeakMap<GridTables, number[]>()
  #codes = new WeakMap<GridTables, number[]>()

  constructor(depth: ColorDepth) {
    this.#depth = depth
  }

  get isFull(): boolean {
    return this.#looks.size > ENTRIES_MAX || this.#clusters.size > ENTRIES_MAX
  }

  /** Makes all numbers that were given out meaningless. */
  clear(): void {
    this.#looks = new InternTable<Look>(lookKey, PLAIN_LOOK)
    this.#clusters = new InternTable<string>((text) => text)
    this.#lookIds = new WeakMap()
    this.#codes = new WeakMap()
  }

  look(id: number): Look {
    return this.#looks.valueOf(id)
  }

  textOf(code: number): string {
    return code < CLUSTER_BASE ? String.fromCodePoint(code) : this.#clusters.valueOf(code - CLUSTER_BASE)
  }

  /** Whether terminals may differ on how wide a cell is: one of them may then be elsewhere after it. */
  isUncertain(code: number): boolean {
    if (code < 0x300) return false
    if (code >= CLUSTER_BASE) return true
    const value = codePointTable()[code] ?? 0
    return value !== SIMPLE_NARROW && value !== SIMPLE_WIDE
  }

  /** Whether a terminal would add a cell, written after another one, to that one's cluster. */
  joins(left: number, code: number): boolean {
    if (code < 0x80 || (!this.isUncertain(left) && !this.isUncertain(code))) return false
    const table = codePointTable()
    let state = BREAKS
    for (const character of this.textOf(left)) {
      const value = table[character.codePointAt(0) ?? 0] ?? 0
      const joined = state === BREAKS ? BREAKS : joinedState(state, value)
      state = joined === BREAKS ? firstState(value) : joined
    }
    return joinedState(state, table[this.textOf(code).codePointAt(0) ?? 0] ?? 0) !== BREAKS
  }

  /** Reads the first columns of a row, as many as `into` has. Beyond the Grid they are blank. */
  readRow(grid: Grid, row: number, into: CellRow): void {
    const { codes, looks } = into
    codes.fill(BLANK)
    looks.fill(0)
    if (row >= grid.rows) return
    const cols = Math.min(grid.cols, codes.length)
    const lookIds = entryOf(this.#lookIds, grid.tables)
    const start = row * grid.cols
    for (let col = 0; col < cols; col++) {
      const code = grid.codes[start + col] ?? EMPTY_CELL
      const styleId = grid.styleIds[start + col] ?? 0
      looks[col] = lookIds[styleId] ??= this.#looks.idOf(
        lookOf(grid.tables.styles.valueOf(styleId), this.#depth),
      )
      if (code === EMPTY_CELL || code === BLANK || code === WIDE_SPACER) continue
      if (code < 0x7f && code > BLANK) {
        codes[col] = code
        continue
      }
      const isWide = col + 1 < grid.cols && grid.codes[start + col + 1] === WIDE_SPACER
      if (isWide && col + 1 >= cols) continue // half of a character
      this.#place(this.#codeOf(grid, code), { col, isWide, into })
      if (isWide) looks[++col] = looks[col - 1] ?? 0
    }
  }

  /** Puts a character where the Grid has it, if it is as wide as the Grid says. */
  #place(code: number, { col, isWide, into }: { col: number; isWide: boolean; into: CellRow }): void {
    const { codes } = into
    const width = this.#widthOf(code)
    codes[col] = code
    if (isWide) {
      if (width === 2) codes[col + 1] = WIDE_SPACER
      return
    }
    const first = this.textOf(code).codePointAt(0) ?? 0
    const firstWidth = widthOf(codePointTable()[first] ?? 0)
    if (width === 2) codes[col] = firstWidth === 1 ? first : REPLACEMENT
    // A character that becomes narrow through what follows it has to be written as a wide one first.
    else if (firstWidth === 2 && col + 1 >= codes.length) codes[col] = REPLACEMENT
  }

  #widthOf(code: number): number {
    if (code < CLUSTER_BASE) return widthOf(codePointTable()[code] ?? 0)
    return textCells(this.textOf(code))[0]?.width ?? 1
  }

  #codeOf(grid: Grid, code: number): number {
    if (code < CLUSTER_BASE) return this.#intern(String.fromCodePoint(code))
    const codes = entryOf(this.#codes, grid.tables)
    const id = code - CLUSTER_BASE
    return (codes[id] ??= this.#intern(grid.tables.clusters.valueOf(id)))
  }

  /** The code of what a cell can show of a text: its first cluster. */
  #intern(text: string): number {
    const shown = textCells(safeText(text))[0]?.text ?? ' '
    const first = shown.codePointAt(0) ?? BLANK
    return shown.length === (first > 0xffff ? 2 : 1) ? first : CLUSTER_BASE + this.#clusters.idOf(shown)
  }
}

function entryOf(map: WeakMap<GridTables, number[]>, tables: GridTables): number[] {
  const known = map.get(tables)
  if (known !== undefined) return known
  const entry: number[] = []
  map.set(tables, entry)
  return entry
}
