import { shiftedCharacter, soleCodePoint, unshiftedCharacter } from './key-characters.ts'
import type { CharacterKeyPress, KeyPress } from './key-names.ts'
import { CSI, modifierBits, SHIFT_BIT } from './key-sequences.ts'
import { KEY_SHAPES } from './key-tables.ts'

/** The progressive enhancements of the protocol, by their bits. */
const KITTY_DISAMBIGUATE = 1
const KITTY_EVENT_TYPES = 2
const KITTY_ALTERNATE_KEYS = 4
const KITTY_ALL_KEYS = 8
const KITTY_TEXT = 16

/**
 * The kitty keyboard protocol (sw.kovidgoyal.net/kitty/keyboard-protocol). `legacy` is what the key sends
 * outside the protocol, which keeps it in several places. A press in Transom is a press and a release, so a
 * program that asks for event types gets both. Presses of the modifier keys themselves, which flag 8 would
 * add, are not sent: every event carries the modifiers held.
 */
export function encodeKittyKey(press: KeyPress, flags: number, legacy: string): string {
  const text = typedText(press)
  const code = keyCode(press)
  const all = (flags & KITTY_ALL_KEYS) !== 0
  if (code === null) {
    // Text that no single key makes: the protocol gives it key number 0, and flag 16 is the room for it.
    return all && (flags & KITTY_TEXT) !== 0 && text !== '' ? `${CSI}0;;${codePoints(text)}u` : legacy
  }
  const bits = modifierBits(press) | (isCapital(press) ? SHIFT_BIT : 0)
  const disambiguate = (flags & KITTY_DISAMBIGUATE) !== 0
  const reported = all || (disambiguate && text === '' && !(isShellKey(press) && bits === 0))
  const event = {
    ...code,
    bits,
    shifted: (flags & KITTY_ALTERNATE_KEYS) !== 0 ? shiftedCode(press) : null,
    text: all && (flags & KITTY_TEXT) !== 0 ? text : '',
  }
  const unreported = disambiguate && text !== '' ? text : legacy
  const down = reported ? sequence(event, 'press') : unreported
  const releases = (flags & KITTY_EVENT_TYPES) !== 0 && (all || hasRelease(press, text, reported))
  return releases ? down + sequence({ ...event, text: '' }, 'release') : down
}

interface KeyCode {
  readonly code: number
  readonly final: string
}

interface KeyEvent extends KeyCode {
  readonly bits: number
  readonly shifted: number | null
  readonly text: string
}

function sequence(event: KeyEvent, type: 'press' | 'release'): string {
  const modifiers = event.bits === 0 ? '' : String(event.bits + 1)
  const modifierField = type === 'release' ? `${event.bits + 1}:3` : modifiers
  if (modifierField === '' && event.code === 1) return CSI + event.final
  const keyField = event.shifted === null ? String(event.code) : `${event.code}:${event.shifted}`
  const fields = [keyField, modifierField, codePoints(event.text)]
  return CSI + fields.join(';').replace(/;+$/, '') + event.final
}

/** The key's number and the letter that ends its sequence; null for a character that no key can stand for. */
function keyCode(press: KeyPress): KeyCode | null {
  if (press.kind === 'character') {
    const code = soleCodePoint(unshiftedCharacter(press.character))
    return code === null || isFunctionalCode(code) ? null : { code, final: 'u' }
  }
  const shape = KEY_SHAPES[press.key]
  switch (shape.form) {
    case 'letter':
      return shape.kittyTilde === null
        ? { code: 1, final: shape.final }
        : { code: shape.kittyTilde, final: '~' }
    case 'tilde':
      return { code: shape.number, final: '~' }
    case 'shift_of':
    case 'keypad':
      return { code: shape.kittyCode, final: 'u' }
    case 'control':
      return { code: shape.code, final: 'u' }
    default:
      return shape satisfies never
  }
}

/** The protocol takes its key numbers from the Private Use Area, where icon fonts have their glyphs. */
function isFunctionalCode(code: number): boolean {
  return code >= 0xe000 && code <= 0xf8ff
}

/** What the press would write into a text field; Alt, Ctrl and Super make it a command instead. */
function typedText(press: KeyPress): string {
  if (press.ctrl || press.alt || press.super) return ''
  if (press.kind === 'character') return press.shift ? shiftedCharacter(press.character) : press.character
  const shape = KEY_SHAPES[press.key]
  return shape.form === 'keypad' ? shape.text : ''
}

function shiftedCode(press: KeyPress): number | null {
  if (press.kind === 'named' || !(press.shift || isCapital(press))) return null
  const key = unshiftedCharacter(press.character)
  const shifted = shiftedCharacter(key)
  return shifted === key ? null : soleCodePoint(shifted)
}

function isCapital(press: KeyPress): press is CharacterKeyPress {
  return press.kind === 'character' && unshiftedCharacter(press.character) !== press.character
}

/** Kept as they are while only flag 1 is set, so that `reset` can be typed after a program has left it set. */
function isShellKey(press: KeyPress): boolean {
  if (press.kind === 'character' || press.key === 'Escape') return false
  return KEY_SHAPES[press.key].form === 'control'
}

/** Without flag 8, text and the shell keys release silently, and so does a bare control character. */
function hasRelease(press: KeyPress, text: string, reported: boolean): boolean {
  if (text !== '' || isShellKey(press)) return false
  if (reported || press.kind === 'character') return reported
  const { form } = KEY_SHAPES[press.key]
  return form === 'letter' || form === 'tilde'
}

function codePoints(text: string): string {
  return Array.from(text, (character) => character.codePointAt(0)).join(':')
}
