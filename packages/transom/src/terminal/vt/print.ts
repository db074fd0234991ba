import {
  EMPTY_CELL,
  SIMPLE_NARROW,
  SIMPLE_WIDE,
  WIDE_SPACER,
  WIDTHS_IN_TEXT,
  isPrepend,
  mayJoin,
  widthOf,
} from '@transom/grid'
import { ASCII, fromCharset } from './charsets.ts'
import { index } from './cursor.ts'
import { ROW_LINE_SIZE, type ScreenBuffer } from './screen-buffer.ts'
import type { TerminalState } from './terminal-state.ts'

/**
 * Writes text from `from` on, up to the end of the row or the first character that needs more thought, and returns
 * where it stopped: `from` itself when it took nothing. Only for a state whose `plainText` is set.
 */
export function printRun(state: TerminalState, bytes: Uint8Array, from: number): number {
  if (state.pendingWrap) {
    if (!beginsSimple(state, bytes, from)) return from // a mark belongs to the last column
    wrapLine(state)
  }
  const { screen, x, style, codePoints } = state
  const { codes, styles, lengths, cols } = screen
  const slot = screen.slotOf(state.y)
  if (((screen.flags[slot] ?? 0) & ROW_LINE_SIZE) !== 0 || isAfterPrepend(state)) return from
  const length = lengths[slot] ?? 0
  const start = (slot * cols + x) | 0
  const rowEnd = (start - x + cols) | 0
  const cutsWide = x < length && codes[start] === WIDE_SPACER
  let at = start
  let index = from
  let last = 0
  // Never a read past the end of the bytes: one is enough to make every later one slow.
  while (index < bytes.length && at < rowEnd) {
    let byte = bytes[index] ?? 0
    if (byte >= 0x20 && byte < 0x7f) {
      const stop = Math.min(bytes.length, index + rowEnd - at)
      do {
        codes[at] = last = byte
        styles[at] = style
        at++
        index++
        if (index === stop) break
        byte = bytes[index] ?? 0
      } while (byte >= 0x20 && byte < 0x7f)
      continue
    }
    if (byte < 0xc2 || index + 3 >= bytes.length) break
    const size = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
    const codePoint = decode(bytes, index, size)
    const value = codePoints[codePoint] ?? 0
    let width = value === SIMPLE_NARROW ? 1 : 2
    if (value !== SIMPLE_NARROW && value !== SIMPLE_WIDE) {
      width = WIDTHS_IN_TEXT[value] ?? 0
      if (width === 0 || at === start) break // the first one may belong to a cluster that is on the screen
    }
    if (codePoint < 0xa0) break
    if (width === 2) {
      if (at + 1 >= rowEnd) break
      codes[at + 1] = WIDE_SPACER
      styles[at + 1] = style
    }
    codes[at] = last = codePoint
    styles[at] = style
    at += width
    index += size
  }
  if (index === from) return from
  if (cutsWide) clearCell(screen, start - 1, style)
  const col = x + at - start
  if (length < x) clearGap(screen, start - x + length, start)
  if (col > length) lengths[slot] = col
  else if (col < length && codes[at] === WIDE_SPACER) clearCell(screen, at, style)
  screen.stamps[slot] = screen.generation
  state.lastGraphic = last
  state.pendingWrap = col >= cols
  state.x = col >= cols ? cols - 1 : col
  return index
}

/** Whether the character at `from` begins a cluster: one that has no class of its own, and a width. */
function beginsSimple(state: TerminalState, bytes: Uint8Array, from: number): boolean {
  const byte = bytes[from] ?? 0
  if (byte < 0x7f) return byte >= 0x20 && !isAfterPrepend(state)
  if (byte < 0xc2 || from + 3 >= bytes.length || isAfterPrepend(state)) return false
  const codePoint = decode(bytes, from, byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4)
  const value = state.codePoints[codePoint] ?? 0
  return codePoint >= 0xa0 && (value === SIMPLE_NARROW || value === SIMPLE_WIDE)
}

/** The code point of `size` bytes; 0 when they are not well-formed. */
function decode(bytes: Uint8Array, at: number, size: number): number {
  const lead = bytes[at] ?? 0
  const second = (bytes[at + 1] ?? 0) ^ 0x80
  if (size === 2) return second > 0x3f ? 0 : ((lead & 0x1f) << 6) | second
  const third = (bytes[at + 2] ?? 0) ^ 0x80
  if ((second | third) > 0x3f) return 0
  if (size === 3) {
    const codePoint = ((lead & 0x0f) << 12) | (second << 6) | third
    return codePoint < 0x800 || (codePoint & 0xf800) === 0xd800 ? 0 : codePoint
  }
  const fourth = (bytes[at + 3] ?? 0) ^ 0x80
  if (fourth > 0x3f || lead > 0xf4) return 0
  const codePoint = ((lead & 0x07) << 18) | (second << 12) | (third << 6) | fourth
  return codePoint < 0x1_0000 || codePoint > 0x10_ffff ? 0 : codePoint
}

/** Prints the well-formed character at `at`, and returns where the next one begins; 0 when it is not well-formed. */
export function printEncoded(state: TerminalState, bytes: Uint8Array, at: number): number {
  if (at + 3 >= bytes.length || state.charsets.single !== 0) return 0
  const lead = bytes[at] ?? 0
  const size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
  const codePoint = decode(bytes, at, size)
  if (codePoint < 0xa0) return 0 // C1 controls
  printCodePoint(state, codePoint)
  return at + size
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

function printCodePoint(state: TerminalState, codePoint: number): void {
  const value = state.codePoints[codePoint] ?? 0
  const width = widthOf(value)
  if (state.modes.clusters) {
    if ((mayJoin(value) || isAfterPrepend(state)) && joinPrevious(state, codePoint, width === 0)) return
  } else if (width === 0 && joinPrevious(state, codePoint, true)) return
  if (width === 0) return // nothing to join: a mark in the first column
  if (state.plainText) placePlain(state, codePoint, width)
  else placeCell(state, codePoint, width)
}

/** placeCell() where text is plain: nothing to look up but the cells themselves. */
function placePlain(state: TerminalState, code: number, width: number): void {
  if (state.pendingWrap) wrapLine(state)
  const { screen, x, style } = state
  const { codes, styles, lengths, cols } = screen
  const slot = screen.slotOf(state.y)
  const end = x + width
  if (end > cols || ((screen.flags[slot] ?? 0) & ROW_LINE_SIZE) !== 0) {
    placeCell(state, code, width)
    return
  }
  const at = slot * cols + x
  const length = lengths[slot] ?? 0
  if (length < x) screen.reach(slot, x)
  else if (x < length) {
    if (codes[at] === WIDE_SPACER) clearCell(screen, at - 1, style)
    if (end < length && codes[at + width] === WIDE_SPACER) clearCell(screen, at + width, style)
  }
  codes[at] = code
  styles[at] = style
  if (width === 2) {
    codes[at + 1] = WIDE_SPACER
    styles[at + 1] = style
  }
  if (length < end) lengths[slot] = end
  screen.stamps[slot] = screen.generation
  state.lastGraphic = code
  state.pendingWrap = end >= cols
  state.x = end >= cols ? cols - 1 : end
}

/** Writes a cell code again (REP), as a run of text where it is one. */
export function repeatCell(state: TerminalState, code: number, times: number): void {
  const width = state.clusters.widthOf(code)
  const run = code >= 0x20 && code < 0x7f ? new Uint8Array(times).fill(code) : null
  for (let done = 0; done < times;) {
    const end = run !== null && state.plainText ? printRun(state, run, done) : done
    if (end > done) {
      done = end
    } else {
      placeCell(state, code, width)
      done++
    }
  }
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
function rightEdge(state: TerminalState): number {
  const { screen, x } = state
  const isDouble = ((screen.flags[screen.slotOf(state.y)] ?? 0) & ROW_LINE_SIZE) !== 0
  const last = isDouble ? Math.max(1, state.cols >> 1) - 1 : state.cols - 1
  return x <= state.right ? Math.min(state.right, last) : last
}

function isAfterPrepend(state: TerminalState): boolean {
  const { lastGraphic } = state
  return lastGraphic >= 0x600 && lastGraphic < 0x11_0000 && isPrepend(state.codePoints[lastGraphic] ?? 0)
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

/** Half of a wide character was written over: the other half goes. */
function clearCell(screen: ScreenBuffer, at: number, style: number): void {
  screen.codes[at] = EMPTY_CELL
  screen.styles[at] = style
}

/** Text was written past the end of a row: what lies between is empty. */
function clearGap(screen: ScreenBuffer, from: number, to: number): void {
  for (let at = from; at < to; at++) {
    screen.codes[at] = EMPTY_CELL
    screen.styles[at] = 0
  }
}
