import { OpError, next } from '@transom/protocol/errors'
import { soleCodePoint, unshiftedCharacter } from './key-characters.ts'
import {
  findModifier,
  findModifierLetter,
  findSpelling,
  suggestNames,
  type KeyModifiers,
} from './key-spellings.ts'
import type { NamedKey } from './key-tables.ts'

export type { KeyModifiers } from './key-spellings.ts'
export type { NamedKey } from './key-tables.ts'

/** One key pressed and released while the modifiers are held. */
export type KeyPress = NamedKeyPress | CharacterKeyPress

export interface NamedKeyPress extends KeyModifiers {
  readonly kind: 'named'
  readonly key: NamedKey
}

export interface CharacterKeyPress extends KeyModifiers {
  readonly kind: 'character'
  /**
   * One grapheme. A capital letter stands for itself and leaves `shift` false; under Ctrl, Super or a named
   * Shift it is the small letter, because `Ctrl+C` and `Ctrl+c` are one key.
   */
  readonly character: string
}

const PRESS_COUNT_MAX = 1000 // in one call: more than any list or menu needs; past this a count is a slip

// The longest chord written out and the longest emoji have under 40 characters; a longer name is text.
const NAME_LENGTH_MAX = 100

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' })

/** Reads key names as people write them: `Ctrl+C`, `C-c`, `^C`, `Shift+Tab`, `F5`, `Down*3`, `é`. */
export function parseKeys(names: readonly string[]): KeyPress[] {
  const presses: KeyPress[] = []
  for (const name of names) {
    const { press, count } = parseName(name)
    if (presses.length + count > PRESS_COUNT_MAX) throw tooManyPresses(name, presses.length + count)
    for (let i = 0; i < count; i++) presses.push(press)
  }
  return presses
}

/** The name of a press in the form that messages and documentation use. */
export function formatKey(press: KeyPress): string {
  const modifiers = [
    press.ctrl ? 'Ctrl+' : '',
    press.alt ? 'Alt+' : '',
    press.shift ? 'Shift+' : '',
    press.super ? 'Super+' : '',
  ].join('')
  if (press.kind === 'named') return modifiers + press.key
  return modifiers + (press.character === ' ' ? 'Space' : press.character)
}

function parseName(name: string): { press: KeyPress; count: number } {
  if (name.length > NAME_LENGTH_MAX) throw unknownKey(name, name)
  const whole = parseChord(name)
  // Before any repeat, so that `*` and `Ctrl+*` are keys.
  if (whole !== null) return { press: whole, count: 1 }
  const starIndex = name.lastIndexOf('*')
  if (starIndex <= 0) throw unknownKey(name, name)
  const head = name.slice(0, starIndex)
  const press = parseChord(head)
  if (press === null) throw unknownKey(name, head)
  return { press, count: parseCount(name, head, name.slice(starIndex + 1)) }
}

function parseCount(name: string, head: string, digits: string): number {
  const count = /^\d+$/.test(digits) ? Number(digits) : Number.NaN
  if (count > PRESS_COUNT_MAX) throw tooManyPresses(name, count)
  if (count >= 1) return count
  const advice = `write a whole number from 1 to ${PRESS_COUNT_MAX}, as in "${head}*3"`
  const message = `bad repeat ${quote(digits)} in key ${quote(name)}; ${advice}`
  throw new OpError('unknown_key', message, { key: name, repeat: digits, repeat_max: PRESS_COUNT_MAX })
}

function parseChord(name: string): KeyPress | null {
  const { modifiers, rest } = splitModifiers(name)
  if (isCharacter(rest)) return characterPress(rest, modifiers)
  const spelled = findSpelling(rest)
  if (spelled?.kind === 'character') return characterPress(spelled.character, modifiers)
  if (spelled?.kind === 'named') {
    return { kind: 'named', key: spelled.key, ...modifiers, shift: modifiers.shift || spelled.shift }
  }
  const caret = rest.startsWith('^') ? rest.slice(1) : ''
  return isCharacter(caret) ? characterPress(caret, { ...modifiers, ctrl: true }) : null
}

function characterPress(character: string, modifiers: KeyModifiers): CharacterKeyPress {
  const fold = modifiers.ctrl || modifiers.super || modifiers.shift
  return { kind: 'character', character: fold ? unshiftedCharacter(character) : character, ...modifiers }
}

/** Takes modifiers off the front. What is left is the key, however odd: in `C--` it is the second dash. */
function splitModifiers(name: string): { modifiers: KeyModifiers; rest: string } {
  const modifiers = { ctrl: false, alt: false, shift: false, super: false }
  let rest = name
  for (;;) {
    const match = /^([a-z]+)([+-])(.+)$/is.exec(rest)
    if (match === null) return { modifiers, rest }
    const [, word = '', joint = '', after = ''] = match
    const modifier = findModifier(word) ?? (joint === '-' ? findModifierLetter(word) : null)
    if (modifier === null) return { modifiers, rest }
    modifiers[modifier] = true
    rest = after
  }
}

/** One grapheme that types text: control characters and halves of a surrogate pair are not keys. */
function isCharacter(text: string): boolean {
  if (text === '' || /[\p{Cc}\p{Cs}]/u.test(text)) return false
  if (soleCodePoint(text) !== null) return true
  const [first] = GRAPHEMES.segment(text)
  return first?.segment === text
}

function tooManyPresses(name: string, count: number): OpError {
  const limit = `one call takes at most ${PRESS_COUNT_MAX}; send fewer at a time`
  const message = `the keys up to ${quote(name)} make ${count} presses and ${limit}`
  return new OpError('unknown_key', message, { key: name, presses: count, presses_max: PRESS_COUNT_MAX })
}

function unknownKey(name: string, head: string): OpError {
  const { reason, suggestions } = explain(head)
  const hint = suggestions.length === 0 ? '' : `; did you mean ${suggestions.join(' or ')}?`
  const message = `unknown key ${quote(name)}: ${reason}${hint}`
  const typing = next({ call: 'session.type', params: {}, does: 'types plain text' })
  return new OpError('unknown_key', message, { key: clip(name), suggestions, ...typing })
}

function explain(head: string): { reason: string; suggestions: string[] } {
  if (head === '') return { reason: 'the name is empty', suggestions: [] }
  if (head.length > NAME_LENGTH_MAX) return { reason: 'it is too long for a key name', suggestions: [] }
  const control = CONTROL_NAMES.get(head)
  if (control !== undefined || /[\p{Cc}\p{Cs}]/u.test(head)) {
    const suggestions = control === undefined ? [] : [control]
    return { reason: 'a control character is not a key name', suggestions }
  }
  const { rest } = splitModifiers(head)
  const prefix = head.slice(0, head.length - rest.length)
  const lone = findModifier(rest.replace(/[+-]$/, '')) ?? (/^[cms]-$/i.test(rest) ? 'ctrl' : null)
  if (lone !== null) return { reason: 'a modifier needs a key, as in Ctrl+C', suggestions: [] }
  const word = /^[a-z]{2,}(?=\+.)/i.exec(rest)?.[0]
  if (word !== undefined) {
    return { reason: `"${word}" is not a modifier; those are Ctrl, Alt, Shift and Super`, suggestions: [] }
  }
  if (/^\S+\s+\S/.test(head)) return { reason: 'give several keys as separate names', suggestions: [] }
  return {
    reason: 'a key is a name such as Enter, F5, Ctrl+C or Down*3, or one character',
    suggestions: suggestNames(rest).map((suggestion) => prefix + suggestion),
  }
}

const CONTROL_NAMES: ReadonlyMap<string, string> = new Map([
  ['\r', 'Enter'],
  ['\n', 'Enter'],
  ['\r\n', 'Enter'],
  ['\t', 'Tab'],
  ['\b', 'Backspace'],
  ['\x7f', 'Backspace'],
  ['\x1b', 'Escape'],
])

/** A name inside a message: bounded, and with its control characters escaped. */
function quote(name: string): string {
  return JSON.stringify(clip(name))
}

function clip(name: string): string {
  return name.length > NAME_LENGTH_MAX ? `${name.slice(0, NAME_LENGTH_MAX)}…` : name
}
