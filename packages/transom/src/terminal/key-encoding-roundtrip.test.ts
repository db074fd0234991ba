import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TerminalModes } from '@transom/protocol'
import { unshiftedCharacter } from './key-characters.ts'
import { encodeKeys } from './key-encoding.ts'
import { formatKey, type KeyModifiers, type KeyPress, type NamedKey } from './key-names.ts'
import { namedKeys } from './key-spellings.ts'

describe('key encoding', () => {
  it('is never empty', () => {
    fc.assert(
      fc.property(anyPress(), anyModes(), (press, modes) => {
        expect(encodeKeys([press], modes)).not.toBe('')
      }),
      { numRuns: 500 },
    )
  })

  it('round-trips in every combination of modes in which the kitty protocol reports all keys', () => {
    fc.assert(
      fc.property(anyModes(), (anyMode) => {
        const modes = { ...anyMode, kitty_keyboard: anyMode.kitty_keyboard | 8 }
        const events = (modes.kitty_keyboard & 2) === 0 ? ['press'] : ['press', 'release']
        const expected = everyPress().flatMap((press) => events.map((event) => ({ press, event })))
        expect(decode(encodeKeys(everyPress(), modes))).toEqual(expected)
      }),
      { numRuns: 20 },
    )
  })

  it('sends distinct sequences for distinct keys when all keys are reported', () => {
    fc.assert(
      fc.property(anyModes(), fc.constantFrom(8, 9, 12, 24, 31), (modes, kitty_keyboard) => {
        const sequences = everyPress().map((press) => encodeKeys([press], { ...modes, kitty_keyboard }))
        expect(new Set(sequences).size).toBe(sequences.length)
      }),
      { numRuns: 5 },
    )
  })

  it('round-trips what the kitty protocol promises to tell apart under flag 1', () => {
    const told = everyPress().filter((press) => !typesText(press) && !isPlainShellKey(press))
    fc.assert(
      fc.property(anyModes(), (modes) => {
        const bytes = encodeKeys(told, { ...modes, kitty_keyboard: 1 })
        expect(decode(bytes)).toEqual(told.map((press) => ({ press, event: 'press' })))
      }),
      { numRuns: 10 },
    )
  })

  it('round-trips the cursor, editing and function keys of the old encoding in any mode', () => {
    const old = everyPress().filter((press) => press.kind === 'named' && OLD_KEYS.has(press.key))
    expect(old).toHaveLength(OLD_KEYS.size * 16)
    fc.assert(
      fc.property(anyModes(), (modes) => {
        const bytes = encodeKeys(old, { ...modes, kitty_keyboard: 0 })
        expect(decode(bytes)).toEqual(old.map((press) => ({ press, event: 'press' })))
      }),
      { numRuns: 10 },
    )
  })

  it('joins the encodings of the single presses', () => {
    fc.assert(
      fc.property(fc.array(anyPress()), anyModes(), (presses, modes) => {
        const single = presses.map((press) => encodeKeys([press], modes))
        expect(encodeKeys(presses, modes)).toBe(single.join(''))
      }),
    )
  })
})

/** A reader of the CSI and SS3 forms, written from the protocol's tables and not from ours. */
function decode(bytes: string): { press: KeyPress; event: string }[] {
  const pattern = /\x1b(?:\[(\d*)(?::\d+)?(?:;(\d*)(?::(\d))?)?(?:;[\d:]+)?|O)([A-Zu~])/y
  const events: { press: KeyPress; event: string }[] = []
  while (pattern.lastIndex < bytes.length) {
    const match = pattern.exec(bytes)
    if (match === null) throw new Error(`no key sequence: ${JSON.stringify(bytes)}`)
    const [, number = '', modifiers = '', type = '', final = ''] = match
    const bits = modifiers === '' ? 0 : Number(modifiers) - 1
    const key = final === 'u' ? keyOfCode(Number(number)) : readName(final === '~' ? `${number}~` : final)
    events.push({
      press: { ...key, ...modifiersOf(bits) },
      event: type === '3' ? 'release' : 'press',
    })
  }
  return events
}

type BareKey = { kind: 'named'; key: NamedKey } | { kind: 'character'; character: string }

function keyOfCode(code: number): BareKey {
  const key = CODES.get(code)
  return key === undefined
    ? { kind: 'character', character: String.fromCodePoint(code) }
    : { kind: 'named', key }
}

function readName(sequence: string): BareKey {
  const key = ENDINGS.get(sequence)
  if (key === undefined) throw new Error(`no key sends ${sequence}`)
  return { kind: 'named', key }
}

function modifiersOf(bits: number): KeyModifiers {
  return {
    shift: (bits & 1) !== 0,
    alt: (bits & 2) !== 0,
    ctrl: (bits & 4) !== 0,
    super: (bits & 8) !== 0,
  }
}

const ENDINGS: ReadonlyMap<string, NamedKey> = new Map<string, NamedKey>([
  ['A', 'Up'],
  ['B', 'Down'],
  ['C', 'Right'],
  ['D', 'Left'],
  ['H', 'Home'],
  ['F', 'End'],
  ['P', 'F1'],
  ['Q', 'F2'],
  ['R', 'F3'],
  ['13~', 'F3'],
  ['S', 'F4'],
  ['2~', 'Insert'],
  ['3~', 'Delete'],
  ['5~', 'PageUp'],
  ['6~', 'PageDown'],
  ['15~', 'F5'],
  ['17~', 'F6'],
  ['18~', 'F7'],
  ['19~', 'F8'],
  ['20~', 'F9'],
  ['21~', 'F10'],
  ['23~', 'F11'],
  ['24~', 'F12'],
])

const OLD_KEYS: ReadonlySet<NamedKey> = new Set(ENDINGS.values())

const CODES: ReadonlyMap<number, NamedKey> = new Map<number, NamedKey>([
  [9, 'Tab'],
  [13, 'Enter'],
  [27, 'Escape'],
  [127, 'Backspace'],
  ...codesFrom(57376, ['F13', 'F14', 'F15', 'F16', 'F17', 'F18', 'F19', 'F20', 'F21', 'F22', 'F23', 'F24']),
  ...codesFrom(57399, ['KP0', 'KP1', 'KP2', 'KP3', 'KP4', 'KP5', 'KP6', 'KP7', 'KP8', 'KP9']),
  ...codesFrom(57409, ['KPDecimal', 'KPDivide', 'KPMultiply', 'KPMinus', 'KPPlus', 'KPEnter']),
])

function codesFrom(first: number, keys: readonly NamedKey[]): [number, NamedKey][] {
  return keys.map((key, index) => [first + index, key])
}

/** Keys and characters with all modifiers. No bare capital: it is sent as Shift and its small letter. */
function everyPress(): KeyPress[] {
  const characters = ['a', 'z', 'é', 'я', 'ß', '漢', '😀', ' ', '1', '!', '+', '-', '*', '[', '~']
  const keys: BareKey[] = [
    ...namedKeys().map((key): BareKey => ({ kind: 'named', key })),
    ...characters.map((character): BareKey => ({ kind: 'character', character })),
  ]
  return keys.flatMap((key) => Array.from({ length: 16 }, (_, bits) => ({ ...key, ...modifiersOf(bits) })))
}

function typesText(press: KeyPress): boolean {
  if (press.ctrl || press.alt || press.super) return false
  return press.kind === 'character' || (press.key.startsWith('KP') && press.key !== 'KPEnter')
}

function isPlainShellKey(press: KeyPress): boolean {
  return ['Enter', 'Tab', 'Backspace'].includes(formatKey(press))
}

function anyModes(): fc.Arbitrary<TerminalModes> {
  const flag = fc.boolean()
  return fc.record({
    alt_screen: flag,
    application_cursor: flag,
    application_keypad: flag,
    bracketed_paste: flag,
    focus_events: flag,
    mouse: fc.constantFrom('none', 'x10', 'normal', 'button', 'any'),
    mouse_encoding: fc.constantFrom('default', 'sgr', 'sgr_pixels'),
    kitty_keyboard: fc.nat(31),
    modify_other_keys: fc.nat(2),
    autowrap: flag,
    origin: flag,
    insert: flag,
    newline: flag,
    backarrow_sends_backspace: flag,
  })
}

function anyPress(): fc.Arbitrary<KeyPress> {
  const modifiers = fc.nat(15).map(modifiersOf)
  const key = fc.constantFrom(...namedKeys()).map((key): BareKey => ({ kind: 'named', key }))
  const character = fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 1 })
    .map((text): BareKey => ({ kind: 'character', character: text }))
  return fc.tuple(fc.oneof(key, character), modifiers).map(([bare, held]): KeyPress => {
    const folds = bare.kind === 'character' && (held.ctrl || held.shift || held.super)
    return folds ? { ...bare, character: unshiftedCharacter(bare.character), ...held } : { ...bare, ...held }
  })
}
