/** Colours are palette indexes 0–255, or RGB with this bit set, or DEFAULT_COLOR. */
export const RGB_COLOR = 0x0100_0000
export const DEFAULT_COLOR = -1

export const UNDERLINES = ['none', 'single', 'double', 'curly', 'dotted', 'dashed'] as const
export type Underline = (typeof UNDERLINES)[number]

/** How a cell looks. Cells hold the id of an interned Style, so that equal looks are equal numbers. */
export interface Style {
  readonly fg: number
  readonly bg: number
  readonly bold: boolean
  readonly dim: boolean
  readonly italic: boolean
  readonly underline: Underline
  readonly underlineColor: number
  readonly blink: boolean
  readonly inverse: boolean
  readonly invisible: boolean
  readonly strikethrough: boolean
  readonly overline: boolean
  /** Target of a hyperlink, or empty. */
  readonly link: string
}

export const DEFAULT_STYLE: Style = {
  fg: DEFAULT_COLOR,
  bg: DEFAULT_COLOR,
  bold: false,
  dim: false,
  italic: false,
  underline: 'none',
  underlineColor: DEFAULT_COLOR,
  blink: false,
  inverse: false,
  invisible: false,
  strikethrough: false,
  overline: false,
  link: '',
}
