/** What a cell or two show, ready to be put into a picture. */
export type Glyph = MaskGlyph | ColorGlyph

/** A shape that takes the cell's own colours. */
export interface MaskGlyph {
  readonly kind: 'mask'
  readonly width: number
  /** Opacities 0–15, a byte a pixel, row by row. */
  readonly alpha: Uint8Array
}

/** A picture with colours of its own: an emoji. */
export interface ColorGlyph {
  readonly kind: 'color'
  readonly width: number
  /** Red, green, blue and opacity, a byte each; not premultiplied. */
  readonly rgba: Uint8Array
}

/** Bits of a face: the styles that a font has glyphs of its own for. */
export const FACE_BOLD = 1
export const FACE_ITALIC = 2

/** The size of a cell in pixels, and how far the baseline lies below its top. */
export interface CellSize {
  readonly width: number
  readonly height: number
  readonly baseline: number
  /** The thickness of a light line: 1 at scale 1. */
  readonly line: number
}
