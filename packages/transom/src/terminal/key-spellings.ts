import { countSlips } from '../lib/count-slips.ts'
import { KEY_SHAPES, type NamedKey } from './key-tables.ts'

export interface KeyModifiers {
  readonly ctrl: boolean
  readonly alt: boolean
  readonly shift: boolean
  readonly super: boolean
}

/** What a spelling stands for. `Space` is the one character with a name, since it is invisible. */
export type SpelledKey =
  | { readonly kind: 'named'; readonly key: NamedKey; readonly shift: boolean }
  | { readonly kind: 'character'; readonly character: ' ' }

/** The key of a name as people, tmux, vim or a browser write it; null if it is not a key. */
export function findSpelling(name: string): SpelledKey | null {
  return SPELLINGS.get(foldName(name)) ?? null
}

/** The modifier that a word names; null if it names none. */
export function findModifier(word: string): keyof KeyModifiers | null {
  return MODIFIER_WORDS.get(word.toLowerCase()) ?? null
}

/** The emacs and tmux letters, which are modifiers only before a dash: `C-c`, but `c+d` is nothing. */
export function findModifierLetter(letter: string): keyof KeyModifiers | null {
  return MODIFIER_LETTERS.get(letter.toLowerCase()) ?? null
}

/** Known names close enough to a misspelt one to be what was meant, nearest first. */
export function suggestNames(name: string): string[] {
  const folded = foldName(name)
  // One slip in three letters: more, and every short word of a text would be "near" some key.
  const slipsMax = Math.min(2, Math.max(1, Math.floor(folded.length / 3)))
  const near: { readonly name: string; readonly slips: number }[] = []
  for (const [spelling, target] of SPELLINGS) {
    const slips = countSlips(folded, spelling)
    if (slips <= slipsMax) near.push({ name: displayName(target), slips })
  }
  near.sort((a, b) => a.slips - b.slips)
  return [...new Set(near.map((candidate) => candidate.name))].slice(0, SUGGESTIONS_MAX)
}

const SUGGESTIONS_MAX = 3 // more is a list to read, not a hint

const EXTRA_NAMES: Partial<Record<NamedKey, readonly string[]>> = {
  Up: ['ArrowUp', 'UpArrow'],
  Down: ['ArrowDown', 'DownArrow'],
  Left: ['ArrowLeft', 'LeftArrow'],
  Right: ['ArrowRight', 'RightArrow'],
  Insert: ['Ins', 'IC'],
  Delete: ['Del', 'DC'],
  PageUp: ['PgUp', 'PPage'],
  PageDown: ['PgDn', 'PgDown', 'NPage'],
  Enter: ['Return', 'Ret', 'CR'],
  Backspace: ['BSpace', 'BS'],
  Escape: ['Esc'],
  KPDecimal: ['KP.', 'KPPeriod'],
  KPDivide: ['KP/'],
  KPMultiply: ['KP*'],
  KPMinus: ['KP-', 'KPSubtract'],
  KPPlus: ['KP+', 'KPAdd'],
}

const SPELLINGS: ReadonlyMap<string, SpelledKey> = new Map([
  ...namedKeys().flatMap((key) =>
    [key, ...(EXTRA_NAMES[key] ?? [])].map((name) => spelling(name, { kind: 'named', key, shift: false })),
  ),
  spelling('BTab', { kind: 'named', key: 'Tab', shift: true }),
  spelling('BackTab', { kind: 'named', key: 'Tab', shift: true }),
  spelling('Space', { kind: 'character', character: ' ' }),
])

const MODIFIER_WORDS: ReadonlyMap<string, keyof KeyModifiers> = new Map([
  ['ctrl', 'ctrl'],
  ['control', 'ctrl'],
  ['ctl', 'ctrl'],
  ['alt', 'alt'],
  // Terminals have sent Alt for the Meta key since there were keyboards without one.
  ['meta', 'alt'],
  ['option', 'alt'],
  ['opt', 'alt'],
  ['shift', 'shift'],
  ['super', 'super'],
  ['cmd', 'super'],
  ['command', 'super'],
  ['win', 'super'],
])

const MODIFIER_LETTERS: ReadonlyMap<string, keyof KeyModifiers> = new Map([
  ['c', 'ctrl'],
  ['m', 'alt'],
  ['s', 'shift'],
])

export function namedKeys(): NamedKey[] {
  // Object.keys forgets the key type of a constant table.
  return Object.keys(KEY_SHAPES) as NamedKey[]
}

function spelling(name: string, target: SpelledKey): [string, SpelledKey] {
  return [foldName(name), target]
}

/** `Page_Up`, `page-up` and `Page Up` are one name; the sign in `KP-` is not a joint and stays. */
function foldName(name: string): string {
  return name.toLowerCase().replace(/(?<=[a-z])[-_ ](?=[a-z0-9])/g, '')
}

function displayName(target: SpelledKey): string {
  if (target.kind === 'character') return 'Space'
  return target.shift ? `Shift+${target.key}` : target.key
}
