/**
 * The named keys and what the terminal sends for each: xterm's "PC-style" sequences (ctlseqs, xterm-256color
 * terminfo) and the numbers of the kitty keyboard protocol ("Functional key definitions").
 */
export const KEY_SHAPES = {
  Up: cursor('A'),
  Down: cursor('B'),
  Right: cursor('C'),
  Left: cursor('D'),
  Home: cursor('H'),
  End: cursor('F'),
  Insert: tilde(2),
  Delete: tilde(3),
  PageUp: tilde(5),
  PageDown: tilde(6),
  Enter: control('Enter', 13),
  Tab: control('Tab', 9),
  Backspace: control('Backspace', 127),
  Escape: control('Escape', 27),
  F1: letter('P'),
  F2: letter('Q'),
  // kitty's CSI R would read as a cursor position report, so that protocol numbers F3 instead.
  F3: letter('R', 13),
  F4: letter('S'),
  // The gaps at 16 and 22 are DEC's: they separate the groups of keys on a VT220 keyboard.
  F5: tilde(15),
  F6: tilde(17),
  F7: tilde(18),
  F8: tilde(19),
  F9: tilde(20),
  F10: tilde(21),
  F11: tilde(23),
  F12: tilde(24),
  F13: shiftOf('F1', 57376),
  F14: shiftOf('F2', 57377),
  F15: shiftOf('F3', 57378),
  F16: shiftOf('F4', 57379),
  F17: shiftOf('F5', 57380),
  F18: shiftOf('F6', 57381),
  F19: shiftOf('F7', 57382),
  F20: shiftOf('F8', 57383),
  F21: shiftOf('F9', 57384),
  F22: shiftOf('F10', 57385),
  F23: shiftOf('F11', 57386),
  F24: shiftOf('F12', 57387),
  KP0: keypad('0', 'p', 57399),
  KP1: keypad('1', 'q', 57400),
  KP2: keypad('2', 'r', 57401),
  KP3: keypad('3', 's', 57402),
  KP4: keypad('4', 't', 57403),
  KP5: keypad('5', 'u', 57404),
  KP6: keypad('6', 'v', 57405),
  KP7: keypad('7', 'w', 57406),
  KP8: keypad('8', 'x', 57407),
  KP9: keypad('9', 'y', 57408),
  KPDecimal: keypad('.', 'n', 57409),
  KPDivide: keypad('/', 'o', 57410),
  KPMultiply: keypad('*', 'j', 57411),
  KPMinus: keypad('-', 'm', 57412),
  KPPlus: keypad('+', 'k', 57413),
  KPEnter: keypad('', 'M', 57414),
} satisfies Record<string, KeyShape>

export type NamedKey = keyof typeof KEY_SHAPES
export type KeyShape = LetterShape | TildeShape | ShiftOfShape | KeypadShape | ControlShape

/** `CSI 1 ; mod final`; without modifiers SS3, for the cursor keys only while DECCKM is set. */
export interface LetterShape {
  readonly form: 'letter'
  readonly final: string
  readonly ss3: 'always' | 'application_cursor'
  /** The kitty protocol sends `CSI n ~` instead. */
  readonly kittyTilde: number | null
}

/** `CSI number ; mod ~` */
export interface TildeShape {
  readonly form: 'tilde'
  readonly number: number
}

/** A key that PC keyboards lack: terminfo gives it the sequence of Shift and a lower function key. */
export interface ShiftOfShape {
  readonly form: 'shift_of'
  readonly base: LowFunctionKey
  readonly kittyCode: number
}

export interface KeypadShape {
  readonly form: 'keypad'
  /** What the key types; empty for the keypad's Enter. */
  readonly text: string
  /** Sent as SS3 final while the keypad is in application mode (DECKPAM). */
  readonly final: string
  readonly kittyCode: number
}

/** A key with a control character of its own, whose number is also its kitty code. */
export interface ControlShape {
  readonly form: 'control'
  readonly key: 'Enter' | 'Tab' | 'Backspace' | 'Escape'
  readonly code: number
}

export type LowFunctionKey =
  'F1' | 'F2' | 'F3' | 'F4' | 'F5' | 'F6' | 'F7' | 'F8' | 'F9' | 'F10' | 'F11' | 'F12'

function cursor(final: string): LetterShape {
  return { form: 'letter', final, ss3: 'application_cursor', kittyTilde: null }
}

function letter(final: string, kittyTilde: number | null = null): LetterShape {
  return { form: 'letter', final, ss3: 'always', kittyTilde }
}

function tilde(number: number): TildeShape {
  return { form: 'tilde', number }
}

function shiftOf(base: LowFunctionKey, kittyCode: number): ShiftOfShape {
  return { form: 'shift_of', base, kittyCode }
}

function keypad(text: string, final: string, kittyCode: number): KeypadShape {
  return { form: 'keypad', text, final, kittyCode }
}

function control(key: ControlShape['key'], code: number): ControlShape {
  return { form: 'control', key, code }
}
