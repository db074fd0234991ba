import { DEFAULT_COLOR } from '@transom/grid'
import { copyCharsets, copyPen, type SavedCursor, type TerminalState } from './terminal-state.ts'

/** Where the cursor goes, from 0; clamped to the screen, or to the margins in origin mode. */
export function moveTo(state: TerminalState, row: number, col: number): void {
  state.pendingWrap = false
  if (state.modes.origin) {
    state.y = Math.min(state.bottom, state.top + row)
    state.x = Math.min(state.right, state.left + col)
  } else {
    state.y = Math.min(state.rows - 1, row)
    state.x = Math.min(state.cols - 1, col)
  }
}

/** The column from 0, counted from the left margin in origin mode; the row stays. */
export function moveToCol(state: TerminalState, col: number): void {
  moveTo(state, state.modes.origin ? state.y - state.top : state.y, col)
}

export function moveToRow(state: TerminalState, row: number): void {
  moveTo(state, row, state.modes.origin ? state.x - state.left : state.x)
}

/** VPR and HPR: margins do not stop them, unless in origin mode. */
export function moveBy(state: TerminalState, rows: number, cols: number): void {
  const { origin } = state.modes
  moveTo(state, state.y + rows - (origin ? state.top : 0), state.x + cols - (origin ? state.left : 0))
}

export function cursorUp(state: TerminalState, count: number): void {
  const limit = state.y >= state.top ? state.top : 0
  state.y = Math.max(limit, state.y - count)
  state.pendingWrap = false
}

export function cursorDown(state: TerminalState, count: number): void {
  const limit = state.y <= state.bottom ? state.bottom : state.rows - 1
  state.y = Math.min(limit, state.y + count)
  state.pendingWrap = false
}

export function cursorForward(state: TerminalState, count: number): void {
  const limit = state.x <= state.right ? state.right : state.cols - 1
  state.x = Math.min(limit, state.x + count)
  state.pendingWrap = false
}

export function cursorBack(state: TerminalState, count: number): void {
  if (state.modes.autowrap && (state.modes.reverseWrap || state.modes.reverseWrapExtended)) {
    reverseWrapBack(state, count)
    return
  }
  const limit = state.x >= state.left ? state.left : 0
  state.x = Math.max(limit, state.x - count)
  state.pendingWrap = false
}

/** Modes 45 and 1045 go back over the start of a line, and from the first line to the last one. */
function reverseWrapBack(state: TerminalState, count: number): void {
  const left = state.x >= state.left ? state.left : 0
  const right = state.x <= state.right ? state.right : state.cols - 1
  const isInRows = state.y >= state.top && state.y <= state.bottom
  const top = isInRows ? state.top : 0
  const bottom = isInRows ? state.bottom : state.rows - 1
  let rest = Math.min(count, state.cols * state.rows)
  if (state.pendingWrap) {
    state.pendingWrap = false
    rest--
  }
  while (rest > 0) {
    const step = Math.min(rest, Math.max(0, state.x - left))
    state.x -= step
    rest -= step
    if (rest === 0) return
    state.y = state.y > top ? state.y - 1 : bottom
    state.x = right
    rest--
  }
}

export function carriageReturn(state: TerminalState): void {
  state.x = state.x >= state.left || state.modes.origin ? state.left : 0
  state.pendingWrap = false
}

/** Down a line; at the bottom margin the region scrolls (IND, and what LF does). */
export function index(state: TerminalState): void {
  state.pendingWrap = false
  if (state.y !== state.bottom) {
    if (state.y < state.rows - 1) state.y++
  } else if (state.scrollsWhole) {
    state.screen.scrollLine(state.eraseStyle)
  } else if (state.left === 0 && state.right === state.cols - 1) {
    state.screen.scrollUp(state.top, state.bottom, 1, state.eraseStyle)
  } else if (state.x >= state.left && state.x <= state.right) {
    scrollRectUp(state, state.top, 1)
  }
}

export function lineFeed(state: TerminalState): void {
  index(state)
  if (state.modes.newline) carriageReturn(state)
}

/** Up a line; at the top margin the region scrolls (RI). */
export function reverseIndex(state: TerminalState): void {
  state.pendingWrap = false
  if (state.y !== state.top) {
    if (state.y > 0) state.y--
  } else if (state.x >= state.left && state.x <= state.right) {
    scrollDown(state, state.top, 1)
  }
}

/** Scrolls the rows from `top` to the bottom margin up, within the margins; nothing is kept in the history. */
export function scrollRectUp(state: TerminalState, top: number, count: number): void {
  const { screen, bottom, left, right, eraseStyle } = state
  const moved = Math.min(count, bottom - top + 1)
  if (left === 0 && right === state.cols - 1) {
    screen.removeRows(top, bottom, moved, eraseStyle)
    return
  }
  splitEdges(state, top)
  for (let row = top; row <= bottom - moved; row++) screen.copyCells(row + moved, row, left, right)
  for (let row = bottom - moved + 1; row <= bottom; row++) screen.erase(row, left, right + 1, eraseStyle)
}

/** Scrolls the rows from `top` to the bottom margin down, within the margins. */
export function scrollDown(state: TerminalState, top: number, count: number): void {
  const { screen, bottom, left, right, eraseStyle } = state
  const moved = Math.min(count, bottom - top + 1)
  if (left === 0 && right === state.cols - 1) {
    screen.insertRows(top, bottom, moved, eraseStyle)
    return
  }
  splitEdges(state, top)
  for (let row = bottom; row >= top + moved; row--) screen.copyCells(row - moved, row, left, right)
  for (let row = top; row < top + moved; row++) screen.erase(row, left, right + 1, eraseStyle)
}

/** A wide character must not lie half inside of what moves. */
function splitEdges(state: TerminalState, top: number): void {
  for (let row = top; row <= state.bottom; row++) {
    state.screen.splitAt(row, state.left, state.eraseStyle)
    state.screen.splitAt(row, state.right + 1, state.eraseStyle)
  }
}

/** To the next tab stops. As in xterm a wrap that is pending stays so: a tab at the end of a line is no way out of it. */
export function tabForward(state: TerminalState, count: number): void {
  const limit = state.x <= state.right && state.modes.leftRightMargins ? state.right : state.cols - 1
  for (let rest = Math.min(count, state.cols); rest > 0 && state.x < limit; rest--) {
    do state.x++
    while (state.x < limit && state.tabs[state.x] !== 1)
  }
}

export function tabBack(state: TerminalState, count: number): void {
  const limit = state.modes.origin ? state.left : 0
  for (let rest = Math.min(count, state.cols); rest > 0 && state.x > limit; rest--) {
    do state.x--
    while (state.x > limit && state.tabs[state.x] !== 1)
  }
}

export function saveCursor(state: TerminalState): void {
  const saved = savedOf(state)
  saved.x = state.x
  saved.y = state.y
  saved.pendingWrap = state.pendingWrap
  saved.scrolls = state.screen.scrolls
  saved.origin = state.modes.origin
  copyPen(state.pen, saved.pen)
  copyCharsets(state.charsets, saved.charsets)
}

export function restoreCursor(state: TerminalState): void {
  const saved = savedOf(state)
  state.modes.origin = saved.origin
  state.x = Math.min(saved.x, state.cols - 1)
  state.y = Math.min(saved.y, state.rows - 1)
  if (saved.origin) {
    state.x = Math.max(state.left, Math.min(state.right, state.x))
    state.y = Math.max(state.top, Math.min(state.bottom, state.y))
  }
  // The wrap belongs to the line that was written; after scrolling another one is there.
  state.pendingWrap = saved.pendingWrap && state.x === saved.x && saved.scrolls === state.screen.scrolls
  const { link } = state.pen
  copyPen(saved.pen, state.pen)
  state.pen.link = link // OSC 8 is no part of what DECSC keeps
  copyCharsets(saved.charsets, state.charsets)
  state.penChanged()
  state.textChanged()
}

/** As before the first DECSC: home, with the default pen. */
export function clearSaved(saved: SavedCursor): void {
  saved.x = 0
  saved.y = 0
  saved.pendingWrap = false
  saved.scrolls = 0
  saved.origin = false
  saved.pen.fg = saved.pen.bg = saved.pen.underlineColor = DEFAULT_COLOR
  saved.pen.flags = 0
  saved.charsets.sets.fill(0x42)
  saved.charsets.left = 0
  saved.charsets.single = 0
}

function savedOf(state: TerminalState): SavedCursor {
  return state.isAlt ? state.saved.alt : state.saved.main
}
