import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TerminalModes } from '@transom/protocol'
import { encodeKeys } from './key-encoding.ts'
import { parseKeys } from './key-names.ts'

const OFF: TerminalModes = {
  alt_screen: false,
  application_cursor: false,
  application_keypad: false,
  bracketed_paste: false,
  focus_events: false,
  mouse: 'none',
  mouse_encoding: 'default',
  kitty_keyboard: 0,
  modify_other_keys: 0,
  autowrap: true,
  origin: false,
  insert: false,
  newline: false,
  backarrow_sends_backspace: false,
}

describe('with all modes off', () => {
  it.each([
    // Cursor, editing and function keys: terminfo xterm-256color.
    ['Up', '\x1b[A'],
    ['Home', '\x1b[H'],
    ['End', '\x1b[F'],
    ['Ctrl+Right', '\x1b[1;5C'],
    ['Alt+Shift+Left', '\x1b[1;4D'],
    ['Insert', '\x1b[2~'],
    ['Delete', '\x1b[3~'],
    ['Ctrl+Delete', '\x1b[3;5~'],
    ['PageUp', '\x1b[5~'],
    ['Shift+PageDown', '\x1b[6;2~'],
    ['F1', '\x1bOP'],
    ['F4', '\x1bOS'],
    ['Shift+F1', '\x1b[1;2P'],
    ['F5', '\x1b[15~'],
    ['F6', '\x1b[17~'],
    ['F11', '\x1b[23~'],
    ['F12', '\x1b[24~'],
    ['Ctrl+F12', '\x1b[24;5~'],
    ['F13', '\x1b[1;2P'],
    ['F15', '\x1b[1;2R'],
    ['F17', '\x1b[15;2~'],
    ['F24', '\x1b[24;2~'],
    ['Ctrl+F13', '\x1b[1;6P'],
    // Keys with a control character.
    ['Enter', '\r'],
    ['Alt+Enter', '\x1b\r'],
    ['Ctrl+Enter', '\r'],
    ['Tab', '\t'],
    ['Shift+Tab', '\x1b[Z'],
    ['Alt+Shift+Tab', '\x1b\x1b[Z'],
    ['Escape', '\x1b'],
    ['Alt+Escape', '\x1b\x1b'],
    ['Backspace', '\x7f'],
    ['Ctrl+Backspace', '\b'],
    ['Alt+Backspace', '\x1b\x7f'],
    // Ctrl and Alt on characters.
    ['Ctrl+A', '\x01'],
    ['Ctrl+Z', '\x1a'],
    ['Ctrl+Shift+C', '\x03'],
    ['Ctrl+Space', '\0'],
    ['Ctrl+@', '\0'],
    ['Ctrl+[', '\x1b'],
    ['Ctrl+\\', '\x1c'],
    ['Ctrl+]', '\x1d'],
    ['Ctrl+^', '\x1e'],
    ['Ctrl+_', '\x1f'],
    ['Ctrl+Shift+-', '\x1f'],
    ['Ctrl+/', '\x1f'],
    ['Ctrl+?', '\x7f'],
    ['Ctrl+1', '1'],
    ['Ctrl+2', '\0'],
    ['Ctrl+3', '\x1b'],
    ['Ctrl+7', '\x1f'],
    ['Ctrl+8', '\x7f'],
    ['Ctrl+9', '9'],
    ['Ctrl+é', 'é'],
    ['Alt+x', '\x1bx'],
    ['Alt+X', '\x1bX'],
    ['Alt+Shift+x', '\x1bX'],
    ['Ctrl+Alt+c', '\x1b\x03'],
    ['Shift+a', 'A'],
    ['Shift+1', '!'],
    ['Super+c', '\x1b[99;9u'],
    // The keypad types its characters.
    ['KP5', '5'],
    ['KPDivide', '/'],
    ['KPEnter', '\r'],
  ])('%s sends %j', (name, bytes) => {
    expect(encode(name)).toBe(bytes)
  })

  it('sends a plain character as itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }), (character) => {
        expect(encode(character)).toBe(character)
      }),
    )
  })

  it('sends several presses one after the other', () => {
    expect(encodeKeys(parseKeys(['Down*2', 'x', 'Enter']), OFF)).toBe('\x1b[B\x1b[Bx\r')
  })
})

describe('a mode that the program set', () => {
  it.each<[string, Partial<TerminalModes>, string]>([
    ['Up', { application_cursor: true }, '\x1bOA'],
    ['End', { application_cursor: true }, '\x1bOF'],
    ['Ctrl+Up', { application_cursor: true }, '\x1b[1;5A'],
    ['PageUp', { application_cursor: true }, '\x1b[5~'],
    ['KP0', { application_keypad: true }, '\x1bOp'],
    ['KP9', { application_keypad: true }, '\x1bOy'],
    ['KPMultiply', { application_keypad: true }, '\x1bOj'],
    ['KPPlus', { application_keypad: true }, '\x1bOk'],
    ['KPMinus', { application_keypad: true }, '\x1bOm'],
    ['KPDecimal', { application_keypad: true }, '\x1bOn'],
    ['KPDivide', { application_keypad: true }, '\x1bOo'],
    ['KPEnter', { application_keypad: true }, '\x1bOM'],
    ['Alt+KP5', { application_keypad: true }, '\x1b5'],
    ['5', { application_keypad: true }, '5'],
    ['Enter', { newline: true }, '\r\n'],
    ['KPEnter', { newline: true }, '\r\n'],
    ['Backspace', { backarrow_sends_backspace: true }, '\b'],
    ['Ctrl+Backspace', { backarrow_sends_backspace: true }, '\x7f'],
  ])('makes %s under %j send %j', (name, modes, bytes) => {
    expect(encode(name, modes)).toBe(bytes)
  })
})

describe('modifyOtherKeys', () => {
  it.each([
    // key, level 1, level 2
    ['a', 'a', 'a'],
    ['A', 'A', 'A'],
    ['Shift+a', 'A', '\x1b[27;2;65~'],
    ['Shift+1', '!', '!'],
    ['Shift+Space', ' ', '\x1b[27;2;32~'],
    ['Ctrl+c', '\x03', '\x1b[27;5;99~'],
    ['Ctrl+Shift+c', '\x1b[27;6;67~', '\x1b[27;6;67~'],
    ['Ctrl+Shift+1', '\x1b[27;6;33~', '\x1b[27;6;33~'],
    ['Ctrl+Space', '\0', '\x1b[27;5;32~'],
    ['Ctrl+3', '\x1b', '\x1b[27;5;51~'],
    ['Ctrl+1', '\x1b[27;5;49~', '\x1b[27;5;49~'],
    ['Ctrl+.', '\x1b[27;5;46~', '\x1b[27;5;46~'],
    ['Ctrl+é', '\x1b[27;5;233~', '\x1b[27;5;233~'],
    ['Alt+x', '\x1bx', '\x1b[27;3;120~'],
    ['Alt+X', '\x1bX', '\x1b[27;4;88~'],
    ['Ctrl+Alt+.', '\x1b[27;7;46~', '\x1b[27;7;46~'],
    ['Enter', '\r', '\r'],
    ['Shift+Enter', '\x1b[27;2;13~', '\x1b[27;2;13~'],
    ['Ctrl+Enter', '\x1b[27;5;13~', '\x1b[27;5;13~'],
    ['Alt+Enter', '\x1b\r', '\x1b[27;3;13~'],
    ['Ctrl+Tab', '\x1b[27;5;9~', '\x1b[27;5;9~'],
    ['Shift+Tab', '\x1b[Z', '\x1b[Z'],
    ['Backspace', '\x7f', '\x7f'],
    ['Ctrl+Backspace', '\b', '\b'],
    ['Shift+Backspace', '\x7f', '\x1b[27;2;127~'],
    ['Ctrl+Escape', '\x1b', '\x1b[27;5;27~'],
    ['Ctrl+Up', '\x1b[1;5A', '\x1b[1;5A'],
    ['Ctrl+F5', '\x1b[15;5~', '\x1b[15;5~'],
    ['Ctrl+KP1', '1', '1'],
  ])('sends %s as %j on level 1 and %j on level 2', (name, level1, level2) => {
    expect([encode(name, { modify_other_keys: 1 }), encode(name, { modify_other_keys: 2 })]).toEqual([
      level1,
      level2,
    ])
  })
})

describe('the kitty keyboard protocol', () => {
  it.each([
    // flag 1: what is text stays text, the rest can be distinguished
    [1, 'a', 'a'],
    [1, 'Shift+a', 'A'],
    [1, 'é', 'é'],
    [1, 'Escape', '\x1b[27u'],
    [1, 'Ctrl+c', '\x1b[99;5u'],
    [1, 'Ctrl+Shift+a', '\x1b[97;6u'],
    [1, 'Ctrl+i', '\x1b[105;5u'],
    [1, 'Alt+[', '\x1b[91;3u'],
    [1, 'Alt+A', '\x1b[97;4u'],
    [1, 'Ctrl+Space', '\x1b[32;5u'],
    [1, 'Enter', '\r'],
    [1, 'Tab', '\t'],
    [1, 'Backspace', '\x7f'],
    [1, 'Shift+Enter', '\x1b[13;2u'],
    [1, 'Ctrl+Shift+Tab', '\x1b[9;6u'],
    [1, 'Up', '\x1b[A'],
    [1, 'Ctrl+Up', '\x1b[1;5A'],
    [1, 'Delete', '\x1b[3~'],
    [1, 'F1', '\x1b[P'],
    [1, 'F3', '\x1b[13~'],
    [1, 'Shift+F3', '\x1b[13;2~'],
    [1, 'F12', '\x1b[24~'],
    [1, 'F13', '\x1b[57376u'],
    [1, 'F24', '\x1b[57387u'],
    [1, 'KP0', '0'],
    [1, 'KPEnter', '\x1b[57414u'],
    [1, 'Ctrl+KP0', '\x1b[57399;5u'],
    // flag 2: a release after each press that is an escape code, but not for the keys one types `reset` with
    [3, 'Escape', '\x1b[27u\x1b[27;1:3u'],
    [3, 'Ctrl+c', '\x1b[99;5u\x1b[99;5:3u'],
    [3, 'Up', '\x1b[A\x1b[1;1:3A'],
    [3, 'F5', '\x1b[15~\x1b[15;1:3~'],
    [3, 'a', 'a'],
    [3, 'Enter', '\r'],
    [3, 'Ctrl+Enter', '\x1b[13;5u'],
    [2, 'Ctrl+c', '\x03'],
    [2, 'Up', '\x1b[A\x1b[1;1:3A'],
    [10, 'Enter', '\x1b[13u\x1b[13;1:3u'],
    [10, 'a', '\x1b[97u\x1b[97;1:3u'],
    // flag 4: the shifted key beside the key
    [5, 'Ctrl+Shift+a', '\x1b[97:65;6u'],
    [5, 'Ctrl+Shift+=', '\x1b[61:43;6u'],
    [5, 'Ctrl+a', '\x1b[97;5u'],
    // flag 8: everything
    [8, 'a', '\x1b[97u'],
    [8, 'A', '\x1b[97;2u'],
    [8, 'Shift+a', '\x1b[97;2u'],
    [8, '!', '\x1b[33u'],
    [8, 'Enter', '\x1b[13u'],
    [8, 'Tab', '\x1b[9u'],
    [8, 'Backspace', '\x1b[127u'],
    [8, 'KP0', '\x1b[57399u'],
    [8, 'KPPlus', '\x1b[57413u'],
    // flag 16: the text of a press, never a control character
    [24, 'a', '\x1b[97;;97u'],
    [24, 'Shift+a', '\x1b[97;2;65u'],
    [24, 'KP0', '\x1b[57399;;48u'],
    [24, 'Ctrl+a', '\x1b[97;5u'],
    [24, 'Enter', '\x1b[13u'],
    [31, 'A', '\x1b[97:65;2;65u\x1b[97:65;2:3u'],
    [24, '🇩🇪', '\x1b[0;;127465:127466u'],
    [8, '🇩🇪', '🇩🇪'],
    [8, '\ue037', '\ue037'],
  ])('with flags %i sends %s as %j', (flags, name, bytes) => {
    expect(encode(name, { kitty_keyboard: flags })).toBe(bytes)
  })

  it('goes before the modes of the old encodings', () => {
    const modes = {
      application_cursor: true,
      application_keypad: true,
      modify_other_keys: 2,
      kitty_keyboard: 1,
    }
    expect(['Up', 'KP5', 'Shift+a', 'Ctrl+c'].map((name) => encode(name, modes))).toEqual([
      '\x1b[A',
      '5',
      'A',
      '\x1b[99;5u',
    ])
  })
})

function encode(name: string, modes: Partial<TerminalModes> = {}): string {
  return encodeKeys(parseKeys([name]), { ...OFF, ...modes })
}
