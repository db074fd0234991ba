/** Keys by what ends their sequence, in the encodings of xterm, rxvt, the Linux console and the kitty protocol. */

/** `CSI 1 ; modifiers X` and `SS3 X`. */
export const LETTER_KEYS: Readonly<Record<string, string>> = {
  A: 'Up',
  B: 'Down',
  C: 'Right',
  D: 'Left',
  E: 'KP5',
  F: 'End',
  H: 'Home',
  P: 'F1',
  Q: 'F2',
  R: 'F3',
  S: 'F4',
}

/** `CSI number ; modifiers ~`. The gaps are DEC's. */
export const NUMBER_KEYS: Readonly<Record<number, string>> = {
  1: 'Home',
  2: 'Insert',
  3: 'Delete',
  4: 'End',
  5: 'PageUp',
  6: 'PageDown',
  7: 'Home',
  8: 'End',
  ...numbered('F', 1, [11, 12, 13, 14, 15, 17, 18, 19, 20, 21, 23, 24, 25, 26, 28, 29, 31, 32, 33, 34]),
}

/** `SS3 x` while the keypad is in application mode. */
export const KEYPAD_KEYS: Readonly<Record<string, string>> = {
  M: 'KPEnter',
  j: 'KPMultiply',
  k: 'KPPlus',
  m: 'KPMinus',
  n: 'KPDecimal',
  o: 'KPDivide',
  ...Object.fromEntries(Array.from('pqrstuvwxy', (final, digit) => [final, `KP${digit}`])),
}

/** rxvt: small letters for the arrows with Shift (`CSI a`) and with Ctrl (`SS3 a`). */
export const RXVT_ARROWS: Readonly<Record<string, string>> = { a: 'Up', b: 'Down', c: 'Right', d: 'Left' }

/** The Linux console: `CSI [ A`. */
export const CONSOLE_KEYS: Readonly<Record<string, string>> = { A: 'F1', B: 'F2', C: 'F3', D: 'F4', E: 'F5' }

/** `CSI code ; modifiers u`: keys that have no character. Others of the private use area are not keys for us. */
export const KITTY_KEYS: Readonly<Record<number, string>> = {
  9: 'Tab',
  13: 'Enter',
  27: 'Escape',
  127: 'Backspace',
  ...numbered('F', 13, range(57376, 57398)),
  ...numbered('KP', 0, range(57399, 57408)),
  57409: 'KPDecimal',
  57410: 'KPDivide',
  57411: 'KPMultiply',
  57412: 'KPMinus',
  57413: 'KPPlus',
  57414: 'KPEnter',
  57417: 'Left',
  57418: 'Right',
  57419: 'Up',
  57420: 'Down',
  57421: 'PageUp',
  57422: 'PageDown',
  57423: 'Home',
  57424: 'End',
  57425: 'Insert',
  57426: 'Delete',
  57427: 'KP5',
}

function numbered(name: string, first: number, codes: readonly number[]): Record<number, string> {
  return Object.fromEntries(codes.map((code, index) => [code, `${name}${first + index}`]))
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}
