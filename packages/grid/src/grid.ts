import { InternTable } from './intern-table.ts'
import { hasRightToLeft, inReadingOrder, type ShownCharacter } from './reading-order.ts'
import { DEFAULT_STYLE, type Style } from './style.ts'

/** A cell that was never written, or was erased. It reads as a blank, but not as one that was typed. */
export const EMPTY_CELL = 0
/** The right half of a wide character. */
export const WIDE_SPACER = 0xffff_ffff
/** Cell codes from here up to WIDE_SPACER are ids of grapheme clusters; below are code points. */
export const CLUSTER_BASE = 0x0020_0000

/** Values by number. Append-only, so that Grids of different moments can share one. */
export interface ValueTable<T> {
  readonly size: number
  valueOf(id: number): T
}

/** What the cell codes and style ids of a Grid mean. */
export interface GridTables {
  readonly styles: ValueTable<Style>
  readonly clusters: ValueTable<string>
}

/** Tables that a Grid's maker fills. */
export interface InternedGridTables {
  readonly styles: InternTable<Style>
  readonly clusters: InternTable<string>
}

export function createGridTables(): InternedGridTables {
  return {
    styles: new InternTable((style) => JSON.stringify(style), DEFAULT_STYLE),
    clusters: new InternTable((cluster) => cluster),
  }
}

/**
 * How the text of a row stands in its cells: as a program wrote it, or as it was painted, where what is read from right
 * to left has its beginning on the right.
 */
export type TextOrder = 'written' | 'painted'

/**
 * The cell model of the whole product: emulators fill it; text, hash, diff, pictures and viewers read it.
 * Row by row in typed arrays, without an object per cell.
 */
export class Grid {
  readonly cols: number
  readonly rows: number
  readonly tables: GridTables
  /** A code point, a cluster (CLUSTER_BASE + id), EMPTY_CELL or WIDE_SPACER. */
  readonly codes: Uint32Array
  readonly styleIds: Uint32Array
  /** 1 where a row goes on from the row above without a line break. */
  readonly wrapped: Uint8Array
  readonly textOrder: TextOrder

  constructor(cols: number, rows: number, tables: GridTables, textOrder: TextOrder = 'written') {
    this.cols = cols
    this.rows = rows
    this.tables = tables
    this.codes = new Uint32Array(cols * rows)
    this.styleIds = new Uint32Array(cols * rows)
    this.wrapped = new Uint8Array(rows)
    this.textOrder = textOrder
  }

  clone(): Grid {
    const copy = new Grid(this.cols, this.rows, this.tables, this.textOrder)
    copy.codes.set(this.codes)
    copy.styleIds.set(this.styleIds)
    copy.wrapped.set(this.wrapped)
    return copy
  }

  isWrapped(rowIndex: number): boolean {
    return this.wrapped[rowIndex] === 1
  }

  /** The text of the cells [fromCol, toCol) of a row; empty cells read as blanks. */
  textOf(rowIndex: number, fromCol = 0, toCol = this.cols): string {
    const start = rowIndex * this.cols
    let text = ''
    for (let index = start + fromCol; index < start + toCol; index++) {
      const code = this.codes[index] ?? EMPTY_CELL
      if (code !== WIDE_SPACER) text += this.#character(code)
    }
    return text
  }

  /** One past the last cell of a row that was written to. */
  usedCols(rowIndex: number): number {
    const start = rowIndex * this.cols
    let used = this.cols
    while (used > 0 && this.codes[start + used - 1] === EMPTY_CELL) used--
    return used
  }

  /** A row as people read it: in reading order, without trailing blanks. */
  lineOf(rowIndex: number): string {
    return this.readingOf(rowIndex).trimEnd()
  }

  /** The text of a row in the order in which it is read, up to the last cell that was written to. */
  readingOf(rowIndex: number): string {
    const text = this.textOf(rowIndex, 0, this.usedCols(rowIndex))
    if (this.textOrder === 'written' || !hasRightToLeft(text)) return text
    return this.charactersOf(rowIndex)
      .map((character) => character.text)
      .join('')
  }

  /** The characters of a row in the order in which they are read, each with its cell. */
  charactersOf(rowIndex: number): ShownCharacter[] {
    const row: ShownCharacter[] = []
    const used = this.usedCols(rowIndex)
    for (let col = 0; col < used; col++) {
      if (this.codes[rowIndex * this.cols + col] !== WIDE_SPACER)
        row.push({ text: this.textOf(rowIndex, col, col + 1), col })
    }
    return this.textOrder === 'painted' ? inReadingOrder(row) : row
  }

  #character(code: number): string {
    if (code === EMPTY_CELL) return ' '
    if (code < CLUSTER_BASE) return String.fromCodePoint(code)
    return this.tables.clusters.valueOf(code - CLUSTER_BASE)
  }
}

/** Whether two rows, of Grids with the same tables, show the same: text, styles and wrap flag. */
export function sameRow(a: Grid, b: Grid, rowIndex: number): boolean {
  if (a.isWrapped(rowIndex) !== b.isWrapped(rowIndex)) return false
  const end = (rowIndex + 1) * a.cols
  for (let index = rowIndex * a.cols; index < end; index++) {
    if (a.codes[index] !== b.codes[index] || a.styleIds[index] !== b.styleIds[index]) return false
  }
  return true
}

/** The rows of `now` that differ from `before`; all of them when the two cannot be compared cell by cell. */
export function changedRows(before: Grid, now: Grid): number[] {
  const comparable = before.tables === now.tables && before.cols === now.cols && before.rows === now.rows
  return Array.from({ length: now.rows }, (_, rowIndex) => rowIndex).filter(
    (rowIndex) => !comparable || !sameRow(before, now, rowIndex),
  )
}
