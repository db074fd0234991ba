import {
  BOTTOM_SYNC,
  CODE_ROWS,
  CODE_X,
  CODE_Y,
  MARK_ROWS,
  TOP_SYNC,
  cellWidth,
  codeRows,
  combiningMarks,
  markRows,
} from './cell-code.ts'
import { GLYPHS_MAX, writeFont, type Glyph, type Rectangle } from './true-type.ts'

/** A font unit is a pixel: 16 to the em, with the baseline 12 below the top of the cell. */
const UNITS_PER_EM = 16
const ASCENT = 12

/** Changes when the fonts do, so that a cached one of an older version is not taken. */
export const CELL_FONT_VERSION = 1

export interface CellFontPart {
  readonly family: string
  /** Ranges of code points, both ends included. */
  readonly ranges: readonly (readonly [number, number])[]
}

/** One font holds 65,534 glyphs at the most, which all of Unicode needs twice. */
export const CELL_FONT_PARTS: readonly CellFontPart[] = [
  {
    family: 'TransomCell',
    ranges: [
      [0x20, 0xd7ff],
      [0xe000, 0xffef],
      [0x1_d400, 0x1_d7ff],
      [0x1_f000, 0x1_fbff],
    ],
  },
  {
    family: 'TransomCellRare',
    ranges: [
      [0x1_0000, 0x1_1fff],
      [0x2_0000, 0x2_a6ff],
    ],
  },
]

/**
 * A font in which the glyph of a character is the code of that character (`cell-code.ts`): what Chromium paints with
 * it can be read back, after layout, clipping, stacking and blending have had their way.
 */
export function buildCellFont({ family, ranges }: CellFontPart): Buffer {
  const glyphs: Glyph[] = [...SHARED_GLYPHS]
  const characters: [number, number][] = []
  const marks = new Map(combiningMarks().map((codePoint, index) => [codePoint, index]))
  for (const codePoint of assignedIn(ranges)) {
    const shared = sharedGlyph(codePoint)
    const markIndex = marks.get(codePoint)
    if (shared !== null) {
      characters.push([codePoint, shared])
    } else if (markIndex !== undefined) {
      characters.push([codePoint, glyphs.push(markGlyph(markIndex)) - 1])
    } else {
      const width = cellWidth(codePoint)
      const glyph = width === 0 ? NOTHING : glyphs.push(codeGlyph(codePoint, width * 8)) - 1
      characters.push([codePoint, glyph])
    }
  }
  if (glyphs.length > GLYPHS_MAX) throw new RangeError(`${family} would have ${glyphs.length} glyphs`)
  return writeFont({
    family,
    unitsPerEm: UNITS_PER_EM,
    ascent: ASCENT,
    descent: ASCENT - UNITS_PER_EM,
    glyphs,
    characters,
    // Without these, an emoji followed by a selector would be taken from another font.
    unvaried: characters
      .map(([codePoint]) => codePoint)
      .filter((codePoint) => /\p{Emoji}/u.test(String.fromCodePoint(codePoint))),
  })
}

const NOTHING = 9
const BLANK = 10
const WIDE_BLANK = 11
const SYNCS = 8

/** .notdef, the seven row patterns at the baseline, both syncs, and what has no ink. */
const SHARED_GLYPHS: readonly Glyph[] = [
  { advance: 8, rectangles: [] },
  ...[1, 2, 3, 4, 5, 6, 7].map((pattern) => ({ advance: 8, rectangles: bars(pattern, ASCENT - 1) })),
  {
    advance: 8,
    rectangles: [...bars(TOP_SYNC, CODE_Y), ...bars(BOTTOM_SYNC, CODE_Y + CODE_ROWS - 1)],
  },
  { advance: 0, rectangles: [] },
  { advance: 8, rectangles: [] },
  { advance: 16, rectangles: [] },
]

function sharedGlyph(codePoint: number): number | null {
  if (codePoint === 0x3000) return WIDE_BLANK
  const blank = /[\p{Zs}\u2800]/u.test(String.fromCodePoint(codePoint))
  // Private use: icon fonts, whose pictures are not ours to know.
  return blank || (codePoint >= 0xe000 && codePoint <= 0xf8ff) ? BLANK : null
}

function codeGlyph(codePoint: number, advance: number): Glyph {
  const rows = codeRows(codePoint).flatMap((pattern, index) =>
    pattern === 0 ? [] : [{ glyph: pattern, dy: ASCENT - 1 - (CODE_Y + 1 + index) }],
  )
  const box = {
    x0: CODE_X,
    y0: ASCENT - (CODE_Y + CODE_ROWS),
    x1: CODE_X + 6,
    y1: ASCENT - CODE_Y,
  }
  return { advance, parts: [{ glyph: SYNCS, dy: 0 }, ...rows], box }
}

/** Painted over the cell before it, whose right edge is where it starts. */
function markGlyph(markIndex: number): Glyph {
  const rectangles = markRows(markIndex).flatMap((pattern, index) => bars(pattern, MARK_ROWS[index] ?? 0, -8))
  return { advance: 0, rectangles }
}

/** The bars of a 3-bit pattern in a pixel row of the cell, counted from its top. */
function bars(pattern: number, pixelRow: number, dx = 0): Rectangle[] {
  const y1 = ASCENT - pixelRow
  return [0, 1, 2]
    .filter((column) => ((pattern >> (2 - column)) & 1) === 1)
    .map((column) => ({ x0: CODE_X + dx + column * 2, y0: y1 - 1, x1: CODE_X + dx + column * 2 + 2, y1 }))
}

function* assignedIn(ranges: CellFontPart['ranges']): Iterable<number> {
  for (const [first, last] of ranges) {
    for (let codePoint = first; codePoint <= last; codePoint++) {
      // With the Arabic presentation forms in the font, the shaper would rewrite Arabic text into them.
      if ((codePoint >= 0xfb50 && codePoint <= 0xfdff) || (codePoint >= 0xfe70 && codePoint <= 0xfeff))
        continue
      if (!/[\p{Cn}\p{Cs}]/u.test(String.fromCodePoint(codePoint))) yield codePoint
    }
  }
}
