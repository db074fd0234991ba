/** The answers to a program that asks for the terminal's state. */
import * as texts from '../query-answers.ts'
import { ANSI_MODES } from './modes.ts'
import { privateMode } from './set-mode.ts'
import { graphicsText } from './sgr.ts'
import { PROTECTED } from './style-table.ts'
import type { TerminalState } from './terminal-state.ts'

const CSI = '\x1b['
const DCS = '\x1bP'
const ST = '\x1b\\'

/** ANSI modes that no terminal of today has: off for good (as xterm says). */
const ANSI_MODES_OFF = new Set([1, 3, 5, 7, 10, 11, 13, 14, 15, 16, 17, 18, 19])

/** DSR. */
export function statusReport(state: TerminalState, what: number): void {
  if (what === 5) state.answer(`${CSI}0n`)
  if (what === 6) {
    const { row, col } = cursorPosition(state)
    state.answer(`${CSI}${row};${col}R`)
  }
}

/** DSR with `?`: printer, keys, keyboard, locator, macros, memory, data integrity, sessions, colour scheme. */
const PRIVATE_STATUS: Readonly<Record<number, string>> = {
  15: '?13n',
  25: '?20n',
  26: '?27;1;0;0n',
  53: '?50n',
  55: '?50n',
  56: '?57;0n',
  62: '0*{',
  75: '?70n',
  85: '?83n',
  996: '?997;1n',
}

export function privateStatusReport(state: TerminalState, what: number, argument: number): void {
  if (what === 6) {
    const { row, col } = cursorPosition(state)
    state.answer(texts.extendedCursorPosition(row, col))
  } else if (what === 63) {
    state.answer(`${DCS}${argument}!~0000${ST}`)
  } else {
    const text = PRIVATE_STATUS[what]
    if (text !== undefined) state.answer(CSI + text)
  }
}

/** From 1, counted from the margins in origin mode. */
function cursorPosition(state: TerminalState): { row: number; col: number } {
  const { origin } = state.modes
  return {
    row: state.y - (origin ? state.top : 0) + 1,
    col: state.x - (origin ? state.left : 0) + 1,
  }
}

/** DECRQM. */
export function ansiModeReport(state: TerminalState, mode: number): void {
  const name = ANSI_MODES.get(mode)
  const off = ANSI_MODES_OFF.has(mode) ? 4 : 0
  state.answer(`${CSI}${mode};${name === undefined ? off : state.modes[name] ? 1 : 2}$y`)
}

export function privateModeReport(state: TerminalState, mode: number): void {
  const on = privateMode(state, mode)
  state.answer(`${CSI}?${mode};${on === null ? 0 : on ? 1 : 2}$y`)
}

/** DECRQSS: the setting that a sequence with these intermediates and final sets. */
export function settingReport(state: TerminalState, request: string): void {
  const setting = settingText(state, request)
  state.answer(setting === null ? `${DCS}0$r${ST}` : `${DCS}1$r${setting}${ST}`)
}

function settingText(state: TerminalState, request: string): string | null {
  switch (request) {
    case 'm':
      return graphicsText(state.pen)
    case 'r':
      return `${state.top + 1};${state.bottom + 1}r`
    case 's':
      return `${state.left + 1};${state.right + 1}s`
    case ' q':
      return `${state.cursorStyle === 0 ? 2 : state.cursorStyle} q`
    case '"q':
      return `${state.pen.flags & PROTECTED ? 1 : 0}"q`
    case '"p':
      return `${60 + state.conformanceLevel};${state.eightBitAnswers ? 0 : 1}"p`
    case 't':
      return `${state.rows}t`
    case '$|':
      return `${state.cols}$|`
    case '$}': // no status line
    case '$~':
      return `0${request}`
    case '*|':
      return `${state.rows}*|`
    case '*x':
      return `${state.attributeExtent}*x`
    default:
      return null
  }
}

/** XTWINOPS: reports, and the stacks of titles. What would move or resize a window is ignored. */
export function windowOperation(state: TerminalState, operation: number, argument: number): void {
  const report = texts.windowReport(operation, state.cols, state.rows)
  if (report !== null) state.answer(report)
  else if (operation === 11) state.answer(`${CSI}1t`)
  else if (operation === 13) state.answer(`${CSI}3;0;0t`)
  // Titles are the program's own text: it isn't typed back.
  else if (operation === 20) state.answer(`\x1b]L${ST}`)
  else if (operation === 21) state.answer(`\x1b]l${ST}`)
  else if (operation === 22) pushTitle(state)
  else if (operation === 23) popTitle(state, argument)
}

const TITLE_STACK_MAX = 10 // as in xterm

function pushTitle(state: TerminalState): void {
  state.titleStack.push({ title: state.title, iconName: state.iconName })
  if (state.titleStack.length > TITLE_STACK_MAX) state.titleStack.shift()
}

function popTitle(state: TerminalState, which: number): void {
  const top = state.titleStack.pop()
  if (top === undefined) return
  if (which !== 1) state.title = top.title
  if (which !== 2) state.iconName = top.iconName
}

/** DECRQPSR: 1 is the cursor's state (DECCIR), 2 the tab stops (DECTABSR). */
export function presentationReport(state: TerminalState, what: number): void {
  if (what === 1) state.answer(`${DCS}1$u${cursorInformation(state)}${ST}`)
  if (what !== 2) return
  const stops = Array.from(state.tabs.keys()).filter((col) => state.tabs[col] === 1)
  state.answer(`${DCS}2$u${stops.map((col) => col + 1).join('/')}${ST}`)
}

function cursorInformation(state: TerminalState): string {
  const { row, col } = cursorPosition(state)
  const { pen, charsets } = state
  const rendition =
    0x40 | (pen.flags & 1) | (pen.flags & 0x700 ? 2 : 0) | (pen.flags & 8 ? 4 : 0) | (pen.flags & 16 ? 8 : 0)
  const attribute = 0x40 | (pen.flags & PROTECTED ? 1 : 0)
  const flags =
    0x40 |
    (state.modes.origin ? 1 : 0) |
    (charsets.single === 2 ? 2 : 0) |
    (charsets.single === 3 ? 4 : 0) |
    (state.pendingWrap ? 8 : 0)
  const letters =
    String.fromCharCode(rendition) + ';' + String.fromCharCode(attribute) + ';' + String.fromCharCode(flags)
  return `${row};${col};1;${letters};${charsets.left};2;@;${String.fromCharCode(...charsets.sets)}`
}
