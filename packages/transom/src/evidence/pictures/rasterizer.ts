/**
 * Pictures of a terminal. How the parts are used together:
 *
 *     const atlas = new GlyphAtlas(bytes of assets/glyphs-2.bin)        // one file for each scale, 1 to 3
 *     const rasterizer = new Rasterizer(new GlyphSet(atlas), { theme: DARK_THEME })
 *     const raster = rasterizer.draw({ grid, cursor, title })           // { width, height, rgba }; a Frame will do
 *     const png = encodePng(raster)
 *
 * For one picture `rasterize(view, glyphs, options)` is the same in one call. For many, keep the Rasterizer: it paints
 * only the rows that have changed since the last draw(), into the raster that it gave out before, so that a raster is
 * valid until the next draw(). Give it `size` when the frames differ in size: all pictures then have that many cells.
 *
 * `ApngEncoder` and `GifEncoder` take successive rasters of one size, each with how long it is shown, keep one of them,
 * and write out only the rows that differ:
 *
 *     const encoder = new ApngEncoder({ width, height })   // or new GifEncoder({ width, height })
 *     write(encoder.add(raster, durationMs))               // bytes, as they become known
 *     const { bytes, patch } = encoder.end()               // a GIF has no patch
 *     write(bytes)
 *     writeAt(patch.offset, patch.bytes)                   // what only the end knows, over what stands there
 *
 * Nothing here knows a file, a clock or a process; deflate is the one thing taken from Node.
 */
import type { CursorState } from '@transom/protocol'
import { CLUSTER_BASE, EMPTY_CELL, WIDE_SPACER, changedRows, type Grid, type GridTables } from '@transom/grid'
import { drawCellLines } from './cell-lines.ts'
import { cellLook, cursorLook, pixelOf, type CellLook } from './cell-look.ts'
import type { Glyph } from './glyph.ts'
import type { GlyphSet } from './glyph-set.ts'
import { paintGlyph } from './paint-glyph.ts'
import { createRaster, fillRect, type PixelRaster, type Raster } from './raster.ts'
import { DARK_THEME, type Theme } from './theme.ts'
import { windowInsets, drawWindow, type Insets } from './window-frame.ts'

/** What is drawn: a Frame, or what is left of one. */
export interface PictureView {
  readonly grid: Grid
  readonly cursor: CursorState
  readonly title?: string
}

export interface PictureOptions {
  readonly theme?: Theme
  /** Empty space around the cells, in pixels of scale 1. */
  readonly padding?: number
  readonly showCursor?: boolean
  /** A window around it, with this title; the terminal's own when it is empty. */
  readonly window?: { readonly title: string } | null
  /** The cells to show: [from, to), clipped to the Grid. */
  readonly crop?: CellRange | null
  /** The picture's size in cells, when it is not the Grid's own. */
  readonly size?: { readonly cols: number; readonly rows: number } | null
}

export interface CellRange {
  readonly fromRow: number
  readonly toRow: number
  readonly fromCol: number
  readonly toCol: number
}

export const PADDING_DEFAULT = 8

export function rasterize(view: PictureView, glyphs: GlyphSet, options: PictureOptions = {}): Raster {
  return new Rasterizer(glyphs, options).draw(view)
}

/** The cells of a Grid that a picture shows. */
export function rangeOf({ cols, rows }: Grid, { crop }: PictureOptions): CellRange {
  const { fromRow = 0, toRow = rows, fromCol = 0, toCol = cols } = crop ?? {}
  return { fromRow, toRow: Math.min(toRow, rows), fromCol, toCol: Math.min(toCol, cols) }
}

export class Rasterizer {
  readonly #glyphs: GlyphSet
  readonly #theme: Theme
  readonly #options: PictureOptions
  readonly #insets: Insets
  #raster: PixelRaster | null = null
  #last: PictureView | null = null
  #tables: GridTables | null = null
  #looks: CellLook[] = []
  /** The glyphs of single code points, without the text that the set knows them by. */
  readonly #byCode = new Map<number, Glyph | null>()

  constructor(glyphs: GlyphSet, options: PictureOptions = {}) {
    this.#glyphs = glyphs
    this.#options = options
    this.#theme = options.theme ?? DARK_THEME
    const padding = (options.padding ?? PADDING_DEFAULT) * glyphs.cell.line
    this.#insets = windowInsets(padding, (options.window ?? null) !== null, glyphs.cell)
  }

  draw(view: PictureView): PixelRaster {
    if (view.grid.tables !== this.#tables) {
      this.#tables = view.grid.tables
      this.#looks = []
      this.#last = null
    }
    const { cols, rows } = this.#options.size ?? this.#shownSize(view.grid)
    const { width: cellWidth, height: cellHeight } = this.#glyphs.cell
    const { left, top, right, bottom } = this.#insets
    const width = left + cols * cellWidth + right
    const height = top + rows * cellHeight + bottom
    let raster = this.#raster
    if (raster?.width !== width || raster.height !== height) {
      this.#raster = raster = createRaster(width, height)
      this.#last = null
    }
    const before = this.#last
    const title = this.#titleOf(view)
    if (before === null || !isSameSize(before.grid, view.grid) || this.#titleOf(before) !== title) {
      raster.pixels.fill(pixelOf(this.#theme.background))
      if (title !== null)
        drawWindow(raster, title, { glyphs: this.#glyphs, theme: this.#theme, insets: this.#insets })
      this.#paintRows(raster, view, this.#allRows(view.grid))
    } else {
      const touched = new Set(changedRows(before.grid, view.grid)).add(before.cursor.row).add(view.cursor.row)
      this.#paintRows(
        raster,
        view,
        this.#allRows(view.grid).filter((row) => touched.has(row)),
      )
    }
    this.#last = view
    return raster
  }

  #titleOf(view: PictureView): string | null {
    const { window } = this.#options
    if (window === null || window === undefined) return null
    return window.title || (view.title ?? '')
  }

  #shownSize(grid: Grid): { cols: number; rows: number } {
    const { fromRow, toRow, fromCol, toCol } = rangeOf(grid, this.#options)
    return { cols: Math.max(1, toCol - fromCol), rows: Math.max(1, toRow - fromRow) }
  }

  #allRows(grid: Grid): number[] {
    const { fromRow, toRow } = rangeOf(grid, this.#options)
    const shown = Math.min(toRow, fromRow + (this.#options.size?.rows ?? Number.MAX_SAFE_INTEGER))
    return Array.from({ length: Math.max(0, shown - fromRow) }, (_, index) => fromRow + index)
  }

  #paintRows(raster: PixelRaster, view: PictureView, rows: readonly number[]): void {
    const range = rangeOf(view.grid, this.#options)
    const toCol = Math.min(range.toCol, range.fromCol + (this.#options.size?.cols ?? Number.MAX_SAFE_INTEGER))
    const { width, height } = this.#glyphs.cell
    for (const row of rows) {
      const line: RowPlace = {
        row,
        top: this.#insets.top + (row - range.fromRow) * height,
        left: this.#insets.left - range.fromCol * width,
        fromCol: range.fromCol,
        toCol,
      }
      this.#paintBackgrounds(raster, view.grid, line)
      this.#paintCells(raster, view.grid, line)
      if (view.cursor.row === row) this.#paintCursor(raster, view, line)
    }
  }

  /** In runs of one colour: most of a screen is background. */
  #paintBackgrounds(raster: PixelRaster, grid: Grid, { row, top, left, fromCol, toCol }: RowPlace): void {
    const { width, height } = this.#glyphs.cell
    for (let col = fromCol; col < toCol;) {
      const start = col
      const { background } = this.#look(grid, row, col)
      while (col < toCol && this.#look(grid, row, col).background === background) col++
      fillRect(raster, [left + start * width, top, left + col * width, top + height], background)
    }
  }

  #paintCells(raster: PixelRaster, grid: Grid, line: RowPlace): void {
    const start = line.row * grid.cols
    for (let col = line.fromCol; col < line.toCol; col++) {
      const code = grid.codes[start + col] ?? EMPTY_CELL
      if (code === WIDE_SPACER) continue
      const look = this.#look(grid, line.row, col)
      if (code !== EMPTY_CELL || look.hasLines) this.#paintCell(raster, { grid, look, line, col })
    }
  }

  #paintCell(raster: PixelRaster, { grid, look, line, col }: CellPlace): void {
    const { cell } = this.#glyphs
    const index = line.row * grid.cols + col
    const code = grid.codes[index] ?? EMPTY_CELL
    const cells = col + 1 < grid.cols && grid.codes[index + 1] === WIDE_SPACER ? 2 : 1
    const left = line.left + col * cell.width
    if (code !== EMPTY_CELL) {
      const glyph = this.#glyphOf(grid, code, look.face, cells)
      if (glyph !== null && look.foreground !== look.background)
        paintGlyph(raster, glyph, { look, left, top: line.top, widthMax: cells * cell.width })
    }
    if (look.hasLines) drawCellLines(raster, look, { left, top: line.top, width: cells * cell.width, cell })
  }

  #glyphOf(grid: Grid, code: number, face: number, cells: number): Glyph | null {
    if (code >= CLUSTER_BASE)
      return this.#glyphs.find(grid.tables.clusters.valueOf(code - CLUSTER_BASE), face, cells)
    const key = code * 8 + face * 2 + cells - 1
    let glyph = this.#byCode.get(key)
    if (glyph === undefined)
      this.#byCode.set(key, (glyph = this.#glyphs.find(String.fromCodePoint(code), face, cells)))
    return glyph
  }

  #paintCursor(raster: PixelRaster, { grid, cursor }: PictureView, line: RowPlace): void {
    if (!cursor.visible || this.#options.showCursor === false) return
    const index = line.row * grid.cols
    const col = grid.codes[index + cursor.col] === WIDE_SPACER ? cursor.col - 1 : cursor.col
    if (col < line.fromCol || col >= line.toCol) return
    const { cell } = this.#glyphs
    const cells = grid.codes[index + col + 1] === WIDE_SPACER && col + 1 < grid.cols ? 2 : 1
    const [left, top] = [line.left + col * cell.width, line.top]
    const [right, bottom] = [left + cells * cell.width, top + cell.height]
    const pixel = pixelOf(this.#theme.cursor)
    if (cursor.shape === 'bar') fillRect(raster, [left, top, left + cell.line * 2, bottom], pixel)
    else if (cursor.shape === 'underline')
      fillRect(raster, [left, bottom - cell.line * 2, right, bottom], pixel)
    else {
      const look = cursorLook(this.#look(grid, line.row, col), this.#theme)
      fillRect(raster, [left, top, right, bottom], look.background)
      this.#paintCell(raster, { grid, look, line, col })
    }
  }

  #look(grid: Grid, row: number, col: number): CellLook {
    const id = grid.styleIds[row * grid.cols + col] ?? 0
    return (this.#looks[id] ??= cellLook(grid.tables.styles.valueOf(id), this.#theme))
  }
}

/** Where a row of cells is painted. */
interface RowPlace {
  readonly row: number
  readonly top: number
  /** Where column 0 would lie. */
  readonly left: number
  readonly fromCol: number
  readonly toCol: number
}

interface CellPlace {
  readonly grid: Grid
  readonly look: CellLook
  readonly line: RowPlace
  readonly col: number
}

function isSameSize(a: Grid, b: Grid): boolean {
  return a.cols === b.cols && a.rows === b.rows
}
