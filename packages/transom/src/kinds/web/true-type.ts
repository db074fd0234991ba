/** Writes TrueType fonts of rectangles: just what the cell font needs of the format (OpenType specification 1.9). */

/** A corner-to-corner rectangle in font units, y upwards. */
export interface Rectangle {
  readonly x0: number
  readonly y0: number
  readonly x1: number
  readonly y1: number
}

export type Glyph = { readonly advance: number } & (
  | { readonly rectangles: readonly Rectangle[] }
  /** Made of other glyphs, each moved up by `dy`. */
  | { readonly parts: readonly { readonly glyph: number; readonly dy: number }[]; readonly box: Rectangle }
)

export interface Font {
  readonly family: string
  readonly unitsPerEm: number
  readonly ascent: number
  /** Negative. */
  readonly descent: number
  readonly glyphs: readonly Glyph[]
  /** Code point → index of its glyph, in ascending order of code points. */
  readonly characters: readonly (readonly [codePoint: number, glyph: number])[]
  /** Code points that look the same if a variation selector for text or emoji follows them. */
  readonly unvaried: readonly number[]
}

export const GLYPHS_MAX = 65_534

export function writeFont(font: Font): Buffer {
  const glyphData = font.glyphs.map(writeGlyph)
  const tables: Record<string, Buffer> = {
    'OS/2': os2Table(font),
    cmap: cmapTable(font),
    // Empty: with it Chromium's shaper leaves marks where they are instead of guessing their place.
    GPOS: words(1, 0, 10, 12, 14, 0, 0, 0),
    gasp: words(1, 1, 0xffff, 0),
    glyf: Buffer.concat(glyphData),
    head: headTable(font),
    hhea: Buffer.concat([
      long(0x1_0000),
      words(font.ascent, font.descent, 0, 16, 0, 0, 16, 1, 0, 0, 0, 0, 0, 0, 0, font.glyphs.length),
    ]),
    hmtx: Buffer.concat(font.glyphs.map((glyph) => words(glyph.advance, boxOf(glyph)?.x0 ?? 0))),
    loca: locaTable(glyphData),
    maxp: Buffer.concat([
      long(0x1_0000),
      words(font.glyphs.length, 64, 16, 128, 32, 2, 0, 8, 0, 0, 64, 0, 12, 1),
    ]),
    name: nameTable(font.family),
    post: Buffer.concat([long(0x3_0000), long(0), words(0xfffe, 1), long(1), Buffer.alloc(16)]),
    // Turns hinting off at every size, which else moves a third of the glyphs off their pixels.
    prep: Buffer.from('b801ff85b0048db801ff85b0048db801ff85b0048d', 'hex'),
  }
  return assemble(tables)
}

function writeGlyph(glyph: Glyph): Buffer {
  const box = boxOf(glyph)
  if (box === null) return Buffer.alloc(0)
  const bounds = [box.x0, box.y0, box.x1, box.y1]
  if ('parts' in glyph) {
    const parts = glyph.parts.map(({ glyph: index, dy }, at) => {
      const more = at < glyph.parts.length - 1 ? 0x20 : 0
      const part = Buffer.concat([words(0x0002 | more, index), Buffer.alloc(2)]) // arguments are x and y, as bytes
      part.writeInt8(dy, 5)
      return part
    })
    return padded(Buffer.concat([words(-1, ...bounds), ...parts]))
  }
  const { rectangles } = glyph
  const xs = rectangles.flatMap(({ x0, x1 }) => [x0, x0, x1, x1])
  const ys = rectangles.flatMap(({ y0, y1 }) => [y0, y1, y1, y0])
  const ends = rectangles.map((_, index) => index * 4 + 3)
  const flags = Buffer.alloc(xs.length, 1) // each point is on the curve, its coordinates are 16 bits
  return padded(
    Buffer.concat([
      words(rectangles.length, ...bounds, ...ends, 0),
      flags,
      words(...steps(xs), ...steps(ys)),
    ]),
  )
}

function boxOf(glyph: Glyph): Rectangle | null {
  if ('box' in glyph) return glyph.box
  if (glyph.rectangles.length === 0) return null
  return {
    x0: Math.min(...glyph.rectangles.map(({ x0 }) => x0)),
    y0: Math.min(...glyph.rectangles.map(({ y0 }) => y0)),
    x1: Math.max(...glyph.rectangles.map(({ x1 }) => x1)),
    y1: Math.max(...glyph.rectangles.map(({ y1 }) => y1)),
  }
}

function steps(values: readonly number[]): number[] {
  return values.map((value, index) => value - (values[index - 1] ?? 0))
}

function locaTable(glyphData: readonly Buffer[]): Buffer {
  const table = Buffer.alloc((glyphData.length + 1) * 4)
  let offset = 0
  glyphData.forEach((data, index) => {
    table.writeUInt32BE(offset, index * 4)
    offset += data.length
  })
  table.writeUInt32BE(offset, glyphData.length * 4)
  return table
}

/** Format 12 for the characters and format 14 for the variation selectors, where there are any. */
function cmapTable(font: Font): Buffer {
  const groups: [number, number, number][] = []
  for (const [codePoint, glyph] of font.characters) {
    const last = groups.at(-1)
    if (last !== undefined && codePoint === last[1] + 1 && glyph === last[2] + (codePoint - last[0]))
      last[1]++
    else groups.push([codePoint, codePoint, glyph])
  }
  const body = Buffer.concat(groups.map(([first, last, glyph]) => longs(first, last, glyph)))
  const characters = Buffer.concat([words(12, 0), longs(16 + body.length, 0, groups.length), body])
  if (font.unvaried.length === 0) return Buffer.concat([words(0, 1, 3, 10), long(12), characters])
  return Buffer.concat([
    words(0, 2, 0, 5),
    long(20 + characters.length),
    words(3, 10),
    long(20),
    characters,
    variationTable(font.unvaried),
  ])
}

const VARIATION_HEADER_BYTES = 10 + 11 * 2

function variationTable(unvaried: readonly number[]): Buffer {
  const ranges: [number, number][] = []
  for (const codePoint of unvaried) {
    const last = ranges.at(-1)
    if (last !== undefined && codePoint === last[0] + last[1] + 1 && last[1] < 255) last[1]++
    else ranges.push([codePoint, 0])
  }
  const body = Buffer.concat([
    long(ranges.length),
    ...ranges.map(([first, more]) => Buffer.concat([threeBytes(first), Buffer.from([more])])),
  ])
  const selector = (codePoint: number) =>
    Buffer.concat([threeBytes(codePoint), longs(VARIATION_HEADER_BYTES, 0)])
  return Buffer.concat([
    words(14),
    longs(VARIATION_HEADER_BYTES + body.length, 2),
    selector(0xfe0e),
    selector(0xfe0f),
    body,
  ])
}

function headTable({ unitsPerEm, ascent, descent }: Font): Buffer {
  return Buffer.concat([
    longs(0x1_0000, 0x1_0000, 0, 0x5f0f_3cf5),
    words(3, unitsPerEm),
    Buffer.alloc(16), // no dates: the same font is the same file
    words(0, descent, unitsPerEm, ascent, 0, 6, 2, 1, 0),
  ])
}

function os2Table({ ascent, descent }: Font): Buffer {
  return Buffer.concat([
    words(4, 8, 400, 5, 0, 10, 10, 0, 2, 10, 10, 0, 5, 1, 5, 0),
    Buffer.from([2, 0, 5, 9, 0, 0, 0, 0, 0, 0]),
    longs(0xffff_ffff, 0xffff_ffff, 0xffff_ffff, 0xffff_ffff), // it knows every script
    Buffer.from('TRSM'),
    words(0x40, 0x20, 0xffff, ascent, descent, 0, ascent, -descent),
    longs(1, 0),
    words(8, 12, 0, 32, 1),
  ])
}

function nameTable(family: string): Buffer {
  const texts: [number, string][] = [
    [1, family],
    [2, 'Regular'],
    [3, family],
    [4, family],
    [6, family.replaceAll(' ', '')],
  ]
  let offset = 0
  const records = texts.map(([id, text]) => {
    const record = words(3, 1, 0x409, id, text.length * 2, offset)
    offset += text.length * 2
    return record
  })
  const data = texts.map(([, text]) => Buffer.from(text, 'utf16le').swap16())
  return Buffer.concat([words(0, texts.length, 6 + 12 * texts.length), ...records, ...data])
}

function assemble(tables: Readonly<Record<string, Buffer>>): Buffer {
  const tags = Object.keys(tables).toSorted((a, b) => (a < b ? -1 : 1))
  const selector = Math.floor(Math.log2(tags.length))
  const range = 2 ** selector * 16
  let offset = 12 + 16 * tags.length
  let headOffset = 0
  const records: Buffer[] = []
  const data: Buffer[] = []
  for (const tag of tags) {
    const table = tables[tag] ?? Buffer.alloc(0)
    const content = padded(table)
    if (tag === 'head') headOffset = offset
    records.push(Buffer.concat([Buffer.from(tag), longs(checksum(content), offset, table.length)]))
    data.push(content)
    offset += content.length
  }
  const header = [long(0x1_0000), words(tags.length, range, selector, tags.length * 16 - range)]
  const file = Buffer.concat([...header, ...records, ...data])
  file.writeUInt32BE((0xb1b0_afba - checksum(file)) >>> 0, headOffset + 8)
  return file
}

function checksum(data: Buffer): number {
  let sum = 0
  for (let offset = 0; offset < data.length; offset += 4) sum = (sum + data.readUInt32BE(offset)) >>> 0
  return sum
}

function padded(data: Buffer): Buffer {
  return data.length % 4 === 0 ? data : Buffer.concat([data, Buffer.alloc(4 - (data.length % 4))])
}

function words(...values: number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 2)
  values.forEach((value, index) => buffer.writeUInt16BE(value & 0xffff, index * 2))
  return buffer
}

function longs(...values: number[]): Buffer {
  const buffer = Buffer.alloc(values.length * 4)
  values.forEach((value, index) => buffer.writeUInt32BE(value >>> 0, index * 4))
  return buffer
}

function long(value: number): Buffer {
  return longs(value)
}

function threeBytes(value: number): Buffer {
  return Buffer.from([(value >> 16) & 255, (value >> 8) & 255, value & 255])
}
