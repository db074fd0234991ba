/** What Shift and Ctrl make of a character. */

/**
 * The character a key types while Shift is held: the capital of a letter, else what a US keyboard has above
 * the key. The layout is assumed only where someone named Shift; a `!` asked for as itself needs no keyboard.
 */
export function shiftedCharacter(character: string): string {
  const capital = character.toUpperCase()
  // Not every mapping leads back (ß → SS, ς → Σ → σ); such a key keeps its own character.
  if (capital !== character && capital.toLowerCase() === character) return capital
  return US_SHIFTED.get(character) ?? character
}

/** The key that types this character with Shift, for a capital letter; any other character is its own key. */
export function unshiftedCharacter(character: string): string {
  const small = character.toLowerCase()
  return small !== character && small.toUpperCase() === character ? small : character
}

/**
 * The control character of Ctrl and a key, as the X11 library maps them for xterm; null where there is none
 * and Ctrl changes nothing. The digits are how a VT220 keyboard reaches the controls that have no letter.
 */
export function controlCharacter(character: string): string | null {
  const alias = CONTROL_ALIASES.get(character)
  if (alias !== undefined) return alias
  return character >= '@' && character <= '~' && character.length === 1
    ? String.fromCharCode(character.charCodeAt(0) & 0x1f)
    : null
}

/** The code point of a character that is exactly one, else null: most protocols have room for one. */
export function soleCodePoint(character: string): number | null {
  const codePoint = character.codePointAt(0)
  if (codePoint === undefined) return null
  return String.fromCodePoint(codePoint) === character ? codePoint : null
}

const US_SHIFTED: ReadonlyMap<string, string> = new Map(
  ['`~', '1!', '2@', '3#', '4$', '5%', '6^', '7&', '8*', '9(', '0)', '-_', '=+']
    .concat(['[{', ']}', '\\|', ';:', `'"`, ',<', '.>', '/?'])
    .map((pair): [string, string] => [pair.charAt(0), pair.charAt(1)]),
)

const CONTROL_ALIASES: ReadonlyMap<string, string> = new Map([
  [' ', '\x00'],
  ['2', '\x00'],
  ['3', '\x1b'],
  ['4', '\x1c'],
  ['5', '\x1d'],
  ['6', '\x1e'],
  ['7', '\x1f'],
  ['8', '\x7f'],
  ['/', '\x1f'],
  ['?', '\x7f'],
])
