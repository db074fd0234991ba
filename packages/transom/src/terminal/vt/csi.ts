/** What the control sequences mean: one table of handlers by prefix, intermediates and final character. */
import * as texts from '../query-answers.ts'
import * as cursor from './cursor.ts'
import * as edit from './edit.ts'
import { repeatCell } from './print.ts'
import * as rectangles from './rectangles.ts'
import * as reports from './reports.ts'
import { softReset } from './reset.ts'
import { privateMode, setAnsiMode, setPrivateMode } from './set-mode.ts'
import { selectGraphics } from './sgr.ts'
import { PROTECTED } from './style-table.ts'
import type { TerminalState } from './terminal-state.ts'

type Handler = (state: TerminalState) => void

/** A parameter, 0 when it is missing. */
function param(state: TerminalState, index: number): number {
  const { params, paramCount } = state.parser
  return index < paramCount ? (params[index] ?? 0) : 0
}

/** A parameter that says how often or how many: at least 1. */
function count(state: TerminalState, index = 0): number {
  return param(state, index) || 1
}

export const HANDLERS = {
  // Cursor
  A: (state) => cursor.cursorUp(state, count(state)),
  B: (state) => cursor.cursorDown(state, count(state)),
  C: (state) => cursor.cursorForward(state, count(state)),
  D: (state) => cursor.cursorBack(state, count(state)),
  E: (state) => {
    cursor.cursorDown(state, count(state))
    cursor.carriageReturn(state)
  },
  F: (state) => {
    cursor.cursorUp(state, count(state))
    cursor.carriageReturn(state)
  },
  G: (state) => cursor.moveToCol(state, count(state) - 1),
  H: (state) => cursor.moveTo(state, count(state) - 1, count(state, 1) - 1),
  I: (state) => cursor.tabForward(state, count(state)),
  Z: (state) => cursor.tabBack(state, count(state)),
  '`': (state) => cursor.moveToCol(state, count(state) - 1),
  a: (state) => cursor.moveBy(state, 0, count(state)),
  d: (state) => cursor.moveToRow(state, count(state) - 1),
  e: (state) => cursor.moveBy(state, count(state), 0),
  f: (state) => cursor.moveTo(state, count(state) - 1, count(state, 1) - 1),
  j: (state) => cursor.cursorBack(state, count(state)),
  k: (state) => cursor.cursorUp(state, count(state)),
  g: clearTabs,
  '?W': resetTabs,
  s: saveOrSetSides,
  u: cursor.restoreCursor,
  ' q': (state) => setCursorStyle(state, param(state, 0)),

  // Editing
  '@': (state) => edit.insertBlanks(state, count(state)),
  J: (state) => edit.eraseInDisplay(state, param(state, 0), false),
  K: (state) => edit.eraseInLine(state, param(state, 0), false),
  '?J': (state) => edit.eraseInDisplay(state, param(state, 0), true),
  '?K': (state) => edit.eraseInLine(state, param(state, 0), true),
  L: (state) => edit.insertLines(state, count(state)),
  M: (state) => edit.deleteLines(state, count(state)),
  P: (state) => edit.deleteCharacters(state, count(state)),
  S: (state) => edit.scrollUp(state, count(state)),
  T: (state) => {
    if (state.parser.paramCount === 1) cursor.scrollDown(state, state.top, count(state)) // five are highlight tracking
  },
  '^': (state) => cursor.scrollDown(state, state.top, count(state)),
  X: (state) => edit.eraseCharacters(state, count(state)),
  b: repeat,
  ' @': (state) => edit.shiftColumns(state, count(state), 'left'),
  ' A': (state) => edit.shiftColumns(state, count(state), 'right'),
  "'}": (state) => edit.insertColumns(state, count(state)),
  "'~": (state) => edit.deleteColumns(state, count(state)),
  r: setMargins,
  m: selectGraphics,
  '"q': setProtection,

  // Rectangles
  $v: rectangles.copyRectangle,
  $x: rectangles.fillRectangle,
  $z: (state) => rectangles.eraseRectangle(state, false),
  '${': (state) => rectangles.eraseRectangle(state, true),
  $r: (state) => rectangles.changeAttributes(state, false),
  $t: (state) => rectangles.changeAttributes(state, true),
  '*x': (state) => {
    if (param(state, 0) <= 2) state.attributeExtent = param(state, 0)
  },
  '*y': rectangles.checksumReport,
  '#y': (state) => {
    state.checksumFlags = param(state, 0)
  },

  // Modes
  h: (state) => eachParam(state, (mode) => setAnsiMode(state, mode, true)),
  l: (state) => eachParam(state, (mode) => setAnsiMode(state, mode, false)),
  '?h': (state) => eachParam(state, (mode) => setPrivateMode(state, mode, true)),
  '?l': (state) => eachParam(state, (mode) => setPrivateMode(state, mode, false)),
  '?s': (state) => eachParam(state, (mode) => saveMode(state, mode)),
  '?r': (state) => eachParam(state, (mode) => restoreMode(state, mode)),
  '!p': softReset,
  '"p': setConformance,

  // Reports
  c: (state) => answerFirst(state, texts.primaryAttributes),
  '>c': (state) => answerFirst(state, texts.secondaryAttributes),
  '=c': (state) => answerFirst(state, texts.tertiaryAttributes),
  '>q': (state) => answerFirst(state, texts.terminalVersion),
  n: (state) => reports.statusReport(state, param(state, 0)),
  '?n': (state) => reports.privateStatusReport(state, param(state, 0), param(state, 1)),
  t: (state) => reports.windowOperation(state, param(state, 0), param(state, 1)),
  $p: (state) => reports.ansiModeReport(state, param(state, 0)),
  '?$p': (state) => reports.privateModeReport(state, param(state, 0)),
  $w: (state) => reports.presentationReport(state, param(state, 0)),
  x: (state) => {
    if (param(state, 0) <= 1) state.answer(`\x1b[${param(state, 0) + 2};1;1;128;128;1;0x`) // DECREQTPARM
  },

  // Colours and keyboard
  '#P': (state) => state.colors.push(),
  '#Q': (state) => state.colors.pop(),
  '?u': (state) => state.answer(texts.kittyFlags(state.keyboard.flags(state.isAlt))),
  '>u': (state) => state.keyboard.push(state.isAlt, param(state, 0)),
  '<u': (state) => state.keyboard.pop(state.isAlt, count(state)),
  '=u': (state) => state.keyboard.set(state.isAlt, param(state, 0), count(state, 1)),
  '>m': (state) => {
    if (param(state, 0) === 4) state.modifyOtherKeys = param(state, 1)
    else if (param(state, 0) === 0) state.modifyOtherKeys = 0
  },
  '>n': (state) => {
    if (param(state, 0) === 4) state.modifyOtherKeys = 0
  },
  '?m': (state) => {
    if (param(state, 0) === 4) state.answer(texts.modifyOtherKeys(state.modifyOtherKeys))
  },
} satisfies Readonly<Record<string, Handler>>

const BY_NAME: Readonly<Record<string, Handler | undefined>> = HANDLERS

/** By final character, for sequences without prefix and intermediates: almost all of them. */
const PLAIN: readonly (Handler | undefined)[] = Array.from(
  { length: 0x80 },
  (_, final) => BY_NAME[String.fromCharCode(final)],
)

const SGR = 0x6d
const REP = 0x62

export function controlSequence(state: TerminalState, final: number): void {
  const { prefix, intermediates } = state.parser
  if (prefix === 0 && intermediates === 0) {
    PLAIN[final]?.(state)
    if (final === SGR || final === REP) return
  } else BY_NAME[sequenceName(prefix, intermediates, final)]?.(state)
  state.lastGraphic = 0
}

function sequenceName(prefix: number, intermediates: number, final: number): string {
  let name = prefix === 0 ? '' : String.fromCharCode(prefix)
  for (let shift = 24; shift >= 0; shift -= 8) {
    const character = (intermediates >>> shift) & 0xff
    if (character !== 0) name += String.fromCharCode(character)
  }
  return name + String.fromCharCode(final)
}

function eachParam(state: TerminalState, handle: (value: number) => void): void {
  const values = state.parser.params.slice(0, state.parser.paramCount)
  for (const value of values) handle(value)
}

function answerFirst(state: TerminalState, text: string): void {
  if (param(state, 0) === 0) state.answer(text)
}

/**
 * Ten rows of the widest screen. A program repeats a character within a row (terminfo's `rep`); eight bytes that fill a
 * million cells, again and again, would hold up every session.
 */
const REPEAT_MAX = 10_000

/** REP: more than a screenful would show nothing more. */
function repeat(state: TerminalState): void {
  const { lastGraphic } = state
  if (lastGraphic === 0) return
  const times = Math.min(count(state), state.cols * state.rows, REPEAT_MAX)
  repeatCell(state, lastGraphic, times)
}

/** DECSTBM. */
function setMargins(state: TerminalState): void {
  const top = count(state) - 1
  const bottom = Math.min(state.rows, param(state, 1) || state.rows) - 1
  if (top >= bottom) return
  state.top = top
  state.bottom = bottom
  state.textChanged()
  cursor.moveTo(state, 0, 0)
}

/** DECSLRM while its mode is on, else SCOSC. */
function saveOrSetSides(state: TerminalState): void {
  if (!state.modes.leftRightMargins) {
    cursor.saveCursor(state)
    return
  }
  const left = count(state) - 1
  const right = Math.min(state.cols, param(state, 1) || state.cols) - 1
  if (left >= right) return
  state.left = left
  state.right = right
  cursor.moveTo(state, 0, 0)
  state.textChanged()
}

/** TBC. */
function clearTabs(state: TerminalState): void {
  if (param(state, 0) === 0) state.tabs[state.x] = 0
  else if (param(state, 0) === 3) state.tabs.fill(0)
}

/** DECST8C. */
function resetTabs(state: TerminalState): void {
  if (param(state, 0) !== 5) return
  for (let col = 0; col < state.cols; col++) state.tabs[col] = col > 0 && col % 8 === 0 ? 1 : 0
}

/** DECSCUSR: odd styles blink. */
function setCursorStyle(state: TerminalState, style: number): void {
  if (style > 6) return
  state.cursorStyle = style
  state.modes.cursorBlink = style % 2 === 1
}

/** DECSCA. */
function setProtection(state: TerminalState): void {
  const mode = param(state, 0)
  if (mode === 1) state.pen.flags |= PROTECTED
  else if (mode === 0 || mode === 2) state.pen.flags &= ~PROTECTED
  state.penChanged()
}

/** DECSCL. */
function setConformance(state: TerminalState): void {
  const level = param(state, 0) - 60
  if (level < 1 || level > 5) return
  softReset(state)
  state.conformanceLevel = level
  state.eightBitAnswers = level > 1 && param(state, 1) !== 1 && state.parser.paramCount > 1
}

function saveMode(state: TerminalState, mode: number): void {
  const on = privateMode(state, mode)
  if (on !== null) state.savedModes.set(mode, on)
}

function restoreMode(state: TerminalState, mode: number): void {
  const on = state.savedModes.get(mode)
  if (on !== undefined) setPrivateMode(state, mode, on)
}
