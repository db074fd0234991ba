// Makes packages/transom/assets/glyphs-{1,2,3}.bin: the glyphs of DejaVu Sans Mono as alpha masks, one file for each
// scale. Run by hand (`npm run glyphs`) when the cell's size or the repertoire changes, and commit what it writes:
// pictures are drawn from these masks alone, so that they are the same on every machine.
// The format is told in packages/transom/src/evidence/pictures/glyph-atlas.ts, which reads it.
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import * as zlib from 'node:zlib'
import { GlobalFonts, createCanvas } from '@napi-rs/canvas'

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))
const fonts = path.join(root, 'node_modules/dejavu-fonts-ttf')
const assets = path.join(root, 'packages/transom/assets')

// Of scale 1. An advance of DejaVu Sans Mono is 0.602 em: 9.03 at 15 pixels.
const CELL = { width: 9, height: 18, baseline: 14, fontPixels: 15 }
const SCALES = [1, 2, 3]
const PAGE = 128
const FACES = ['', '-Bold', '-Oblique', '-BoldOblique']

/** What is taken from DejaVu Sans where the monospaced font has no glyph: symbols, arrows, dingbats, pictographs. */
const BORROWED = [
  [0x2000, 0x2bff],
  [0x1d400, 0x1d7ff],
  [0x1f300, 0x1faff],
]
/** What the product draws itself, on the cell's own grid. */
const DRAWN = [
  [0x2500, 0x259f],
  [0x2800, 0x28ff],
]

const isIn = (/** @type {number[][]} */ ranges, /** @type {number} */ codePoint) =>
  ranges.some(([from = 0, to = 0]) => from <= codePoint && codePoint <= to)
/** Two cells wide for the emulator; the same list that its width table has (emoji presentation). */
const isWide = (/** @type {number} */ codePoint) =>
  /^\p{Emoji_Presentation}$/u.test(String.fromCodePoint(codePoint))

fs.mkdirSync(assets, { recursive: true })
fs.copyFileSync(path.join(fonts, 'LICENSE'), path.join(assets, 'glyphs-LICENSE.txt'))
for (const scale of SCALES) {
  const file = path.join(assets, `glyphs-${scale}.bin`)
  const { bytes, glyphs } = atlas(scale)
  fs.writeFileSync(file, bytes)
  console.log(`${path.relative(root, file)}: ${glyphs} glyphs, ${bytes.length} bytes`)
}

function atlas(/** @type {number} */ scale) {
  const pages = FACES.flatMap((suffix, face) => facePages(suffix, face, scale))
  const header = Buffer.alloc(16 + pages.length * 12)
  header.write('TRGL', 0, 'latin1')
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(CELL.width * scale, 6)
  header.writeUInt16BE(CELL.height * scale, 8)
  header.writeUInt16BE(CELL.baseline * scale, 10)
  header.writeUInt16BE(PAGE, 12)
  header.writeUInt16BE(pages.length, 14)
  let offset = header.length
  for (const [index, { key, body }] of pages.entries()) {
    header.writeUInt32BE(key, 16 + index * 12)
    header.writeUInt32BE(offset, 16 + index * 12 + 4)
    header.writeUInt32BE(body.length, 16 + index * 12 + 8)
    offset += body.length
  }
  const glyphs = pages.reduce((sum, page) => sum + page.count, 0)
  return { bytes: Buffer.concat([header, ...pages.map(({ body }) => body)]), glyphs }
}

function facePages(/** @type {string} */ suffix, /** @type {number} */ face, /** @type {number} */ scale) {
  const mono = loadFont(`DejaVuSansMono${suffix}`)
  // Slanted symbols are no use to anybody: the upright ones stand in.
  const sans = face < 2 ? loadFont(`DejaVuSans${suffix}`) : null
  const borrowed = sans === null ? [] : [...sans.codePoints].filter((code) => isIn(BORROWED, code))
  const wanted = [...new Set([...mono.codePoints, ...borrowed])].filter(
    (code) => code > 0x20 && code !== 0x7f && !isIn(DRAWN, code),
  )
  /** @type {Map<number, number[]>} */
  const byPage = new Map()
  for (const code of wanted) {
    const page = Math.floor(code / PAGE)
    byPage.set(page, [...(byPage.get(page) ?? []), code])
  }
  return [...byPage]
    .toSorted(([a], [b]) => a - b)
    .map(([page, codes]) => {
      const present = Buffer.alloc(PAGE)
      const masks = codes
        .toSorted((a, b) => a - b)
        .flatMap((code) => {
          const cells = isWide(code) ? 2 : 1
          const family = mono.codePoints.has(code) ? mono.family : sans?.family
          const mask = drawMask(String.fromCodePoint(code), String(family), cells, scale)
          if (mask === null) return []
          present[code % PAGE] = cells
          return [mask]
        })
      const key = face * 0x10000 + page
      return {
        key,
        count: masks.length,
        body: zlib.deflateRawSync(Buffer.concat([present, ...masks]), { level: 9 }),
      }
    })
    .filter(({ count }) => count > 0)
}

/** Four bits a pixel, the left one in the high bits, rows one after the other without padding; null for nothing. */
function drawMask(
  /** @type {string} */ text,
  /** @type {string} */ family,
  /** @type {number} */ cells,
  /** @type {number} */ scale,
) {
  const width = CELL.width * scale * cells
  const height = CELL.height * scale
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d')
  context.fillStyle = '#fff'
  context.font = `${CELL.fontPixels * scale}px ${family}`
  const { actualBoundingBoxLeft: left, actualBoundingBoxRight: right } = context.measureText(text)
  const isProportional = family.startsWith('DejaVuSans') && !family.startsWith('DejaVuSansMono')
  if (isProportional && left + right > 0) {
    const ink = left + right
    const ratio = Math.min(1, (width - scale) / ink) // smaller where it would not fit
    context.translate(
      (width - ink * ratio) / 2 + left * ratio,
      CELL.baseline * scale - (1 - ratio) * CELL.fontPixels * scale * 0.35,
    )
    context.scale(ratio, ratio)
    context.fillText(text, 0, 0)
  } else {
    context.fillText(text, 0, CELL.baseline * scale)
  }
  const { data } = context.getImageData(0, 0, width, height)
  const alpha = Uint8Array.from({ length: width * height }, (_, index) =>
    Math.round(((data[index * 4 + 3] ?? 0) * 15) / 255),
  )
  if (alpha.every((value) => value === 0)) return null
  const packed = Buffer.alloc((alpha.length + 1) >> 1)
  for (const [index, value] of alpha.entries())
    packed[index >> 1] = (packed[index >> 1] ?? 0) | (index & 1 ? value : value << 4)
  return packed
}

function loadFont(/** @type {string} */ name) {
  const file = path.join(fonts, 'ttf', `${name}.ttf`)
  GlobalFonts.registerFromPath(file, name)
  return { family: name, codePoints: codePointsOf(fs.readFileSync(file)) }
}

/** The code points that a TrueType font has a glyph for, from the best of its `cmap` tables. */
function codePointsOf(/** @type {Buffer} */ font) {
  const tables = Array.from({ length: font.readUInt16BE(4) }, (_, index) => 12 + index * 16)
  const cmap = font.readUInt32BE(
    (tables.find((at) => font.toString('latin1', at, at + 4) === 'cmap') ?? 0) + 8,
  )
  const subtables = Array.from(
    { length: font.readUInt16BE(cmap + 2) },
    (_, index) => cmap + font.readUInt32BE(cmap + 4 + index * 8 + 4),
  )
  const full = subtables.find((at) => font.readUInt16BE(at) === 12)
  const found = new Set()
  if (full !== undefined) {
    for (let group = 0; group < font.readUInt32BE(full + 12); group++) {
      const at = full + 16 + group * 12
      for (let code = font.readUInt32BE(at); code <= font.readUInt32BE(at + 4); code++) found.add(code)
    }
    return /** @type {Set<number>} */ (found)
  }
  const basic = subtables.find((at) => font.readUInt16BE(at) === 4) ?? 0
  const segments = font.readUInt16BE(basic + 6) / 2
  for (let segment = 0; segment < segments; segment++) {
    const end = font.readUInt16BE(basic + 14 + segment * 2)
    const start = font.readUInt16BE(basic + 16 + segments * 2 + segment * 2)
    for (let code = start; code <= end && code !== 0xffff; code++) found.add(code)
  }
  return /** @type {Set<number>} */ (found)
}
