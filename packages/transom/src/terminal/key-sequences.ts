import type { KeyModifiers } from './key-spellings.ts'

export const ESC = '\x1b'
export const CSI = '\x1b['
export const SS3 = '\x1bO'

/**
 * The modifiers as xterm and kitty number them; a sequence carries this plus one. The fourth bit is Meta to
 * xterm and Super to kitty, and no keyboard of today has both keys.
 */
export function modifierBits(modifiers: KeyModifiers): number {
  return (
    (modifiers.shift ? SHIFT_BIT : 0) |
    (modifiers.alt ? 2 : 0) |
    (modifiers.ctrl ? 4 : 0) |
    (modifiers.super ? 8 : 0)
  )
}

export const SHIFT_BIT = 1
