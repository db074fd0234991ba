import type { TerminalModes } from '@transom/protocol'
import { controlCharacter, shiftedCharacter, soleCodePoint } from './key-characters.ts'
import { encodeKittyKey } from './key-encoding-kitty.ts'
import { encodeOtherKey } from './key-encoding-other.ts'
import type { KeyModifiers, KeyPress, NamedKeyPress } from './key-names.ts'
import { KEY_SHAPES, type ControlShape, type KeypadShape, type LetterShape } from './key-tables.ts'
import { CSI, ESC, modifierBits, SS3 } from './key-sequences.ts'

/**
 * What a terminal in these modes sends for the presses, as text to be sent in UTF-8. Never empty: a press
 * that has no sequence of its own in the old encodings sends what xterm sends.
 */
export function encodeKeys(presses: readonly KeyPress[], modes: TerminalModes): string {
  return presses.map((press) => encodeKey(press, modes)).join('')
}

function encodeKey(press: KeyPress, modes: TerminalModes): string {
  const xterm = encodeOtherKey(press, modes) ?? encodeXtermKey(press, modes)
  return modes.kitty_keyboard === 0 ? xterm : encodeKittyKey(press, modes.kitty_keyboard, xterm)
}

function encodeXtermKey(press: KeyPress, modes: TerminalModes): string {
  if (press.kind === 'character') return encodeCharacter(press.character, press)
  const shape = KEY_SHAPES[press.key]
  switch (shape.form) {
    case 'letter':
      return encodeLetter(shape, modifierBits(press), modes)
    case 'tilde': {
      const bits = modifierBits(press)
      return bits === 0 ? `${CSI}${shape.number}~` : `${CSI}${shape.number};${bits + 1}~`
    }
    case 'shift_of':
      return encodeXtermKey({ ...press, key: shape.base, shift: true }, modes)
    case 'keypad':
      return encodeKeypad(shape, press, modes)
    case 'control':
      return encodeControl(shape, press, modes)
    default:
      return shape satisfies never
  }
}

function encodeLetter(shape: LetterShape, bits: number, modes: TerminalModes): string {
  if (bits !== 0) return `${CSI}1;${bits + 1}${shape.final}`
  const application = shape.ss3 === 'always' || modes.application_cursor
  return (application ? SS3 : CSI) + shape.final
}

/** SS3 has no room for modifiers: with any, a keypad key is the key whose character it types. */
function encodeKeypad(shape: KeypadShape, press: NamedKeyPress, modes: TerminalModes): string {
  if (modes.application_keypad && modifierBits(press) === 0) return SS3 + shape.final
  return shape.text === ''
    ? encodeXtermKey({ ...press, key: 'Enter' }, modes)
    : encodeCharacter(shape.text, { ...press, shift: false })
}

function encodeCharacter(character: string, modifiers: KeyModifiers): string {
  const typed = modifiers.shift ? shiftedCharacter(character) : character
  const code = soleCodePoint(character)
  if (modifiers.super && code !== null) return encodeSuper(code, modifiers)
  const bytes = modifiers.ctrl ? (controlCharacter(typed) ?? typed) : typed
  return modifiers.alt ? ESC + bytes : bytes
}

function encodeControl(shape: ControlShape, modifiers: KeyModifiers, modes: TerminalModes): string {
  if (modifiers.super) return encodeSuper(shape.code, modifiers)
  const bytes = controlBytes(shape, modifiers, modes)
  return modifiers.alt ? ESC + bytes : bytes
}

function controlBytes(shape: ControlShape, modifiers: KeyModifiers, modes: TerminalModes): string {
  switch (shape.key) {
    case 'Enter':
      return modes.newline ? '\r\n' : '\r'
    case 'Tab':
      return modifiers.shift ? `${CSI}Z` : '\t'
    case 'Backspace':
      // Ctrl gives the other of the two characters, whichever DECBKM makes the first.
      return modes.backarrow_sends_backspace === modifiers.ctrl ? '\x7f' : '\b'
    case 'Escape':
      return ESC
    default:
      return shape.key satisfies never
  }
}

/**
 * Super has no old encoding, and leaving it out would make Super+C type a c. The kitty protocol sends CSI u
 * for it even to programs that have not asked ("Legacy text keys").
 */
function encodeSuper(code: number, modifiers: KeyModifiers): string {
  return `${CSI}${code};${modifierBits(modifiers) + 1}u`
}
