import { DEFAULT_COLOR } from '@transom/grid'
import { clearSaved } from './cursor.ts'
import { Modes } from './modes.ts'
import { ASCII } from './charsets.ts'
import { defaultTabs, type TerminalState } from './terminal-state.ts'

/** DECSTR: modes, margins, pen and cursor state, but not the screen, the cursor's place and the colours. */
export function softReset(state: TerminalState): void {
  const { modes } = state
  modes.insert = false
  modes.origin = false
  modes.autowrap = true
  modes.reverseWrap = false
  modes.reverseWrapExtended = false
  modes.cursorVisible = true
  modes.applicationCursor = false
  modes.applicationKeypad = false
  modes.keyboardLocked = false
  modes.leftRightMargins = false
  modes.backarrowSendsBackspace = false
  state.resetMargins()
  resetPen(state)
  state.charsets.sets.fill(ASCII)
  state.charsets.left = 0
  state.charsets.single = 0
  clearSaved(state.isAlt ? state.saved.alt : state.saved.main)
  state.pendingWrap = false
  state.cursorStyle = 0
  state.modifyOtherKeys = 0
  state.keyboard.reset()
  endSynchronized(state)
  state.textChanged()
}

/** RIS: as at the beginning. Lines go on being counted, and the bells. */
export function fullReset(state: TerminalState): void {
  endSynchronized(state)
  softReset(state)
  state.modes = new Modes()
  state.savedModes.clear()
  clearSaved(state.saved.main)
  clearSaved(state.saved.alt)
  state.history.clear()
  for (const screen of [state.main, state.alt])
    for (let row = 0; row < state.rows; row++) screen.clearRow(row, 0)
  state.screen = state.main
  state.x = 0
  state.y = 0
  state.tabs = defaultTabs(state.cols)
  state.colors.reset()
  state.title = ''
  state.iconName = ''
  state.titleStack.length = 0
  state.lastGraphic = 0
  state.attributeExtent = 0
  state.checksumFlags = 0
  state.eightBitAnswers = false
  state.hasGuarded = false
  state.conformanceLevel = 5
  state.pen.link = 0
  state.penChanged()
  state.textChanged()
}

export function endSynchronized(state: TerminalState): void {
  if (!state.modes.synchronized) return
  state.modes.synchronized = false
  state.onSynchronize?.(false)
}

function resetPen(state: TerminalState): void {
  const { pen } = state
  pen.fg = pen.bg = pen.underlineColor = DEFAULT_COLOR
  pen.flags = 0
  state.penChanged()
}
