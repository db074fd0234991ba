/** The sequences of the VT420 that act on a rectangle. */
import { CLUSTER_BASE, EMPTY_CELL, WIDE_SPACER } from '@transom/grid'
import { eraseCells } from './edit.ts'
import { applyGraphics } from './sgr.ts'
import * as flag from './style-table.ts'
import type { Pen } from './style-table.ts'
import { createPen, type TerminalState } from './terminal-state.ts'

interface Rectangle {
  readonly top: number
  readonly left: number
  readonly bottom: number
  readonly right: number
}

const RENDITIONS: Readonly<Record<number, number>> = {
  1: flag.BOLD,
  4: 1 << flag.UNDERLINE_SHIFT,
  5: flag.BLINK,
  7: flag.INVERSE,
  8: flag.INVISIBLE,
}
const ALL_RENDITIONS = flag.BOLD | (1 << flag.UNDERLINE_SHIFT) | flag.BLINK | flag.INVERSE

/** The rectangle that four parameters from `first` on describe, or null if they describe none. */
function rectangleAt(state: TerminalState, first: number): Rectangle | null {
  const { params, paramCount } = state.parser
  const { origin } = state.modes
  const value = (index: number) => (index < paramCount ? (params[index] ?? 0) : 0)
  const rowOffset = origin ? state.top : 0
  const colOffset = origin ? state.left : 0
  const lastRow = origin ? state.bottom : state.rows - 1
  const lastCol = origin ? state.right : state.cols - 1
  const top = Math.min(lastRow, Math.max(1, value(first)) - 1 + rowOffset)
  const left = Math.min(lastCol, Math.max(1, value(first + 1)) - 1 + colOffset)
  const bottom = value(first + 2) === 0 ? lastRow : Math.min(lastRow, value(first + 2) - 1 + rowOffset)
  const right = value(first + 3) === 0 ? lastCol : Math.min(lastCol, value(first + 3) - 1 + colOffset)
  return top > bottom || left > right ? null : { top, left, bottom, right }
}

/** DECERA, and with `selective` DECSERA. */
export function eraseRectangle(state: TerminalState, selective: boolean): void {
  const area = rectangleAt(state, 0)
  if (area === null) return
  for (let row = area.top; row <= area.bottom; row++)
    eraseCells(state, row, area.left, area.right + 1, selective)
}

/** DECFRA. */
export function fillRectangle(state: TerminalState): void {
  const code = state.parser.params[0] ?? 0
  const isGraphic = (code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code <= 0xff)
  const area = rectangleAt(state, 1)
  if (area === null || !isGraphic) return
  for (let row = area.top; row <= area.bottom; row++) {
    state.screen.splitAt(row, area.left, state.style)
    state.screen.splitAt(row, area.right + 1, state.style)
    for (let col = area.left; col <= area.right; col++) state.screen.set(row, col, code, state.style)
  }
}

/** DECCRA; there is one page. */
export function copyRectangle(state: TerminalState): void {
  const { params, paramCount } = state.parser
  const area = rectangleAt(state, 0)
  if (area === null) return
  const { origin } = state.modes
  const value = (index: number) => (index < paramCount ? Math.max(1, params[index] ?? 0) : 1)
  const toRow = value(5) - 1 + (origin ? state.top : 0)
  const toCol = value(6) - 1 + (origin ? state.left : 0)
  const lastRow = origin ? state.bottom : state.rows - 1
  const lastCol = origin ? state.right : state.cols - 1
  const height = Math.min(area.bottom - area.top, lastRow - toRow) + 1
  const width = Math.min(area.right - area.left, lastCol - toCol) + 1
  if (height <= 0 || width <= 0) return
  const { screen } = state
  const codes = new Uint32Array(width * height)
  const styles = new Uint32Array(width * height)
  for (let index = 0; index < codes.length; index++) {
    const row = area.top + Math.floor(index / width)
    const col = area.left + (index % width)
    codes[index] = screen.codeAt(row, col)
    styles[index] = screen.styleAt(row, col)
  }
  for (let row = toRow; row < toRow + height; row++) {
    screen.splitAt(row, toCol, state.eraseStyle)
    screen.splitAt(row, toCol + width, state.eraseStyle)
    pasteRow(
      state,
      row,
      toCol,
      codes.subarray((row - toRow) * width),
      styles.subarray((row - toRow) * width),
      width,
    )
  }
}

function pasteRow(
  state: TerminalState,
  row: number,
  toCol: number,
  codes: Uint32Array,
  styles: Uint32Array,
  width: number,
): void {
  const { screen, clusters } = state
  for (let index = 0; index < width; index++) {
    const code = codes[index] ?? EMPTY_CELL
    const isHalf =
      (index === 0 && code === WIDE_SPACER) ||
      (index === width - 1 && code !== WIDE_SPACER && code !== EMPTY_CELL && clusters.widthOf(code) === 2)
    screen.set(row, toCol + index, isHalf ? EMPTY_CELL : code, styles[index] ?? 0)
  }
}

/** DECCARA sets attributes and DECRARA turns them round, in a rectangle or a stream of cells (DECSACE). */
export function changeAttributes(state: TerminalState, reverse: boolean): void {
  const area = rectangleAt(state, 0)
  if (area === null) return
  const pen = createPen()
  for (let row = area.top; row <= area.bottom; row++) {
    const isStream = state.attributeExtent !== 2
    const from = isStream && row > area.top ? 0 : area.left
    const to = isStream && row < area.bottom ? state.cols - 1 : area.right
    for (let col = from; col <= to; col++) changeCell(state, row, col, pen, reverse)
  }
}

function changeCell(state: TerminalState, row: number, col: number, pen: Pen, reverse: boolean): void {
  const { params, paramCount } = state.parser
  const { screen, styles } = state
  styles.read(screen.styleAt(row, col), pen)
  if (!reverse) {
    applyGraphics(pen, state.parser, 4)
  } else {
    for (let index = 4; index < paramCount; index++) {
      const value = params[index] ?? 0
      pen.flags ^= value === 0 ? ALL_RENDITIONS : (RENDITIONS[value] ?? 0)
    }
  }
  screen.set(row, col, screen.codeAt(row, col), styles.idOf(pen))
}

/** What the bits of XTCHECKSUM leave out of a checksum. */
const NOT_NEGATED = 1
const WITHOUT_ATTRIBUTES = 2
const WITH_TRAILING_BLANKS = 4
const WITHOUT_EMPTY_CELLS = 8

/** DECRQCRA: the sum of the characters and attributes of a rectangle, negated, as xterm counts it. */
export function checksumReport(state: TerminalState): void {
  const id = state.parser.params[0] ?? 0
  const area = rectangleAt(state, 2)
  let sum = 0
  if (area !== null) for (let row = area.top; row <= area.bottom; row++) sum += rowSum(state, row, area)
  const signed = state.checksumFlags & NOT_NEGATED ? sum : -sum
  state.answer(`\x1bP${id}!~${(signed & 0xffff).toString(16).toUpperCase().padStart(4, '0')}\x1b\\`)
}

function rowSum(state: TerminalState, row: number, area: Rectangle): number {
  const { screen, styles, clusters, checksumFlags } = state
  let sum = 0
  for (let col = area.left; col <= area.right; col++) {
    const code = screen.codeAt(row, col)
    const isEmpty = code === EMPTY_CELL || code === WIDE_SPACER
    if (isEmpty && checksumFlags & WITHOUT_EMPTY_CELLS) continue
    const attributes =
      checksumFlags & WITHOUT_ATTRIBUTES ? 0 : attributeSum(styles.flagsOf(screen.styleAt(row, col)))
    const character = isEmpty ? 0x20 : code
    // Blanks without attributes count only at the left: those after text are taken for the end of a line.
    const isTrimmed = col > area.left && character === 0x20 && attributes === 0
    if (isTrimmed && !(checksumFlags & WITH_TRAILING_BLANKS)) continue
    sum +=
      (character < CLUSTER_BASE ? character : (clusters.textOf(character).codePointAt(0) ?? 0)) + attributes
  }
  return sum
}

function attributeSum(flags: number): number {
  return (
    (flags & flag.PROTECTED ? 0x04 : 0) +
    (flags & flag.INVISIBLE ? 0x08 : 0) +
    (flags & flag.UNDERLINE_MASK ? 0x10 : 0) +
    (flags & flag.INVERSE ? 0x20 : 0) +
    (flags & flag.BLINK ? 0x40 : 0) +
    (flags & flag.BOLD ? 0x80 : 0)
  )
}
