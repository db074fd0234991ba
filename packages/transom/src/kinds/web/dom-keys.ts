import type { Protocol } from 'devtools-protocol'
import { shiftedCharacter, soleCodePoint } from '../../terminal/key-characters.ts'
import type { KeyPress, NamedKey } from '../../terminal/key-names.ts'

type KeyEvent = Protocol.Input.DispatchKeyEventRequest

const ALT = 1
const CTRL = 2
const META = 4
const SHIFT = 8
const ON_KEYPAD = 3 // DOM_KEY_LOCATION_NUMPAD

/** The two events of one key press, as a keyboard of US layout makes them (UI Events specification). */
export function keyEvents(press: KeyPress): { down: KeyEvent; up: KeyEvent } {
  const modifiers =
    (press.alt ? ALT : 0) | (press.ctrl ? CTRL : 0) | (press.super ? META : 0) | (press.shift ? SHIFT : 0)
  const key = press.kind === 'named' ? namedKey(press.key) : characterKey(press.character, press.shift)
  const typesText = key.text !== '' && !press.ctrl && !press.alt && !press.super
  const shared = {
    modifiers,
    key: key.key,
    code: key.code,
    windowsVirtualKeyCode: key.virtualKey,
    ...(key.code.startsWith('Numpad') ? { isKeypad: true, location: ON_KEYPAD } : {}),
  }
  return {
    down: typesText
      ? { type: 'keyDown', text: key.text, unmodifiedText: key.text, ...shared }
      : { type: 'rawKeyDown', ...shared },
    up: { type: 'keyUp', ...shared },
  }
}

interface DomKey {
  readonly key: string
  readonly code: string
  readonly virtualKey: number
  /** What it types, or empty. */
  readonly text: string
}

function namedKey(name: NamedKey): DomKey {
  const numbered = /^F(\d+)$/.exec(name)
  if (numbered !== null) return { key: name, code: name, virtualKey: 0x6f + Number(numbered[1]), text: '' }
  const digit = /^KP(\d)$/.exec(name)?.[1]
  if (digit !== undefined) {
    return { key: digit, code: `Numpad${digit}`, virtualKey: 0x60 + Number(digit), text: digit }
  }
  const known = NAMED_KEYS.get(name)
  if (known === undefined) throw new RangeError(`no DOM key for ${name}`) // a bug: the table covers NamedKey
  const [key, code, virtualKey, text] = known
  return { key, code, virtualKey, text }
}

function characterKey(character: string, shift: boolean): DomKey {
  const typed = shift ? shiftedCharacter(character) : character
  const codePoint = soleCodePoint(typed)
  const plain = US_KEYS.get(typed)
  if (plain !== undefined) return { key: typed, code: plain.code, virtualKey: plain.virtualKey, text: typed }
  return { key: codePoint === null ? 'Unidentified' : typed, code: '', virtualKey: 0, text: typed }
}

type NamedRow = readonly [key: string, code: string, virtualKey: number, text: string]

const NAMED_KEYS: ReadonlyMap<NamedKey, NamedRow> = new Map<NamedKey, NamedRow>([
  ['Up', ['ArrowUp', 'ArrowUp', 0x26, '']],
  ['Down', ['ArrowDown', 'ArrowDown', 0x28, '']],
  ['Right', ['ArrowRight', 'ArrowRight', 0x27, '']],
  ['Left', ['ArrowLeft', 'ArrowLeft', 0x25, '']],
  ['Home', ['Home', 'Home', 0x24, '']],
  ['End', ['End', 'End', 0x23, '']],
  ['Insert', ['Insert', 'Insert', 0x2d, '']],
  ['Delete', ['Delete', 'Delete', 0x2e, '']],
  ['PageUp', ['PageUp', 'PageUp', 0x21, '']],
  ['PageDown', ['PageDown', 'PageDown', 0x22, '']],
  ['Enter', ['Enter', 'Enter', 0x0d, '\r']],
  ['Tab', ['Tab', 'Tab', 0x09, '']],
  ['Backspace', ['Backspace', 'Backspace', 0x08, '']],
  ['Escape', ['Escape', 'Escape', 0x1b, '']],
  ['KPDecimal', ['.', 'NumpadDecimal', 0x6e, '.']],
  ['KPDivide', ['/', 'NumpadDivide', 0x6f, '/']],
  ['KPMultiply', ['*', 'NumpadMultiply', 0x6a, '*']],
  ['KPMinus', ['-', 'NumpadSubtract', 0x6d, '-']],
  ['KPPlus', ['+', 'NumpadAdd', 0x6b, '+']],
  ['KPEnter', ['Enter', 'NumpadEnter', 0x0d, '\r']],
])

/** The key of a US keyboard that types each character, with and without Shift. */
const US_KEYS: ReadonlyMap<string, { code: string; virtualKey: number }> = usKeys()

function usKeys(): Map<string, { code: string; virtualKey: number }> {
  const keys = new Map<string, { code: string; virtualKey: number }>()
  const add = (character: string, code: string, virtualKey: number) => {
    keys.set(character, { code, virtualKey })
    keys.set(shiftedCharacter(character), { code, virtualKey })
  }
  for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
    add(letter, `Key${letter.toUpperCase()}`, letter.toUpperCase().charCodeAt(0))
  }
  for (const digit of '0123456789') add(digit, `Digit${digit}`, digit.charCodeAt(0))
  const rest: [string, string, number][] = [
    ['`', 'Backquote', 0xc0],
    ['-', 'Minus', 0xbd],
    ['=', 'Equal', 0xbb],
    ['[', 'BracketLeft', 0xdb],
    [']', 'BracketRight', 0xdd],
    ['\\', 'Backslash', 0xdc],
    [';', 'Semicolon', 0xba],
    ["'", 'Quote', 0xde],
    [',', 'Comma', 0xbc],
    ['.', 'Period', 0xbe],
    ['/', 'Slash', 0xbf],
    [' ', 'Space', 0x20],
  ]
  for (const [character, code, virtualKey] of rest) add(character, code, virtualKey)
  return keys
}
