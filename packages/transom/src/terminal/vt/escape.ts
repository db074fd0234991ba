/** What escape sequences and control characters mean. */
import { charsetOf } from './charsets.ts'
import * as cursor from './cursor.ts'
import { alignmentPattern, shiftColumns } from './edit.ts'
import { wrapLine } from './print.ts'
import { fullReset } from './reset.ts'
import { ROW_DOUBLE_BOTTOM, ROW_DOUBLE_TOP, ROW_DOUBLE_WIDTH } from './screen-buffer.ts'
import { GUARDED } from './style-table.ts'
import type { TerminalState } from './terminal-state.ts'

export function controlCharacter(state: TerminalState, control: number): void {
  state.lastGraphic = 0
  switch (control) {
    case 0x07:
      state.bells++
      break
    case 0x08:
      cursor.cursorBack(state, 1)
      break
    case 0x09:
      if (state.modes.tabAfterWrap && state.pendingWrap) wrapLine(state)
      cursor.tabForward(state, 1)
      break
    case 0x0a:
    case 0x0b:
    case 0x0c:
      cursor.lineFeed(state)
      break
    case 0x0d:
      cursor.carriageReturn(state)
      break
    case 0x0e:
      invoke(state, 1)
      break
    case 0x0f:
      invoke(state, 0)
      break
    default:
      if (control >= 0x80) escapeSequence(state, control - 0x40) // C1 controls are ESC and a letter
  }
}

/** Without intermediates the final character identifies them. */
export function escapeSequence(state: TerminalState, final: number): void {
  const { intermediates } = state.parser
  state.lastGraphic = 0
  if (intermediates === 0) SEQUENCES[String.fromCharCode(final)]?.(state)
  else intermediateSequence(state, String.fromCharCode(intermediates & 0xff), final, intermediates > 0xff)
}

const SEQUENCES: Readonly<Record<string, (state: TerminalState) => void>> = {
  '6': backIndex,
  '7': cursor.saveCursor,
  '8': cursor.restoreCursor,
  '9': forwardIndex,
  '=': (state) => {
    state.modes.applicationKeypad = true
  },
  '>': (state) => {
    state.modes.applicationKeypad = false
  },
  D: cursor.index,
  E: (state) => {
    cursor.carriageReturn(state)
    cursor.index(state)
  },
  H: (state) => {
    state.tabs[state.x] = 1
  },
  M: cursor.reverseIndex,
  N: (state) => shift(state, 2),
  O: (state) => shift(state, 3),
  V: (state) => setGuard(state, true),
  W: (state) => setGuard(state, false),
  Z: (state) => state.answer('\x1b[?62;22c'),
  c: fullReset,
  n: (state) => invoke(state, 2),
  o: (state) => invoke(state, 3),
}

function intermediateSequence(
  state: TerminalState,
  intermediate: string,
  final: number,
  isLong: boolean,
): void {
  const set = '()*+'.indexOf(intermediate)
  if (set >= 0) designate(state, set, isLong ? 0x42 : final)
  else if (intermediate === '#') lineSequence(state, final)
  else if (intermediate === ' ') {
    if (final === 0x46) state.eightBitAnswers = false
    if (final === 0x47) state.eightBitAnswers = true
  }
}

function lineSequence(state: TerminalState, final: number): void {
  const { screen, y } = state
  if (final === 0x38) alignmentPattern(state)
  if (state.modes.leftRightMargins) return
  if (final === 0x33) screen.setLineSize(y, ROW_DOUBLE_WIDTH | ROW_DOUBLE_TOP)
  else if (final === 0x34) screen.setLineSize(y, ROW_DOUBLE_WIDTH | ROW_DOUBLE_BOTTOM)
  else if (final === 0x35) screen.setLineSize(y, 0)
  else if (final === 0x36) screen.setLineSize(y, ROW_DOUBLE_WIDTH)
}

export function designate(state: TerminalState, set: number, final: number): void {
  const charset = charsetOf(final)
  if (state.charsets.sets[set] === charset) return
  state.charsets.sets[set] = charset
  state.textChanged()
}

function invoke(state: TerminalState, set: number): void {
  state.charsets.left = set
  state.textChanged()
}

function shift(state: TerminalState, set: number): void {
  state.charsets.single = set
  state.textChanged()
}

/** SPA and EPA. */
function setGuard(state: TerminalState, on: boolean): void {
  state.pen.flags = on ? state.pen.flags | GUARDED : state.pen.flags & ~GUARDED
  state.hasGuarded ||= on
  state.penChanged()
}

/** DECBI: left a column; at the left margin the region moves right. */
function backIndex(state: TerminalState): void {
  state.pendingWrap = false
  if (state.x !== state.left) state.x = Math.max(0, state.x - 1)
  else shiftColumns(state, 1, 'right')
}

/** DECFI. */
function forwardIndex(state: TerminalState): void {
  state.pendingWrap = false
  if (state.x !== state.right) state.x = Math.min(state.cols - 1, state.x + 1)
  else shiftColumns(state, 1, 'left')
}
