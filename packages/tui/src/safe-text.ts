/**
 * Text in which nothing is left that a terminal would obey: C0, DEL and C1 controls, lone surrogates and line
 * separators become a replacement character. Marks that change the direction of what follows are taken out.
 */
export function safeText(text: string): string {
  return text.replaceAll(DIRECTION_MARKS, '').replaceAll(CONTROLS, '\ufffd')
}

/** Text for one line: as safeText(), with blanks for line breaks and tabs. */
export function lineText(text: string): string {
  return safeText(text.replaceAll(/\r\n|[\t\n\r]/g, ' '))
}

const DIRECTION_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
const CONTROLS = /[\p{Cc}\p{Cs}\u2028\u2029]/gu
