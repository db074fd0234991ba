/** What a cell of a web page shows. */
export const CELL_BLANK = 0
export const CELL_TEXT = 1
/** Drawn with block elements from what was painted there. */
export const CELL_GRAPHIC = 2
