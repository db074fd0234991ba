import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { OpError } from '@transom/protocol/errors'
import { unshiftedCharacter } from './key-characters.ts'
import { formatKey, parseKeys, type KeyModifiers, type KeyPress, type NamedKey } from './key-names.ts'
import { namedKeys } from './key-spellings.ts'

const NONE: KeyModifiers = { ctrl: false, alt: false, shift: false, super: false }

describe('parseKeys', () => {
  it.each<[string, NamedKey]>([
    ['Enter', 'Enter'],
    ['return', 'Enter'],
    ['Esc', 'Escape'],
    ['ESCAPE', 'Escape'],
    ['Tab', 'Tab'],
    ['Backspace', 'Backspace'],
    ['BSpace', 'Backspace'],
    ['Del', 'Delete'],
    ['DC', 'Delete'],
    ['Ins', 'Insert'],
    ['IC', 'Insert'],
    ['PgUp', 'PageUp'],
    ['PPage', 'PageUp'],
    ['page_up', 'PageUp'],
    ['Page Down', 'PageDown'],
    ['NPage', 'PageDown'],
    ['ArrowLeft', 'Left'],
    ['F24', 'F24'],
    ['kp_enter', 'KPEnter'],
    ['KP7', 'KP7'],
    ['KP+', 'KPPlus'],
    ['KP-', 'KPMinus'],
    ['KP*', 'KPMultiply'],
  ])('reads %s as the key %s', (name, key) => {
    expect(parseKeys([name])).toEqual([named(key)])
  })

  it.each<[string, string, Partial<KeyModifiers>]>([
    ['a', 'a', {}],
    ['A', 'A', {}],
    ['é', 'é', {}],
    ['+', '+', {}],
    ['-', '-', {}],
    ['^', '^', {}],
    ['*', '*', {}],
    [' ', ' ', {}],
    ['Space', ' ', {}],
    ['👩‍👩‍👧', '👩‍👩‍👧', {}],
    ['Ctrl+C', 'c', { ctrl: true }],
    ['control-c', 'c', { ctrl: true }],
    ['^c', 'c', { ctrl: true }],
    ['^[', '[', { ctrl: true }],
    ['^^', '^', { ctrl: true }],
    ['Ctrl++', '+', { ctrl: true }],
    ['C--', '-', { ctrl: true }],
    ['C-+', '+', { ctrl: true }],
    ['Ctrl+*', '*', { ctrl: true }],
    ['Ctrl+Space', ' ', { ctrl: true }],
    ['Ctrl+Shift+C', 'c', { ctrl: true, shift: true }],
    ['Shift+A', 'a', { shift: true }],
    ['Alt+X', 'X', { alt: true }],
    ['Meta+x', 'x', { alt: true }],
    ['C-M-S-x', 'x', { ctrl: true, alt: true, shift: true }],
    ['Cmd+K', 'k', { super: true }],
  ])('reads %s as the character %s with its modifiers', (name, character, modifiers) => {
    expect(parseKeys([name])).toEqual([{ kind: 'character', character, ...NONE, ...modifiers }])
  })

  it('gives every spelling of a chord the same press', () => {
    const spellings = [
      ['Ctrl+C', 'Ctrl+c', 'C-c', 'c-C', '^C', '^c', 'Control+C', 'ctrl-c'],
      ['Alt+x', 'M-x', 'Meta+x', 'ALT-x', 'Option+x'],
      ['Shift+Tab', 'S-Tab', 'BTab', 'btab', 'BackTab', 'Shift+BTab'],
      ['Ctrl+Alt+Del', 'Alt+Ctrl+Delete', 'C-M-DC', 'Control-Meta-del'],
    ]
    for (const group of spellings) {
      const [first] = parseKeys(group.slice(0, 1))
      expect(parseKeys(group)).toEqual(group.map(() => first))
    }
  })

  it('ignores the case of named keys and modifiers, and the order of modifiers', () => {
    const modifierNames = { ctrl: 'Ctrl', alt: 'Alt', shift: 'Shift', super: 'Super' }
    const chord = fc.record({
      key: fc.constantFrom(...namedKeys()),
      held: fc.shuffledSubarray(['ctrl', 'alt', 'shift', 'super'] as const),
      upper: fc.infiniteStream(fc.boolean()),
      joints: fc.infiniteStream(fc.constantFrom('+', '-')),
    })
    fc.assert(
      fc.property(chord, ({ key, held, upper, joints }) => {
        const words = held.map((modifier) => modifierNames[modifier] + joints.next().value)
        const name = Array.from(words.join('') + key, (letter) =>
          upper.next().value ? letter.toUpperCase() : letter.toLowerCase(),
        ).join('')
        const modifiers = Object.fromEntries(held.map((modifier) => [modifier, true]))
        expect(parseKeys([name])).toEqual([{ ...named(key), ...modifiers }])
      }),
    )
  })

  it('repeats a key by a star and a count', () => {
    expect(parseKeys(['Down*3', 'Enter'])).toEqual([
      ...Array.from({ length: 3 }, () => named('Down')),
      named('Enter'),
    ])
    expect(parseKeys(['**3']).map(formatKey)).toEqual(['*', '*', '*'])
    expect(parseKeys(['C-**2']).map(formatKey)).toEqual(['Ctrl+*', 'Ctrl+*'])
    expect(parseKeys(['KP**2']).map(formatKey)).toEqual(['KPMultiply', 'KPMultiply'])
    expect(parseKeys(['3*2']).map(formatKey)).toEqual(['3', '3'])
    expect(parseKeys(['x*1000'])).toHaveLength(1000)
  })

  it.each(['Down*0', 'Down*-1', 'Down*x', 'Down*', 'Down*1.5', 'x*1e2', '**'])(
    'refuses the repeat of %s and says how to write one',
    (name) => {
      const error = failure(name)
      expect(error.message).toContain('bad repeat')
      expect(error.details).toMatchObject({ key: name, repeat_max: 1000 })
    },
  )

  it('bounds the presses of one call, also when several names share them', () => {
    expect(failure('Down*1001').message).toContain('at most 1000')
    expect(failure(`Down*${'9'.repeat(90)}`).message).toContain('at most 1000')
    expect(() => parseKeys(['Down*999', 'Up', 'Enter'])).toThrow('at most 1000')
  })
})

describe('an unknown key', () => {
  it.each([
    ['Entr', ['Enter']],
    ['Etner', ['Enter']],
    ['Escpae', ['Escape']],
    ['Bakcspace', ['Backspace']],
    ['Ctrl+Entr', ['Ctrl+Enter']],
    ['Spce', ['Space']],
    ['\n', ['Enter']],
    ['\x1b', ['Escape']],
  ])('%j is answered with %j', (name, suggestions) => {
    const error = failure(name)
    expect(error.details).toMatchObject({ key: name, suggestions })
    expect(error.message).toContain(JSON.stringify(name))
    expect(error.message).toContain(`did you mean ${suggestions.join('')}?`)
  })

  it('names the modifiers when one is misspelt', () => {
    expect(failure('Shift+Ctlr+C').message).toContain(
      '"Ctlr" is not a modifier; those are Ctrl, Alt, Shift and Super',
    )
  })

  it('suggests at most three names', () => {
    expect(failure('F25').details['suggestions']).toHaveLength(3)
  })

  it('advises to type what is a word or a text', () => {
    expect(failure('hello').message).toMatch(/^unknown key "hello": .*, or one character$/)
    expect(failure('hello').details).toMatchObject({
      key: 'hello',
      suggestions: [],
      next: [{ call: 'session.type' }],
    })
    expect(failure('x'.repeat(5000)).message.length).toBeLessThan(250)
    expect(failure('Down Down Enter').message).toContain('separate names')
  })

  it.each(['Ctrl', 'Ctrl+', 'C-', 'Ctrl+Alt', 'C-*3'])('says that the modifier %s needs a key', (name) => {
    expect(failure(name).message).toContain('a modifier needs a key')
  })

  it.each(['', 'ab', 'c+d', 'F0', '\u0000', '\u009b', '\ud83d', 'Foo+C', '*3', '***', 'Ctrl+\t'])(
    '%j is refused',
    (name) => {
      expect(failure(name).code).toBe('unknown_key')
    },
  )

  it('never leaves parsing with any other error', () => {
    const ascii = ['Ctrl', 'C', 'Enter', 'KP', '+', '-', '*', '^', '3', ' ', '\0']
    const pieces = [...ascii, 'é', '\u0301', '👩', '\u200d', '\ud83d']
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 6 }), (parts) => {
        expect(outcome(parts.join(''))).toMatch(/^(pressed|unknown_key)$/)
      }),
      { numRuns: 1000 },
    )
  })
})

describe('formatKey', () => {
  it('writes a name that parses back to the same press', () => {
    fc.assert(
      fc.property(anyPress(), (press) => {
        expect(parseKeys([formatKey(press)])).toEqual([press])
      }),
      { numRuns: 500 },
    )
  })
})

function named(key: NamedKey): KeyPress {
  return { kind: 'named', key, ...NONE }
}

function outcome(name: string): string {
  try {
    return parseKeys([name]).length > 0 ? 'pressed' : 'nothing'
  } catch (error) {
    return error instanceof OpError ? error.code : String(error)
  }
}

function failure(name: string): OpError {
  try {
    parseKeys([name])
  } catch (error) {
    if (error instanceof OpError) return error
    throw error
  }
  throw new Error(`${JSON.stringify(name)} was taken as a key`)
}

function anyPress(): fc.Arbitrary<KeyPress> {
  const flag = fc.boolean()
  const modifiers = fc.record({ ctrl: flag, alt: flag, shift: flag, super: flag })
  const character = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 })
  return fc.oneof(
    fc
      .tuple(fc.constantFrom(...namedKeys()), modifiers)
      .map(([key, held]): KeyPress => ({ kind: 'named', key, ...held })),
    fc.tuple(character, modifiers).map(([text, held]): KeyPress => {
      const folded = held.ctrl || held.shift || held.super ? unshiftedCharacter(text) : text
      return { kind: 'character', character: folded, ...held }
    }),
  )
}
