/** What erases, inserts and deletes. */
import { scrollDown, scrollRectUp } from './cursor.ts'
import { GUARDED, PROTECTED } from './style-table.ts'
import type { TerminalState } from './terminal-state.ts'

/** ED and DECSED. */
export function eraseInDisplay(state: TerminalState, part: number, selective: boolean): void {
  const { x, y, rows, cols } = state
  if (part === 3) {
    if (!state.isAlt) state.history.clear()
    return
  }
  if (part > 2) return
  const from = part === 0 ? y + 1 : 0
  const to = part === 1 ? y : rows
  if (part === 0) eraseCells(state, y, x, cols, selective)
  if (part === 1) eraseCells(state, y, 0, x + 1, selective)
  for (let row = from; row < to; row++) eraseRow(state, row, selective)
  if (part === 2) state.pendingWrap = false
  breakWraps(state, part)
  state.pendingWrap = false
}

/** EL and DECSEL. */
export function eraseInLine(state: TerminalState, part: number, selective: boolean): void {
  const { x, y, cols, screen } = state
  if (part > 2) return
  eraseCells(state, y, part === 0 ? x : 0, part === 1 ? x + 1 : cols, selective)
  if (part !== 1) screen.setWrapped(y + 1, false)
  if (part === 2 || (part === 0 && x === 0)) screen.setWrapped(y, false)
  state.pendingWrap = false
}

/** ECH. */
export function eraseCharacters(state: TerminalState, count: number): void {
  const end = Math.min(state.cols, state.x + count)
  eraseCells(state, state.y, state.x, end, false)
  if (end === state.cols) state.screen.setWrapped(state.y + 1, false)
  state.pendingWrap = false
}

/** ICH. */
export function insertBlanks(state: TerminalState, count: number): void {
  state.pendingWrap = false
  if (!isBetweenSides(state)) return
  state.screen.insertCells(state.y, state.x, state.right, count, state.eraseStyle)
}

/** DCH. */
export function deleteCharacters(state: TerminalState, count: number): void {
  state.pendingWrap = false
  if (!isBetweenSides(state)) return
  state.screen.deleteCells(state.y, state.x, state.right, count, state.eraseStyle)
  state.screen.setWrapped(state.y + 1, false)
}

/** IL. */
export function insertLines(state: TerminalState, count: number): void {
  if (!isInsideMargins(state)) return
  scrollDown(state, state.y, count)
  state.x = state.left
  state.pendingWrap = false
}

/** DL. */
export function deleteLines(state: TerminalState, count: number): void {
  if (!isInsideMargins(state)) return
  scrollRectUp(state, state.y, count)
  state.x = state.left
  state.pendingWrap = false
}

/** SU: what leaves at the top of the screen is kept. */
export function scrollUp(state: TerminalState, count: number): void {
  const { screen, top, bottom } = state
  if (state.left === 0 && state.right === state.cols - 1)
    screen.scrollUp(top, bottom, Math.min(count, bottom - top + 1), state.eraseStyle)
  else scrollRectUp(state, top, count)
}

/** DECIC. */
export function insertColumns(state: TerminalState, count: number): void {
  if (!isInsideMargins(state)) return
  for (let row = state.top; row <= state.bottom; row++)
    state.screen.insertCells(row, state.x, state.right, count, state.eraseStyle)
}

/** DECDC. */
export function deleteColumns(state: TerminalState, count: number): void {
  if (!isInsideMargins(state)) return
  for (let row = state.top; row <= state.bottom; row++)
    state.screen.deleteCells(row, state.x, state.right, count, state.eraseStyle)
}

/** SL and SR. */
export function shiftColumns(state: TerminalState, count: number, direction: 'left' | 'right'): void {
  if (!isInsideMargins(state)) return
  const { screen, left, right, eraseStyle } = state
  for (let row = state.top; row <= state.bottom; row++) {
    if (direction === 'left') screen.deleteCells(row, left, right, count, eraseStyle)
    else screen.insertCells(row, left, right, count, eraseStyle)
  }
}

/** DECALN: the screen full of E, for adjusting a tube. */
export function alignmentPattern(state: TerminalState): void {
  state.modes.origin = false
  state.resetMargins()
  state.x = 0
  state.y = 0
  state.pendingWrap = false
  for (let row = 0; row < state.rows; row++) {
    state.screen.fillRow(row, 0x45, 0)
  }
}

/** Empties cells but those that are guarded, and in a selective erase those that are protected. */
export function eraseCells(
  state: TerminalState,
  row: number,
  from: number,
  to: number,
  selective: boolean,
): void {
  const keptFlags = selective ? PROTECTED : GUARDED
  const { screen, eraseStyle } = state
  if (!selective && !state.hasGuarded) {
    screen.erase(row, from, to, eraseStyle)
    return
  }
  let start = from
  for (let col = from; col <= to; col++) {
    const isKept = col < to && (state.styles.flagsOf(screen.styleAt(row, col)) & keptFlags) !== 0
    if (!isKept && col < to) continue
    screen.erase(row, start, col, eraseStyle)
    start = col + 1
  }
}

function isInsideMargins(state: TerminalState): boolean {
  return state.y >= state.top && state.y <= state.bottom && isBetweenSides(state)
}

function isBetweenSides(state: TerminalState): boolean {
  return state.x >= state.left && state.x <= state.right
}

function eraseRow(state: TerminalState, row: number, selective: boolean): void {
  if (selective || state.hasGuarded) eraseCells(state, row, 0, state.cols, selective)
  else state.screen.clearRow(row, state.eraseStyle)
}

/** A row whose end was erased doesn't go on in the next one. */
function breakWraps(state: TerminalState, part: number): void {
  const { screen, y, x } = state
  if (part === 0) {
    screen.setWrapped(y + 1, false)
    if (x === 0) screen.setWrapped(y, false)
  }
  if (part === 1 && x === state.cols - 1) screen.setWrapped(y + 1, false)
}
