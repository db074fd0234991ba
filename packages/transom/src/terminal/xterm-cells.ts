/**
 * How @xterm/headless 6 stores a line: three 32-bit words a cell (content, foreground, background) and side
 * tables for combined characters and extended attributes. Reading them straight is ten times faster than its
 * public cell API. Only this file and xterm-emulator.ts know; the exact version is pinned.
 */
import { CLUSTER_BASE, EMPTY_CELL, WIDE_SPACER, type Grid, type InternedGridTables } from '../grid/grid.ts'
import { DEFAULT_COLOR, RGB_COLOR, UNDERLINES, type Style, type Underline } from '../grid/style.ts'

export interface XtermLine {
  readonly length: number
  readonly isWrapped: boolean
  readonly _data: Uint32Array
  readonly _combined: Readonly<Record<number, string>>
  readonly _extendedAttrs: Readonly<Record<number, XtermExtendedAttributes | undefined>>
}

interface XtermExtendedAttributes {
  readonly underlineStyle: number
  readonly underlineColor: number
  readonly urlId: number
}

const WORDS_PER_CELL = 3
const CODE_POINT_MASK = 0x1f_ffff
const IS_COMBINED = 0x20_0000
const WIDTH_SHIFT = 22

const COLOR_MODE_MASK = 0x0300_0000
const COLOR_MODE_RGB = 0x0300_0000

const FG_INVERSE = 0x0400_0000
const FG_BOLD = 0x0800_0000
const FG_UNDERLINE = 0x1000_0000
const FG_BLINK = 0x2000_0000
const FG_INVISIBLE = 0x4000_0000
const FG_STRIKETHROUGH = 0x8000_0000
const BG_ITALIC = 0x0400_0000
const BG_DIM = 0x0800_0000
const BG_HAS_EXTENDED = 0x1000_0000
const BG_OVERLINE = 0x4000_0000

/** Copies xterm's lines into a Grid, interning styles and clusters into the Grid's tables. */
export class CellReader {
  readonly #tables: InternedGridTables
  readonly #linkOf: (urlId: number) => string
  /** Style ids by xterm's two attribute words; cells with extended attributes are not in it. */
  readonly #plainStyles = new Map<number, Map<number, number>>()

  constructor(tables: InternedGridTables, linkOf: (urlId: number) => string) {
    this.#tables = tables
    this.#linkOf = linkOf
  }

  copyRow(line: XtermLine, grid: Grid, rowIndex: number): void {
    const { _data: data } = line
    const start = rowIndex * grid.cols
    grid.wrapped[rowIndex] = line.isWrapped ? 1 : 0
    const used = Math.min(grid.cols, line.length)
    let lastFg = -1
    let lastBg = -1
    let styleId = 0
    for (let col = 0; col < used; col++) {
      const at = col * WORDS_PER_CELL
      const fg = data[at + 1] ?? 0
      const bg = data[at + 2] ?? 0
      if (fg !== lastFg || bg !== lastBg || bg & BG_HAS_EXTENDED) {
        styleId = this.#styleId(fg, bg, line._extendedAttrs[col])
        lastFg = fg
        lastBg = bg
      }
      grid.codes[start + col] = this.#code(data[at] ?? 0, line, col)
      grid.styleIds[start + col] = styleId
    }
    grid.codes.fill(EMPTY_CELL, start + used, start + grid.cols)
    grid.styleIds.fill(0, start + used, start + grid.cols)
  }

  #code(content: number, line: XtermLine, col: number): number {
    if (content & IS_COMBINED) return CLUSTER_BASE + this.#tables.clusters.idOf(line._combined[col] ?? '')
    const codePoint = content & CODE_POINT_MASK
    if (codePoint !== 0) return codePoint
    return content >>> WIDTH_SHIFT === 0 && isRightHalf(line, col) ? WIDE_SPACER : EMPTY_CELL
  }

  #styleId(fg: number, bg: number, extended: XtermExtendedAttributes | undefined): number {
    if (bg & BG_HAS_EXTENDED) return this.#tables.styles.idOf(this.#style(fg, bg, extended))
    let byBg = this.#plainStyles.get(fg)
    if (byBg === undefined) this.#plainStyles.set(fg, (byBg = new Map()))
    let id = byBg.get(bg)
    if (id === undefined) byBg.set(bg, (id = this.#tables.styles.idOf(this.#style(fg, bg, undefined))))
    return id
  }

  #style(fg: number, bg: number, extended: XtermExtendedAttributes | undefined): Style {
    return {
      fg: color(fg),
      bg: color(bg),
      bold: (fg & FG_BOLD) !== 0,
      dim: (bg & BG_DIM) !== 0,
      italic: (bg & BG_ITALIC) !== 0,
      underline: underlineOf(fg, extended),
      underlineColor: extended === undefined ? DEFAULT_COLOR : color(extended.underlineColor),
      blink: (fg & FG_BLINK) !== 0,
      inverse: (fg & FG_INVERSE) !== 0,
      invisible: (fg & FG_INVISIBLE) !== 0,
      strikethrough: (fg & FG_STRIKETHROUGH) !== 0,
      overline: (bg & BG_OVERLINE) !== 0,
      link: extended === undefined || extended.urlId === 0 ? '' : this.#linkOf(extended.urlId),
    }
  }
}

function underlineOf(fg: number, extended: XtermExtendedAttributes | undefined): Underline {
  if ((fg & FG_UNDERLINE) === 0) return 'none'
  // For a link xterm always says `dashed`, whatever the program asked for.
  if (extended === undefined || extended.urlId !== 0) return 'single'
  return UNDERLINES[extended.underlineStyle] ?? 'single'
}

function isRightHalf(line: XtermLine, col: number): boolean {
  return col > 0 && (line._data[(col - 1) * WORDS_PER_CELL] ?? 0) >>> WIDTH_SHIFT === 2
}

/** `word` holds a colour and its kind in the low 26 bits: default, palette (16 or 256), or RGB. */
function color(word: number): number {
  const mode = word & COLOR_MODE_MASK
  if (mode === 0) return DEFAULT_COLOR
  return mode === COLOR_MODE_RGB ? RGB_COLOR | (word & 0xffffff) : word & 0xff
}
