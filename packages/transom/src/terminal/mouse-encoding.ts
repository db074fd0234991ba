import type { TerminalModes } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'

export interface MouseCell {
  /** From 0. */
  readonly row: number
  readonly col: number
}

export type MouseButton = 'left' | 'middle' | 'right'

export type MouseAction =
  | { readonly action: 'click' | 'double_click'; readonly at: MouseCell; readonly button: MouseButton }
  | { readonly action: 'drag'; readonly at: MouseCell; readonly to: MouseCell; readonly button: MouseButton }
  /** Below 0 is up. */
  | { readonly action: 'wheel'; readonly at: MouseCell; readonly lines: number }
  | { readonly action: 'move'; readonly at: MouseCell }

const BUTTONS = { left: 0, middle: 1, right: 2 } as const
const NO_BUTTON = 3
const MOTION = 32
const WHEEL_UP = 64
const WHEEL_DOWN = 65
/** The first encoding has one byte for a coordinate, counted from 33. */
const DEFAULT_ENCODING_CELLS_MAX = 223
const CELL_WIDTH_PX = 8
const CELL_HEIGHT_PX = 16

interface Report {
  readonly code: number
  readonly cell: MouseCell
  readonly release: boolean
}

/**
 * What a mouse action sends, in the protocol and encoding that the program asked for. Characters up to U+00FF
 * stand for bytes. Throws when the program did not ask for this kind of event: it would read something else.
 */
export function encodeMouse(action: MouseAction, modes: TerminalModes): string {
  if (modes.mouse === 'none') {
    throw notEnabled('the program has not asked for the mouse; drive it with keys', modes)
  }
  return reportsOf(action, modes)
    .map((report) => encodeReport(report, modes))
    .join('')
}

function reportsOf(action: MouseAction, modes: TerminalModes): Report[] {
  switch (action.action) {
    case 'click':
      return click(action.at, action.button, modes)
    case 'double_click':
      return [...click(action.at, action.button, modes), ...click(action.at, action.button, modes)]
    case 'drag': {
      if (modes.mouse !== 'button' && modes.mouse !== 'any') {
        throw notEnabled('the program has asked for clicks but not for drags', modes)
      }
      const code = BUTTONS[action.button]
      return [
        { code, cell: action.at, release: false },
        { code: code + MOTION, cell: action.to, release: false },
        { code, cell: action.to, release: true },
      ]
    }
    case 'wheel': {
      if (modes.mouse === 'x10')
        throw notEnabled('the program has asked for clicks but not for the wheel', modes)
      const code = action.lines < 0 ? WHEEL_UP : WHEEL_DOWN
      return Array.from({ length: Math.abs(action.lines) }, () => ({ code, cell: action.at, release: false }))
    }
    case 'move':
      if (modes.mouse !== 'any')
        throw notEnabled('the program has not asked for moves without a button', modes)
      return [{ code: NO_BUTTON + MOTION, cell: action.at, release: false }]
    default:
      return action satisfies never
  }
}

function click(cell: MouseCell, button: MouseButton, modes: TerminalModes): Report[] {
  const code = BUTTONS[button]
  const press = { code, cell, release: false }
  return modes.mouse === 'x10' ? [press] : [press, { code, cell, release: true }]
}

function encodeReport({ code, cell, release }: Report, { mouse_encoding: encoding }: TerminalModes): string {
  if (encoding === 'default') return encodeDefault(release ? NO_BUTTON : code, cell)
  const scale = encoding === 'sgr_pixels' ? { x: CELL_WIDTH_PX, y: CELL_HEIGHT_PX } : { x: 1, y: 1 }
  const x = cell.col * scale.x + 1
  const y = cell.row * scale.y + 1
  return `\x1b[<${code};${x};${y}${release ? 'm' : 'M'}`
}

function encodeDefault(code: number, { row, col }: MouseCell): string {
  if (row >= DEFAULT_ENCODING_CELLS_MAX || col >= DEFAULT_ENCODING_CELLS_MAX) {
    const message = `the program's mouse encoding ends at cell ${DEFAULT_ENCODING_CELLS_MAX}, and ${row},${col} lies beyond; make the session smaller`
    throw new OpError('mouse_not_enabled', message, { row, col })
  }
  return `\x1b[M${String.fromCharCode(code + 32, col + 33, row + 33)}`
}

function notEnabled(message: string, { mouse, mouse_encoding }: TerminalModes): OpError {
  return new OpError('mouse_not_enabled', message, { mouse, mouse_encoding })
}
