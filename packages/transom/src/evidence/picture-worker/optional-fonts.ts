import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import * as path from 'node:path'
import { FACE_BOLD, type CellSize, type Glyph } from '../pictures/glyph.ts'
import type { ExtraGlyphs } from '../pictures/glyph-set.ts'

/** The rasterizer, and the fonts it is given when they are there: the first that has a glyph draws it. */
const CANVAS = '@napi-rs/canvas'
const EMOJI_FONT = { name: 'twemoji-colr-font', file: 'twemoji.woff2', family: 'transom emoji' }
/** Outlines, which are as smooth as the shipped glyphs at every scale. `has`: the characters a font is named for. */
const TEXT_FONTS = [
  {
    name: '@embedpdf/fonts-sc',
    file: 'fonts/NotoSansHans-Regular.otf',
    family: 'transom sc',
    has: /[\p{Script=Han}\u3000-\u303f\uff00-\uffef]/u,
  },
  {
    name: '@embedpdf/fonts-jp',
    file: 'fonts/NotoSansJP-Regular.otf',
    family: 'transom jp',
    has: /[\p{Script=Hiragana}\p{Script=Katakana}]/u,
  },
  {
    name: '@embedpdf/fonts-kr',
    file: 'fonts/NotoSansKR-Regular.otf',
    family: 'transom kr',
    has: /\p{Script=Hangul}/u,
  },
]
/** Every script of the BMP, as bitmaps of 16 pixels: the last resort, and a small package. */
const UNIFONT = {
  name: '@fontsource/unifont',
  file: 'files/unifont-latin-400-normal.woff2',
  family: 'transom unifont',
}
/** A code point that will never be assigned: whatever is drawn for it is drawn for what a font does not have. */
const NEVER_ASSIGNED = '\u{10ffff}'

/** The little that is used of @napi-rs/canvas, which may not be installed. */
interface CanvasPackage {
  createCanvas(width: number, height: number): { getContext(kind: '2d'): Context }
  readonly GlobalFonts: { registerFromPath(file: string, family: string): unknown }
}

interface Context {
  font: string
  fillStyle: string
  clearRect(x: number, y: number, width: number, height: number): void
  fillText(text: string, x: number, y: number): void
  measureText(text: string): {
    actualBoundingBoxLeft: number
    actualBoundingBoxRight: number
    actualBoundingBoxAscent: number
    actualBoundingBoxDescent: number
  }
  getImageData(x: number, y: number, width: number, height: number): { data: Uint8ClampedArray }
}

/** Fonts for characters without shipped glyphs, from packages that a user has installed beside this one. */
export class OptionalFonts {
  readonly #require: NodeJS.Require
  #canvas: CanvasPackage | null | undefined
  readonly #families: string[] = []
  #hasEmoji = false

  /** Packages are looked for from the folder of `program` upwards. */
  constructor(program: string) {
    this.#require = createRequire(path.resolve(program))
  }

  /** Glyphs for cells of a size. Nothing is loaded before the first one is wanted. */
  at(cell: CellSize): ExtraGlyphs {
    return {
      find: (text, face, cells) => {
        const canvas = this.#load()
        if (canvas === null) return null
        return isEmoji(text)
          ? this.#emoji(canvas, text, cell, cells)
          : this.#text(canvas, { text, face, cells }, cell)
      },
    }
  }

  /** What to install for characters that could not be drawn: what is there already is not named again. */
  packagesFor(codePoints: readonly number[]): string[] {
    const isThere = this.#load() !== null
    const wanted = new Set<string>()
    for (const point of codePoints) {
      const name = this.#packageFor(point)
      if (name !== null) wanted.add(name)
    }
    return wanted.size > 0 && !isThere ? [CANVAS, ...wanted] : [...wanted]
  }

  /** The package that has a character; null if none is known that is not there yet. */
  #packageFor(point: number): string | null {
    const text = String.fromCodePoint(point)
    if (isEmoji(text)) return this.#hasEmoji ? null : EMOJI_FONT.name
    if (point > 0xffff || /\p{Private_Use}/u.test(text)) return null // what a private character is, no font can know
    const { name, family } = TEXT_FONTS.find(({ has }) => has.test(text)) ?? UNIFONT
    const hasOne = this.#families.includes(family) || this.#families.includes(UNIFONT.family)
    return hasOne ? null : name
  }

  #load(): CanvasPackage | null {
    if (this.#canvas !== undefined) return this.#canvas
    try {
      this.#canvas = this.#require(CANVAS) as CanvasPackage // an edge: its own types are not installed either
    } catch {
      return (this.#canvas = null) // not installed, or not for this platform: the empty boxes say so
    }
    this.#hasEmoji = this.#register(this.#canvas, EMOJI_FONT)
    for (const font of [...TEXT_FONTS, UNIFONT])
      if (this.#register(this.#canvas, font)) this.#families.push(font.family)
    return this.#canvas
  }

  #register(canvas: CanvasPackage, { name, file, family }: typeof EMOJI_FONT): boolean {
    // A package need not export its own manifest, so it is looked for where Node would.
    const folders = this.#require.resolve.paths(name) ?? []
    const found = folders.map((folder) => path.join(folder, name, file)).find((it) => fs.existsSync(it))
    return found !== undefined && Boolean(canvas.GlobalFonts.registerFromPath(found, family))
  }

  #emoji(canvas: CanvasPackage, text: string, cell: CellSize, cells: number): Glyph | null {
    if (!this.#hasEmoji) return null
    const width = cell.width * cells
    const size = Math.min(width, cell.height)
    return drawGlyph(canvas, {
      text,
      font: `${size - cell.line}px "${EMOJI_FONT.family}"`,
      width,
      cell,
      isCentred: true,
    })
  }

  #text(
    canvas: CanvasPackage,
    { text, face, cells }: { text: string; face: number; cells: number },
    cell: CellSize,
  ): Glyph | null {
    const size = cell.height - 2 * cell.line // 16 pixels at scale 1: a bitmap font's own size
    const families = [...this.#families.slice(0, -1), 'monospace', ...this.#families.slice(-1)]
    const weight = face & FACE_BOLD ? 'bold ' : ''
    const font = `${weight}${size}px ${families.map((family) => `"${family}"`).join(',')}`
    return drawGlyph(canvas, { text, font, width: cell.width * cells, cell, isCentred: false })
  }
}

function isEmoji(text: string): boolean {
  return /\p{Emoji_Presentation}|\p{Extended_Pictographic}|\p{Regional_Indicator}|\ufe0f/u.test(text)
}

function drawGlyph(
  canvas: CanvasPackage,
  {
    text,
    font,
    width,
    cell,
    isCentred,
  }: { text: string; font: string; width: number; cell: CellSize; isCentred: boolean },
): Glyph | null {
  const context = canvas.createCanvas(width, cell.height).getContext('2d')
  context.font = font
  context.fillStyle = '#fff'
  const draw = (what: string) => {
    const box = context.measureText(what)
    const ink = box.actualBoundingBoxRight + box.actualBoundingBoxLeft
    const height = box.actualBoundingBoxAscent + box.actualBoundingBoxDescent
    const x = Math.round((width - ink) / 2 + box.actualBoundingBoxLeft)
    const y = isCentred
      ? Math.round((cell.height - height) / 2 + box.actualBoundingBoxAscent)
      : cell.baseline + cell.line
    context.clearRect(0, 0, width, cell.height)
    context.fillText(what, x, y)
    return new Uint8Array(context.getImageData(0, 0, width, cell.height).data)
  }
  const nothing = draw(NEVER_ASSIGNED)
  const base = String.fromCodePoint(text.codePointAt(0) ?? 0)
  // Of a letter with marks the font may lack all: that is several boxes. A flag has no part that is drawn alone.
  if (!isCentred && base !== text && Buffer.compare(draw(base), nothing) === 0) return null
  const data = draw(text)
  if (isBlank(data) || Buffer.compare(data, nothing) === 0) return null
  if (hasColor(data)) return { kind: 'color', width, rgba: data }
  const alpha = Uint8Array.from({ length: width * cell.height }, (_, index) =>
    Math.round(((data[index * 4 + 3] ?? 0) * 15) / 255),
  )
  return { kind: 'mask', width, alpha }
}

function isBlank(data: Uint8Array): boolean {
  return data.every((value, index) => index % 4 !== 3 || value === 0)
}

/** Whether anything is drawn in another colour than the white it was asked for. */
function hasColor(data: Uint8Array): boolean {
  for (let at = 0; at < data.length; at += 4) {
    const isSeen = (data[at + 3] ?? 0) > 128
    if (isSeen && (data[at] ?? 0) + (data[at + 1] ?? 0) + (data[at + 2] ?? 0) < 600) return true
  }
  return false
}
