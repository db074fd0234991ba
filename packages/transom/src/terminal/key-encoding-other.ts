import type { TerminalModes } from '@transom/protocol'
import { controlCharacter, shiftedCharacter, soleCodePoint, unshiftedCharacter } from './key-characters.ts'
import type { CharacterKeyPress, KeyPress, NamedKeyPress } from './key-names.ts'
import { CSI, modifierBits, SHIFT_BIT } from './key-sequences.ts'
import { KEY_SHAPES } from './key-tables.ts'

/**
 * xterm's modifyOtherKeys: `CSI 27 ; mod ; code ~` for modified keys that are neither cursor, function nor
 * keypad keys. Level 1 leaves alone what has a well-known control character or is text after Alt's ESC; level
 * 2 reports those too. Null if the key keeps its ordinary encoding.
 */
export function encodeOtherKey(press: KeyPress, modes: TerminalModes): string | null {
  if (modes.modify_other_keys <= 0) return null
  const level = modes.modify_other_keys === 1 ? 1 : 2
  return press.kind === 'character' ? encodeCharacter(press, level) : encodeNamed(press, level, modes)
}

type Level = 1 | 2

function encodeCharacter(press: CharacterKeyPress, level: Level): string | null {
  const typed = press.shift ? shiftedCharacter(press.character) : press.character
  const code = soleCodePoint(typed)
  if (code === null) return null
  const reported = level === 1 ? isReportedAtLevel1(press, typed) : isReportedAtLevel2(press, typed)
  if (!reported) return null
  const capital = unshiftedCharacter(press.character) !== press.character
  return sequence(modifierBits(press) | (capital ? SHIFT_BIT : 0), code)
}

function isReportedAtLevel1(press: CharacterKeyPress, typed: string): boolean {
  if (press.super) return true
  return press.ctrl && (press.shift || controlCharacter(typed) === null)
}

function isReportedAtLevel2(press: CharacterKeyPress, typed: string): boolean {
  if (press.ctrl || press.alt || press.super) return true
  // With Shift alone xterm reports the characters that Ctrl could act on, and the space; `!` stays text.
  return press.shift && (typed === ' ' || /^[@-~]$/.test(typed))
}

function encodeNamed(press: NamedKeyPress, level: Level, modes: TerminalModes): string | null {
  const shape = KEY_SHAPES[press.key]
  if (shape.form !== 'control') return null
  const bits = modifierBits(press)
  const altOnly = press.alt && !press.ctrl && !press.shift && !press.super
  if (bits === 0 || (level === 1 && altOnly)) return null
  switch (shape.key) {
    case 'Enter':
      return sequence(bits, shape.code)
    case 'Tab':
      return isBackTab(press, level) ? null : sequence(bits, shape.code)
    case 'Backspace':
      // Ctrl alone already means the other of the two erase characters.
      if (level === 1 || bits === CTRL_ONLY) return null
      return sequence(bits, modes.backarrow_sends_backspace ? 8 : shape.code)
    case 'Escape':
      return level === 1 || bits === SHIFT_BIT ? null : sequence(bits, shape.code)
    default:
      return shape.key satisfies never
  }
}

const CTRL_ONLY = 4

/** Shift+Tab has a sequence of its own, CSI Z, which Alt may precede while Alt is still an ESC. */
function isBackTab(press: NamedKeyPress, level: Level): boolean {
  return press.shift && !press.ctrl && !press.super && (level === 1 || !press.alt)
}

function sequence(bits: number, code: number): string {
  return `${CSI}27;${bits + 1};${code}~`
}
