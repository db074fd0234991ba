/** The 94-character sets that G0 to G3 can be; every other designation is ASCII. */
export const ASCII = 0x42
const DEC_SPECIAL = 0x30

/** From U+005F on. */
const DEC_SPECIAL_GRAPHICS = ' ◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·'

/** What a national set has in place of the characters `#@[\]^_`{|}~`. */
const NATIONAL_PLACES = '#@[\\]^_`{|}~'
const NATIONAL: Readonly<Record<string, string>> = {
  A: '£@[\\]^_`{|}~',
  '4': '£¾ĳ½|^_`¨ƒ¼´',
  C: '#@ÄÖÅÜ_éäöåü',
  '5': '#@ÄÖÅÜ_éäöåü',
  R: '£à°ç§^_`éùè¨',
  f: '£à°ç§^_`éùè¨',
  Q: '#àâçêî_ôéùèû',
  '9': '#àâçêî_ôéùèû',
  K: '#§ÄÖÜ^_`äöüß',
  Y: '£§°çé^_ùàòèì',
  E: '#ÄÆØÅÜ_äæøåü',
  '6': '#ÄÆØÅÜ_äæøåü',
  '`': '#ÄÆØÅÜ_äæøåü',
  Z: '£§¡Ñ¿^_`°ñç~',
  H: '#ÉÄÖÅÜ_éäöåü',
  '7': '#ÉÄÖÅÜ_éäöåü',
  '=': 'ùàéçêîèôäöüû',
}

/** The code point that a character of 0x20–0x7e stands for in a set. */
export function fromCharset(charset: number, character: number): number {
  if (charset === ASCII) return character
  if (charset === DEC_SPECIAL)
    return character >= 0x5f ? (DEC_SPECIAL_GRAPHICS.codePointAt(character - 0x5f) ?? character) : character
  const place = NATIONAL_PLACES.indexOf(String.fromCharCode(character))
  if (place < 0) return character
  return NATIONAL[String.fromCharCode(charset)]?.codePointAt(place) ?? character
}

/** The set that a final character designates. */
export function charsetOf(final: number): number {
  return final === DEC_SPECIAL || String.fromCharCode(final) in NATIONAL ? final : ASCII
}
