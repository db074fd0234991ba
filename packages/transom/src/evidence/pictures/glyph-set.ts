import { drawBlock, drawBraille, drawEighths, drawSextant } from './block-glyphs.ts'
import { BOX_DRAWING_FIRST, BOX_DRAWING_LAST, drawBox } from './box-drawing.ts'
import type { CellSize, Glyph, MaskGlyph } from './glyph.ts'
import type { GlyphAtlas } from './glyph-atlas.ts'
import { MaskCanvas } from './mask-canvas.ts'
import { drawPowerline, isPowerline } from './powerline-glyphs.ts'

/** Where glyphs come from that are not shipped: fonts of optional packages. */
export interface ExtraGlyphs {
  /** A character or cluster that covers `cells` cells; null if no font has it. */
  find(text: string, face: number, cells: number): Glyph | null
}

/** A character that was drawn as an empty box. */
export interface MissingGlyph {
  readonly text: string
  readonly isWide: boolean
}

/** Past this many distinct glyphs (a log full of binary data) the cache starts afresh. */
const CACHED_MAX = 20_000
/** As many missing ones are remembered: enough to tell what to install. */
const MISSING_MAX = 200

/** Finds the glyph for what a cell shows: drawn by code, shipped, from an optional package, or an empty box. */
export class GlyphSet {
  readonly cell: CellSize
  readonly #atlas: GlyphAtlas
  readonly #extra: ExtraGlyphs | null
  readonly #cache = new Map<string, Glyph | null>()
  /** What the cache has an empty box for, by the same keys. */
  readonly #boxes = new Map<string, MissingGlyph>()
  readonly #missing = new Map<string, MissingGlyph>()

  constructor(atlas: GlyphAtlas, extra: ExtraGlyphs | null = null) {
    this.cell = atlas.cell
    this.#atlas = atlas
    this.#extra = extra
  }

  /** What has been asked for since takeMissing() was last called and is in no font; empties the list. */
  takeMissing(): MissingGlyph[] {
    const missing = [...this.#missing.values()]
    this.#missing.clear()
    return missing
  }

  /** Null for what shows nothing: a blank. */
  find(text: string, face: number, cells: number): Glyph | null {
    const key = `${face}${cells}${text}`
    let glyph = this.#cache.get(key)
    if (glyph === undefined) {
      if (this.#cache.size >= CACHED_MAX) {
        this.#cache.clear()
        this.#boxes.clear()
      }
      glyph = this.#make(text, face, cells)
      if (glyph === undefined) {
        glyph = this.#emptyBox(cells)
        this.#boxes.set(key, { text, isWide: cells > 1 })
      }
      this.#cache.set(key, glyph)
    }
    const missing = this.#boxes.get(key)
    if (missing !== undefined && this.#missing.size < MISSING_MAX) this.#missing.set(text, missing)
    return glyph
  }

  /** Null for a blank, undefined for what no font has. */
  #make(text: string, face: number, cells: number): Glyph | null | undefined {
    if (/^[\s\p{Cf}\p{Variation_Selector}]*$/u.test(text)) return null
    const composed = text.normalize('NFC')
    const codePoints = Array.from(composed, (character) => character.codePointAt(0) ?? 0)
    const [first = 0, ...others] = codePoints
    const wantsColor = others.includes(0xfe0f) || others.includes(0x200d) || cells > 1
    if (others.length === 0) {
      const drawn = drawnGlyph(first, this.cell)
      if (drawn !== null) return drawn
    }
    if (wantsColor) {
      const colored = this.#extra?.find(text, face, cells) ?? null
      if (colored !== null) return colored
    }
    return (
      this.#layered(codePoints, face, cells) ??
      (wantsColor ? null : this.#extra?.find(text, face, cells)) ??
      undefined
    )
  }

  /** The base character with its combining marks on it; null if one of them is not shipped. */
  #layered(codePoints: readonly number[], face: number, cells: number): MaskGlyph | null {
    const layers: MaskGlyph[] = []
    for (const codePoint of codePoints) {
      if (isUnseen(codePoint)) continue
      const layer = drawnGlyph(codePoint, this.cell) ?? this.#atlas.find(codePoint, face)
      if (layer === null) return null
      layers.push(layer)
    }
    const [only] = layers
    if (only === undefined || (layers.length === 1 && only.width === this.cell.width * cells))
      return only ?? null
    return this.#stack(layers, cells)
  }

  #stack(layers: readonly MaskGlyph[], cells: number): MaskGlyph {
    const width = this.cell.width * cells
    const alpha = new Uint8Array(width * this.cell.height)
    for (const layer of layers) {
      const shift = (width - layer.width) >> 1
      for (let y = 0; y < this.cell.height; y++) {
        for (let x = 0; x < layer.width; x++) {
          if (x + shift < 0 || x + shift >= width) continue
          const value = layer.alpha[y * layer.width + x] ?? 0
          const at = y * width + x + shift
          if (value > (alpha[at] ?? 0)) alpha[at] = value
        }
      }
    }
    return { kind: 'mask', width, alpha }
  }

  #emptyBox(cells: number): MaskGlyph {
    const { height, line } = this.cell
    const canvas = new MaskCanvas(this.cell.width * cells, height)
    const [left, top, right, bottom] = [line, line * 3, canvas.width - line, height - line * 3]
    canvas.rect(left, top, right, bottom, EMPTY_BOX_ALPHA)
    canvas.rect(left + line, top + line, right - line, bottom - line, 0)
    return { kind: 'mask', width: canvas.width, alpha: canvas.alpha }
  }
}

const EMPTY_BOX_ALPHA = 9 // paler than text: it stands for something that could not be drawn

/** Selectors and joiners: they choose how their neighbours look. */
function isUnseen(codePoint: number): boolean {
  return codePoint === 0xfe0f || codePoint === 0xfe0e || codePoint === 0x200d || codePoint === 0x200c
}

/** What must meet its neighbours exactly is drawn by code at every size. */
export function drawnGlyph(codePoint: number, cell: CellSize): MaskGlyph | null {
  const draw = drawingOf(codePoint)
  if (draw === null) return null
  const canvas = new MaskCanvas(cell.width, cell.height)
  draw(canvas, codePoint, cell.line)
  return { kind: 'mask', width: canvas.width, alpha: canvas.alpha }
}

function drawingOf(
  codePoint: number,
): ((canvas: MaskCanvas, codePoint: number, line: number) => void) | null {
  if (codePoint < BOX_DRAWING_FIRST) return null
  if (codePoint <= BOX_DRAWING_LAST) return drawBox
  if (codePoint <= 0x259f) return drawBlock
  if (codePoint >= 0x2800 && codePoint <= 0x28ff) return drawBraille
  if (isPowerline(codePoint)) return drawPowerline
  if (codePoint >= 0x1fb00 && codePoint <= 0x1fb3b) return drawSextant
  return codePoint >= 0x1fb70 && codePoint <= 0x1fb8b ? drawEighths : null
}
