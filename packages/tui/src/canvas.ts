import {
  CLUSTER_BASE,
  DEFAULT_STYLE,
  EMPTY_CELL,
  Grid,
  WIDE_SPACER,
  createGridTables,
  textCells,
  textWidth,
  type GridTables,
  type InternedGridTables,
  type Style,
} from '@transom/grid'
import { lineText } from './safe-text.ts'

export interface Rect {
  readonly row: number
  readonly col: number
  readonly rows: number
  readonly cols: number
}

/** What differs from the default. */
export type StyleChange = Partial<Style>

/** More styles or clusters than this are left from what was shown long ago. */
const ENTRIES_MAX = 1 << 14

const BOX = { top: '┌─┐', bottom: '└─┘', side: '│' }

/**
 * Composes the Grid of a full-screen program. Everything is clipped to a rectangle: nothing is drawn outside of it,
 * and a wide character that does not fit becomes a blank. Text is drawn in one line, without control characters.
 */
export class Canvas {
  #grid: Grid
  #tables: InternedGridTables = createGridTables()
  #copied = new WeakMap<GridTables, CopiedIds>()

  constructor(cols: number, rows: number) {
    this.#grid = new Grid(cols, rows, this.#tables)
  }

  /** What has been drawn. The same object until the next begin(). */
  get grid(): Grid {
    return this.#grid
  }

  get cols(): number {
    return this.#grid.cols
  }

  get rows(): number {
    return this.#grid.rows
  }

  get area(): Rect {
    return { row: 0, col: 0, rows: this.rows, cols: this.cols }
  }

  /** Begins a new picture, which is empty. */
  begin(cols = this.cols, rows = this.rows): void {
    if (this.#tables.styles.size > ENTRIES_MAX || this.#tables.clusters.size > ENTRIES_MAX) {
      this.#tables = createGridTables()
      this.#copied = new WeakMap()
    }
    this.#grid = new Grid(cols, rows, this.#tables)
  }

  /** Puts text into the first row of a rectangle, and returns how many columns it took. */
  text(at: Rect, text: string, style: StyleChange = {}): number {
    const area = this.#clip(at)
    if (area.rows === 0 || area.row !== at.row) return 0
    const styleId = this.#styleId(style)
    const end = at.col + at.cols
    let col = at.col
    for (const cell of textCells(lineText(text))) {
      if (col + cell.width > end) break
      const isInside = col >= area.col && col + cell.width <= area.col + area.cols
      if (isInside) this.#put(area.row, col, cell, styleId)
      col += cell.width
    }
    return col - at.col
  }

  /** As text(), at the right end of the rectangle; what does not fit is cut off at its own end. */
  textRight(at: Rect, text: string, style: StyleChange = {}): number {
    const width = Math.min(textWidth(lineText(text)), at.cols)
    return this.text({ ...at, col: at.col + at.cols - width, cols: width }, text, style)
  }

  /** Fills a rectangle with blanks, or with a character of one column. */
  paint(at: Rect, style: StyleChange = {}, character = ' '): void {
    const area = this.#clip(at)
    const styleId = this.#styleId(style)
    const [cell] = textCells(lineText(character))
    if (cell?.width !== 1) throw new RangeError(`${JSON.stringify(character)} does not fill a column`)
    for (let row = area.row; row < area.row + area.rows; row++)
      for (let col = area.col; col < area.col + area.cols; col++) this.#put(row, col, cell, styleId)
  }

  /** Draws a frame with a title, and returns the rectangle inside of it. */
  box(at: Rect, style: StyleChange = {}, title = ''): Rect {
    const inner = {
      row: at.row + 1,
      col: at.col + 1,
      rows: Math.max(0, at.rows - 2),
      cols: Math.max(0, at.cols - 2),
    }
    if (at.rows < 2 || at.cols < 2) return { ...inner, rows: 0, cols: 0 }
    const line = ([left, middle, right]: Iterable<string> & string) =>
      `${left}${(middle ?? '').repeat(inner.cols)}${right}`
    this.text({ ...at, rows: 1 }, line(BOX.top), style)
    this.text({ ...at, row: at.row + at.rows - 1, rows: 1 }, line(BOX.bottom), style)
    for (const col of [at.col, at.col + at.cols - 1])
      this.paint({ row: inner.row, col, rows: inner.rows, cols: 1 }, style, BOX.side)
    const room = { ...at, col: at.col + 2, cols: Math.max(0, at.cols - 4) }
    if (title !== '') this.text(room, ` ${title} `, style)
    return inner
  }

  /** Draws a line through the first row of a rectangle. */
  rule(at: Rect, style: StyleChange = {}): void {
    this.paint({ ...at, rows: Math.min(1, at.rows) }, style, '─')
  }

  /** Fills the first row of a rectangle: text from the left, and text at the right end that gives way to it. */
  statusLine(at: Rect, left: string, options: { right?: string; style?: StyleChange } = {}): void {
    const { right = '', style = { inverse: true } } = options
    const line = { ...at, rows: Math.min(1, at.rows) }
    this.paint(line, style)
    const used = this.text(line, left, style)
    const room = at.cols - used - 1
    if (right !== '' && textWidth(lineText(right)) <= room) this.textRight(line, right, style)
  }

  /** Copies a Grid into a rectangle, from a cell of it on. What the Grid does not have stays as it is. */
  copy(
    source: Grid,
    at: Rect,
    from: { readonly row: number; readonly col: number } = { row: 0, col: 0 },
  ): void {
    const area = this.#clip(at)
    const ids = this.#copiedIds(source.tables)
    for (let row = area.row; row < area.row + area.rows; row++) {
      const sourceRow = row - at.row + from.row
      if (sourceRow < 0 || sourceRow >= source.rows) continue
      const first = Math.max(area.col, at.col - from.col)
      const end = Math.min(area.col + area.cols, at.col - from.col + source.cols)
      const shift = sourceRow * source.cols - at.col + from.col
      for (let col = first; col < end; col++) {
        const code = source.codes[shift + col] ?? EMPTY_CELL
        const styleId = source.styleIds[shift + col] ?? 0
        const id = (ids.styles[styleId] ??= this.#tables.styles.idOf(source.tables.styles.valueOf(styleId)))
        const isWide =
          col + 1 < at.col - from.col + source.cols && source.codes[shift + col + 1] === WIDE_SPACER
        if (code === WIDE_SPACER || (isWide && col + 1 >= end)) {
          this.#put(row, col, { text: ' ', width: 1 }, id) // half of a character
          continue
        }
        this.#split(row, col, isWide ? 2 : 1)
        this.#set(row, col, this.#copiedCode(source, code, ids), id)
        if (isWide) this.#set(row, ++col, WIDE_SPACER, id)
      }
    }
  }

  #put(
    row: number,
    col: number,
    cell: { readonly text: string; readonly width: 1 | 2 },
    styleId: number,
  ): void {
    this.#split(row, col, cell.width)
    this.#set(row, col, this.#codeOf(cell.text), styleId)
    if (cell.width === 2) this.#set(row, col + 1, WIDE_SPACER, styleId)
  }

  /** Before columns are written to: a wide character that is half inside of them goes. */
  #split(row: number, col: number, width: number): void {
    const { codes, cols } = this.#grid
    const at = row * cols + col
    if (codes[at] === WIDE_SPACER) codes[at - 1] = EMPTY_CELL
    if (col + width < cols && codes[at + width] === WIDE_SPACER) codes[at + width] = EMPTY_CELL
  }

  #set(row: number, col: number, code: number, styleId: number): void {
    const at = row * this.cols + col
    this.#grid.codes[at] = code
    this.#grid.styleIds[at] = styleId
  }

  #codeOf(text: string): number {
    const first = text.codePointAt(0) ?? EMPTY_CELL
    const isSingle = text.length === (first > 0xffff ? 2 : 1)
    return isSingle ? first : CLUSTER_BASE + this.#tables.clusters.idOf(text)
  }

  #copiedCode(source: Grid, code: number, ids: CopiedIds): number {
    if (code < CLUSTER_BASE) return code
    const id = code - CLUSTER_BASE
    return (ids.clusters[id] ??=
      CLUSTER_BASE + this.#tables.clusters.idOf(source.tables.clusters.valueOf(id)))
  }

  #copiedIds(tables: GridTables): CopiedIds {
    const known = this.#copied.get(tables)
    if (known !== undefined) return known
    const ids = { styles: [], clusters: [] }
    this.#copied.set(tables, ids)
    return ids
  }

  #styleId(style: StyleChange): number {
    return this.#tables.styles.idOf({ ...DEFAULT_STYLE, ...style })
  }

  #clip({ row, col, rows, cols }: Rect): Rect {
    const top = Math.min(Math.max(0, row), this.rows)
    const left = Math.min(Math.max(0, col), this.cols)
    const bottom = Math.max(top, Math.min(row + rows, this.rows))
    const right = Math.max(left, Math.min(col + cols, this.cols))
    return { row: top, col: left, rows: bottom - top, cols: right - left }
  }
}

/** What styles and clusters of another Grid are called in this one. */
interface CopiedIds {
  readonly styles: number[]
  readonly clusters: number[]
}
