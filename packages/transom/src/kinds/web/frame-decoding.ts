import { CLUSTER_BASE, EMPTY_CELL, WIDE_SPACER } from '@transom/grid'
import { QUADRANT_CHARACTERS, drawGraphics } from './cell-graphics.ts'
import { placeGlyphs } from './glyph-layout.ts'
import { scanGlyphs } from './glyph-scan.ts'
import { readRgb, type RgbPixels } from '../../lib/png-reader.ts'
import { CELL_BLANK, CELL_GRAPHIC, CELL_HEIGHT_PX, CELL_TEXT, CELL_WIDTH_PX } from './web-frame.ts'

/** A picture of a page, read: plain arrays, so that a worker can hand them over without a copy. */
export interface DecodedFrame {
  readonly cols: number
  readonly rows: number
  /** As in a Grid; a cluster's number counts in `clusters`. */
  readonly codes: Uint32Array<ArrayBuffer>
  readonly clusters: readonly string[]
  readonly kinds: Uint8Array<ArrayBuffer>
  /** 0xRRGGBB */
  readonly fg: Uint32Array<ArrayBuffer>
  readonly bg: Uint32Array<ArrayBuffer>
  readonly originX: Int16Array<ArrayBuffer>
  readonly originY: Int16Array<ArrayBuffer>
}

/** Reads a PNG of a page in the cell font; null if it is not of the expected size (a resize is on the way). */
export function decodeFrame(png: Buffer, cols: number, rows: number): DecodedFrame | null {
  const pixels = readRgb(png, 'the picture of a page', reusedPixels)
  if (!isOfSize(pixels, cols * CELL_WIDTH_PX, rows * CELL_HEIGHT_PX)) return null
  const placed = placeGlyphs(scanGlyphs(pixels), cols, rows)
  const { shapes, fg, bg } = drawGraphics(pixels, cols, rows)
  const count = cols * rows
  const frame = {
    cols,
    rows,
    codes: new Uint32Array(count).fill(EMPTY_CELL),
    clusters: [] as string[],
    kinds: new Uint8Array(count).fill(CELL_BLANK),
    fg: Uint32Array.from(fg),
    bg: Uint32Array.from(bg),
    originX: new Int16Array(count),
    originY: new Int16Array(count),
  }
  for (let index = 0; index < count; index++) {
    const shape = shapes[index] ?? 0
    if (shape === 0) continue
    frame.codes[index] = QUADRANT_CHARACTERS[shape]?.codePointAt(0) ?? EMPTY_CELL
    frame.kinds[index] = CELL_GRAPHIC
  }
  for (const { glyph, row, col } of placed) {
    const index = row * cols + col
    frame.codes[index] =
      glyph.mark === 0 ? glyph.codePoint : clusterCode(frame.clusters, glyph.codePoint, glyph.mark)
    for (let cell = index; cell < index + glyph.width; cell++) {
      if (cell > index) frame.codes[cell] = WIDE_SPACER
      frame.kinds[cell] = CELL_TEXT
      frame.fg[cell] = glyph.fg
      frame.bg[cell] = glyph.bg
      frame.originX[cell] = glyph.x + (cell - index) * CELL_WIDTH_PX
      frame.originY[cell] = glyph.y
    }
  }
  return frame
}

/** Used again for each picture: with megabytes of garbage for every frame a host would take twice the memory. */
let lastPixels = new Uint32Array(0)

function reusedPixels(count: number): Uint32Array {
  if (lastPixels.length < count) lastPixels = new Uint32Array(count)
  return lastPixels.subarray(0, count)
}

/** A zoomed page is larger by the part of a CSS pixel that would be cut. */
function isOfSize(pixels: RgbPixels, width: number, height: number): boolean {
  const over = (value: number, wanted: number) => value >= wanted && value < wanted + CELL_WIDTH_PX
  return over(pixels.width, width) && over(pixels.height, height)
}

function clusterCode(clusters: string[], codePoint: number, mark: number): number {
  const text = String.fromCodePoint(codePoint, mark).normalize('NFC')
  const known = clusters.indexOf(text)
  return CLUSTER_BASE + (known >= 0 ? known : clusters.push(text) - 1)
}
