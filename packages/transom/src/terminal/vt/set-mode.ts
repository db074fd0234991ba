/** What setting and resetting a mode does beside remembering it. */
import { moveTo, restoreCursor, saveCursor } from './cursor.ts'
import {
  ANSI_MODES,
  MOUSE_ENCODINGS,
  MOUSE_TRACKING,
  PRIVATE_MODES,
  type ModeName,
  type Modes,
} from './modes.ts'
import { sizeReport } from './size-report.ts'
import type { TerminalState } from './terminal-state.ts'

export function setAnsiMode(state: TerminalState, number: number, on: boolean): void {
  const name = ANSI_MODES.get(number)
  if (name === undefined) return
  state.modes[name] = on
  state.textChanged()
}

export function setPrivateMode(state: TerminalState, number: number, on: boolean): void {
  const name = PRIVATE_MODES.get(number)
  if (name !== undefined) setNamed(state, name, on)
  else setScreenMode(state, number, on)
}

/** Whether a mode is on; null for an unknown one. */
export function privateMode(state: TerminalState, number: number): boolean | null {
  const name = PRIVATE_MODES.get(number)
  if (name !== undefined) return state.modes[name]
  if (number === 47 || number === 1047 || number === 1049) return state.isAlt
  return number === 1048 ? true : null
}

function setNamed(state: TerminalState, name: ModeName, on: boolean): void {
  const { modes } = state
  switch (name) {
    case 'columns132':
      setColumns132(state, on)
      return
    case 'synchronized':
      setSynchronized(state, on)
      return
    case 'bracketedPaste':
      state.editedLines.set(on, state.firstLine + state.y, state.x === 0)
      break
    case 'sizeReports':
      if (on) state.answer(sizeReport(state))
      break
    default:
      break
  }
  if (MOUSE_TRACKING.includes(name)) clearOthers(modes, MOUSE_TRACKING)
  if (MOUSE_ENCODINGS.includes(name)) clearOthers(modes, MOUSE_ENCODINGS)
  modes[name] = on
  if (name === 'origin') moveTo(state, 0, 0)
  if (name === 'autowrap' && !on) state.pendingWrap = false // DEC STD 070: the last column flag goes with it
  if (name === 'leftRightMargins' && !on) {
    state.left = 0
    state.right = state.cols - 1
  }
  if (name === 'leftRightMargins' && on) clearLineSizes(state)
  state.textChanged()
}

function setScreenMode(state: TerminalState, number: number, on: boolean): void {
  switch (number) {
    case 47:
      showScreen(state, on)
      break
    case 1047:
      if (!on && state.isAlt) clearAlt(state)
      showScreen(state, on)
      break
    case 1048:
      if (on) saveCursor(state)
      else restoreCursor(state)
      break
    case 1049:
      if (on) enterAlt(state)
      else leaveAlt(state)
      break
    default:
      break
  }
}

function enterAlt(state: TerminalState): void {
  saveCursor(state)
  showScreen(state, true)
  clearAlt(state)
}

function leaveAlt(state: TerminalState): void {
  showScreen(state, false)
  restoreCursor(state) // as in xterm also where the main screen was shown all the time
}

function showScreen(state: TerminalState, alt: boolean): void {
  state.screen = alt ? state.alt : state.main
}

function clearAlt(state: TerminalState): void {
  for (let row = 0; row < state.rows; row++) state.alt.clearRow(row, state.eraseStyle)
}

/** DECCOLM clears as if the width had changed; the width itself belongs to the session's owner. */
function setColumns132(state: TerminalState, on: boolean): void {
  if (!state.modes.allowColumns132) return
  state.modes.columns132 = on
  state.modes.leftRightMargins = false
  state.resetMargins()
  moveTo(state, 0, 0)
  if (state.modes.keepScreenOnColumns) return
  for (let row = 0; row < state.rows; row++) state.screen.clearRow(row, state.eraseStyle)
}

function setSynchronized(state: TerminalState, on: boolean): void {
  if (state.modes.synchronized === on) return
  if (on) state.onSynchronize?.(true)
  state.modes.synchronized = on
  if (!on) state.onSynchronize?.(false)
}

/** Lines of double width and margins at the sides exclude each other (DEC STD 070). */
function clearLineSizes(state: TerminalState): void {
  for (let row = 0; row < state.rows; row++) state.screen.setLineSize(row, 0)
}

function clearOthers(modes: Modes, names: readonly ModeName[]): void {
  for (const name of names) modes[name] = false
}
