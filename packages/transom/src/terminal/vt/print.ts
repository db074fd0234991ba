import { EMPTY_CELL, WIDE_SPACER } from '../../grid/grid.ts'
import { ASCII, fromCharset } from './charsets.ts'
import { index } from './cursor.ts'
import { ROW_LINE_SIZE, type ScreenBuffer } from './screen-buffer.ts'
import type { TerminalState } from './terminal-state.ts'
import { codePointTable, isPrepend, mayJoin, widthOf } from './unicode.ts'

const CODE_POINTS = codePointTable

/**
 * Writes the printable ASCII characters from `from` on, up to the end of the row, and returns where it stopped. Only
 * for a state whose `plainText` is set.
 */
export function printAsciiRun(state: TerminalState, bytes: Uint8Array, from: number, end: number): number {
  if (state.pendingWrap) wrapLine(state)
  const { screen, x, style } = state
  const { codes, styles, lengths, cols } = screen
  const slot = screen.slotOf(state.y)
  if (((screen.flags[slot] ?? 0) & ROW_LINE_SIZE) !== 0) {
    printCharacter(state, bytes[from] ?? 0)
    return from + 1
  }
  const length = lengths[slot] ?? 0
  if (length < x) screen.reach(slot, x)
  let at = slot * cols + x
  if (x < length && codes[at] === WIDE_SPACER) clearLeftHalf(screen, at, style)
  const runEnd = Math.min(end, from + cols - x)
  let index = from
  let byte = bytes[index] ?? 0
  do {
    codes[at] = byte
    styles[at] = style
    at++
    byte = bytes[++index] ?? 0
  } while (index < runEnd && byte >= 0x20 && byte < 0x7f)
  const col = x + index - from
  if (col > length) lengths[slot] = col
  else if (col < length && codes[at] === WIDE_SPACER) {
    codes[at] = EMPTY_CELL
    styles[at] = style
  }
  screen.stamps[slot] = screen.generation
  state.lastGraphic = bytes[index - 1] ?? 0
  if (col >= cols) {
    state.x = cols - 1
    state.pendingWrap = true
  } else {
    state.x = col
  }
  return index
}

/** Prints a character as it was received: through the character set in use, if it is one of ASCII. */
export function printCharacter(state: TerminalState, codePoint: number): void {
  const { charsets } = state
  if (codePoint < 0x7f) {
    const set = charsets.sets[charsets.single === 0 ? charsets.left : charsets.single] ?? ASCII
    placeCell(state, fromCharset(set, codePoint), 1)
  } else {
    printCodePoint(state, codePoint)
  }
  if (charsets.single !== 0) {
    charsets.single = 0
    state.textChanged()
  }
}

export function printCodePoint(state: TerminalState, codePoint: number): void {
  const value = CODE_POINTS()[codePoint] ?? 0
  const width = widthOf(value)
  if (state.modes.clusters) {
    if ((mayJoin(value) || isAfterPrepend(state)) && joinPrevious(state, codePoint, width === 0)) return
  } else if (width === 0 && joinPrevious(state, codePoint, true)) return
  if (width === 0) return // nothing to join: a mark in the first column
  placeCell(state, codePoint, width)
}

/** Writes a cell code again (REP). */
export function printCell(state: TerminalState, code: number): void {
  placeCell(state, code, state.clusters.widthOf(code))
}

export function wrapLine(state: TerminalState): void {
  state.pendingWrap = false
  const { y, screen } = state
  const isFullWidth = state.left === 0 && state.right === state.cols - 1
  state.x = state.x > state.right ? 0 : state.left
  const scrolls = y === state.bottom
  index(state)
  if (isFullWidth && (scrolls || state.y !== y)) screen.setWrapped(state.y, true)
}

function placeCell(state: TerminalState, code: number, width: number): void {
  const { screen, style } = state
  if (state.pendingWrap && state.modes.autowrap) wrapLine(state)
  let edge = rightEdge(state)
  if (width === 2 && state.x >= edge) {
    if (!state.modes.autowrap || edge === 0) return
    screen.erase(state.y, state.x, edge + 1, style)
    wrapLine(state)
    edge = rightEdge(state)
    if (state.x >= edge) return
  }
  const { x, y } = state
  if (state.modes.insert) screen.insertCells(y, x, edge, width, state.eraseStyle)
  screen.splitAt(y, x, style)
  screen.splitAt(y, x + width, style)
  screen.set(y, x, code, style)
  if (width === 2) screen.set(y, x + 1, WIDE_SPACER, style)
  advance(state, x + width, edge)
  state.lastGraphic = code
}

function advance(state: TerminalState, x: number, edge: number): void {
  state.pendingWrap = x > edge
  state.x = Math.min(x, edge)
}

/** The last column that text may be written to on the cursor's row. */
export function rightEdge(state: TerminalState): number {
  const { screen, x } = state
  const isDouble = ((screen.flags[screen.slotOf(state.y)] ?? 0) & ROW_LINE_SIZE) !== 0
  const last = isDouble ? Math.max(1, state.cols >> 1) - 1 : state.cols - 1
  return x <= state.right ? Math.min(state.right, last) : last
}

function isAfterPrepend(state: TerminalState): boolean {
  const { lastGraphic } = state
  return lastGraphic < 0x11_0000 && isPrepend(CODE_POINTS()[lastGraphic] ?? 0)
}

/**
 * Adds a code point to the cluster before the cursor. One that has no width is added to whatever is there; one that
 * has is added only if the rules of clusters say so. Returns whether it was.
 */
function joinPrevious(state: TerminalState, codePoint: number, always: boolean): boolean {
  const { screen, y, clusters } = state
  let col = state.pendingWrap ? state.x : state.x - 1
  if (col < 0) return false
  if (screen.codeAt(y, col) === WIDE_SPACER) col--
  const code = screen.codeAt(y, col)
  if (code === EMPTY_CELL || code === WIDE_SPACER) return always && joinBlank(state, col, codePoint)
  if (code < 0x80 && !always && !clusters.joins(code, codePoint)) return false
  if (!always && !clusters.joins(code, codePoint)) return false
  const joined = clusters.append(code, codePoint)
  const before = screen.codeAt(y, col + 1) === WIDE_SPACER && col + 1 < state.cols ? 2 : 1
  const after = state.modes.clusters ? clusters.widthOf(joined) : before
  screen.set(y, col, joined, screen.styleAt(y, col))
  if (state.lastGraphic === code) state.lastGraphic = joined
  if (after > before) widen(state, col, joined)
  else if (after < before) narrow(state, col)
  return true
}

/** A mark over a cell that was never written stands over a blank. */
function joinBlank(state: TerminalState, col: number, codePoint: number): boolean {
  const { screen, y } = state
  screen.set(y, col, state.clusters.append(0x20, codePoint), screen.styleAt(y, col))
  return true
}

/** A cluster has become two cells wide: it takes the next one, or goes to the next line. */
function widen(state: TerminalState, col: number, code: number): void {
  const { screen, y } = state
  const edge = rightEdge(state)
  const style = screen.styleAt(y, col)
  if (col < edge) {
    screen.splitAt(y, col + 2, style)
    if (state.modes.insert) screen.insertCells(y, col + 1, edge, 1, state.eraseStyle)
    screen.set(y, col + 1, WIDE_SPACER, style)
    if (!state.pendingWrap && state.x === col + 1) advance(state, col + 2, edge)
    return
  }
  if (!state.modes.autowrap || edge === 0) return
  screen.erase(y, col, col + 1, style)
  wrapLine(state)
  placeCell(state, code, 2)
}

/** A cluster has become one cell wide: a text selector follows an emoji. */
function narrow(state: TerminalState, col: number): void {
  state.screen.set(state.y, col + 1, EMPTY_CELL, state.screen.styleAt(state.y, col))
  if (state.pendingWrap) state.pendingWrap = false
  else if (state.x === col + 2) state.x--
}

function clearLeftHalf(screen: ScreenBuffer, at: number, style: number): void {
  screen.codes[at - 1] = EMPTY_CELL
  screen.styles[at - 1] = style
}
