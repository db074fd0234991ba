import { DARK_BACKGROUND, DARK_FOREGROUND, DARK_PALETTE_16 } from '@transom/grid'

/** The colours of a picture, each 0xRRGGBB. */
export interface Theme {
  readonly name: string
  readonly foreground: number
  readonly background: number
  readonly cursor: number
  /** What stands under a block cursor. */
  readonly cursorText: number
  /** The first 16 entries of the palette; the others are the same in every theme. */
  readonly palette: readonly number[]
  /** Whether colours that can hardly be told from the background are drawn nearer to the foreground. */
  readonly keepsContrast: boolean
}

export const DARK_THEME: Theme = {
  name: 'dark',
  foreground: DARK_FOREGROUND,
  background: DARK_BACKGROUND,
  cursor: DARK_FOREGROUND,
  cursorText: DARK_BACKGROUND,
  palette: DARK_PALETTE_16,
  keepsContrast: false, // programs choose their colours for it
}

export const LIGHT_THEME: Theme = {
  name: 'light',
  foreground: 0x2a2c33,
  background: 0xfafafa,
  cursor: 0x2a2c33,
  cursorText: 0xfafafa,
  palette: [
    0x2a2c33, 0xc0392f, 0x3d7f23, 0x94690a, 0x2262bd, 0x8a3fae, 0x0f7a80, 0xd8dade, 0x767b86, 0xd9534a,
    0x4d9a2e, 0xb8860b, 0x3f83e0, 0xa45ac9, 0x1c979d, 0xffffff,
  ],
  keepsContrast: true, // white and yellow text would be white on white
}

export const THEMES: Readonly<Record<'dark' | 'light', Theme>> = { dark: DARK_THEME, light: LIGHT_THEME }
