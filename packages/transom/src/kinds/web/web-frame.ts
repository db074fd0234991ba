import type { Grid } from '@transom/grid'

export { CELL_BLANK, CELL_GRAPHIC, CELL_TEXT } from '@transom/grid'

/** Pixels of a cell on the device. */
export const CELL_WIDTH_PX = 8
export const CELL_HEIGHT_PX = 16

/** One painted state of a page, read back as cells. Immutable. */
export interface WebFrame {
  /** Text only is in the codes of text cells; graphic cells hold the block element that is nearest to what was painted. */
  readonly grid: Grid
  /** CELL_BLANK, CELL_TEXT or CELL_GRAPHIC, cell by cell. */
  readonly kinds: Uint8Array
  /** Where a text cell was really painted, in device pixels: text need not lie on the cells' raster. */
  readonly originX: Int16Array
  readonly originY: Int16Array
  /** Device pixels for a CSS pixel. */
  readonly scale: number
  /** Counts the frames of one page. */
  readonly ordinal: number
}
