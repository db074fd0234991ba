import type { TerminalModes } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'

export interface MouseCell {
  /** From 0. */
  readonly row: number
  readonly col: number
}

export type MouseButton = 'left' | 'middle' | 'right'

/** A key that is held down while the mouse is used. */
export type MouseModifier = 'alt' | 'ctrl' | 'shift' | 'meta'

export type MouseAction = {
  readonly at: MouseCell
  readonly modifiers?: MouseModifier[]
} & (
  | { readonly action: 'click'; readonly button: MouseButton; readonly clicks?: number }
  | { readonly action: 'down' | 'up'; readonly button: MouseButton }
  | { readonly action: 'drag'; readonly to: MouseCell; readonly button: MouseButton }
  /** Below 0 is up. */
  | { readonly action: 'wheel'; readonly lines: number }
  | { readonly action: 'move' }
)

const BUTTONS = { left: 0, middle: 1, right: 2 } as const
const NO_BUTTON = 3
const MOTION = 32
const WHEEL_UP = 64
const WHEEL_DOWN = 65
/** Alt and Meta are one key to a terminal. */
const MODIFIER_BITS = { shift: 4, alt: 8, meta: 8, ctrl: 16 } as const
const NOTCHES_MAX = 1000 // a report for each: past this a count is a slip
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
 * stand for bytes. Throws if the program did not ask for this kind of event: it would read something else.
 */
export function encodeMouse(action: MouseAction, modes: TerminalModes): string {
  if (modes.mouse === 'none') {
    throw notEnabled('the program has not asked for the mouse; drive it with keys', modes)
  }
  // The first protocol knows presses of a button alone.
  const held = modes.mouse === 'x10' ? [] : (action.modifiers ?? [])
  const bits = held.reduce((sum, modifier) => sum | MODIFIER_BITS[modifier], 0)
  return reportsOf(action, modes)
    .map((report) => encodeReport({ ...report, code: report.code | bits }, modes))
    .join('')
}

function reportsOf(action: MouseAction, modes: TerminalModes): Report[] {
  switch (action.action) {
    case 'click':
      return Array.from({ length: action.clicks ?? 1 }, () => click(action.at, action.button, modes)).flat()
    case 'down':
      return [{ code: BUTTONS[action.button], cell: action.at, release: false }]
    case 'up':
      if (modes.mouse === 'x10') throw notEnabled('the program has asked for presses of a button only', modes)
      return [{ code: BUTTONS[action.button], cell: action.at, release: true }]
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
      if (Math.abs(action.lines) > NOTCHES_MAX) {
        const message = `a terminal's wheel turns by at most ${NOTCHES_MAX} notches (got ${action.lines})`
        throw new OpError('usage', message, { lines: action.lines })
      }
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
  if (encoding === 'default') return encodeDefault(release ? code | NO_BUTTON : code, cell)
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
