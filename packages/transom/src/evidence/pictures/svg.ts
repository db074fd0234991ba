import { drawnGlyph } from './glyph-set.ts'
import type { CellSize, MaskGlyph } from './glyph.ts'
import { PADDING_DEFAULT, rangeOf, type PictureOptions, type PictureView } from './rasterizer.ts'
import { DARK_THEME, type Theme } from './theme.ts'
import { cellTexts, escapeMarkup, hex, viewRuns, type ViewRun } from './view-runs.ts'
import { mixRgb } from './cell-look.ts'

/** A cell in units of the drawing, as at scale 1. */
const CELL = { width: 9, height: 18, baseline: 14 }
const FONT_SIZE = 15
/** Box drawing and the like lie on the pixels of scale 1; curves and slants are outlined three times as fine. */
const COARSE_CELL: CellSize = { ...CELL, line: 1 }
const FINE_CELL: CellSize = { width: 27, height: 54, baseline: 42, line: 3 }
const BAR_HEIGHT = 28
const FONTS = "'DejaVu Sans Mono','Cascadia Mono',Menlo,Consolas,'Liberation Mono',monospace"

/** A drawing with text as text: it can be searched and scaled, and needs nothing but a monospaced font. */
export function encodeSvg(
  view: PictureView,
  options: PictureOptions & { readonly scale?: number } = {},
): { svg: string; width: number; height: number } {
  const { theme = DARK_THEME, scale = 1 } = options
  const range = rangeOf(view.grid, options)
  const padding = options.padding ?? PADDING_DEFAULT
  const window = options.window ?? null
  const bar = window === null ? 0 : BAR_HEIGHT
  const width = (range.toCol - range.fromCol) * CELL.width + padding * 2
  const height = (range.toRow - range.fromRow) * CELL.height + padding * 2 + bar
  const drawing = new SvgDrawing(theme, { left: padding, top: padding + bar })
  const { grid, cursor } = view
  for (let row = range.fromRow; row < range.toRow; row++) {
    const isHere = cursor.visible && options.showCursor !== false && cursor.row === row
    const cursorCol = isHere && cursor.shape === 'block' ? cursor.col : null
    for (const run of viewRuns(grid, row, { range, theme, cursorCol }))
      drawing.run(
        run,
        { row: row - range.fromRow, shift: range.fromCol },
        cellTexts(grid, row, [run.col, run.col + run.cols]),
      )
    if (isHere && cursorCol === null)
      drawing.cursor(cursor.shape, { row: row - range.fromRow, col: cursor.col - range.fromCol })
  }
  const title = window === null ? '' : window.title || (view.title ?? '')
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width * scale}" height="${height * scale}" viewBox="0 0 ${width} ${height}" font-family="${FONTS}" font-size="${FONT_SIZE}">`,
    `<rect width="${width}" height="${height}" fill="${hex(theme.background)}"/>`,
    ...(window === null ? [] : windowParts(title, width, theme)),
    ...drawing.parts,
    '</svg>',
    '',
  ].join('\n')
  return { svg, width: width * scale, height: height * scale }
}

class SvgDrawing {
  readonly parts: string[] = []
  readonly #theme: Theme
  readonly #origin: { left: number; top: number }

  constructor(theme: Theme, origin: { left: number; top: number }) {
    this.#theme = theme
    this.#origin = origin
  }

  run(
    run: ViewRun,
    place: { row: number; shift: number },
    cells: readonly { col: number; cols: number; text: string }[],
  ): void {
    const x = this.#origin.left + (run.col - place.shift) * CELL.width
    const y = this.#origin.top + place.row * CELL.height
    const width = run.cols * CELL.width
    if (run.bg !== null)
      this.parts.push(
        `<rect x="${x}" y="${y}" width="${width}" height="${CELL.height}" fill="${run.bg}" shape-rendering="crispEdges"/>`,
      )
    const texts: string[] = []
    const positions: number[] = []
    for (const cell of run.style.invisible ? [] : cells) {
      const left = x + (cell.col - run.col) * CELL.width
      const drawn = /^.$/u.test(cell.text) ? drawnShape(cell.text.codePointAt(0) ?? 0) : null
      if (drawn !== null) this.parts.push(...shapeParts(drawn, { left, top: y, fill: run.fg }))
      else {
        texts.push(cell.text)
        // A position for each UTF-16 unit would split clusters, so each cell gets one.
        positions.push(left)
      }
    }
    this.#text(run, { texts, positions, y: y + CELL.baseline })
    this.#lines(run, { x, y, width })
  }

  cursor(shape: string, { row, col }: { row: number; col: number }): void {
    const x = this.#origin.left + col * CELL.width
    const y = this.#origin.top + row * CELL.height
    const box = shape === 'bar' ? [x, y, 2, CELL.height] : [x, y + CELL.height - 2, CELL.width, 2]
    this.parts.push(
      `<rect x="${box[0]}" y="${box[1]}" width="${box[2]}" height="${box[3]}" fill="${hex(this.#theme.cursor)}"/>`,
    )
  }

  #text(run: ViewRun, { texts, positions, y }: { texts: string[]; positions: number[]; y: number }): void {
    if (texts.length === 0) return
    const { style } = run
    const attributes = `fill="${run.fg}"${style.bold ? ' font-weight="bold"' : ''}${style.italic ? ' font-style="italic"' : ''}`
    const isPlain = texts.every((text) => text.length === 1)
    // One x for each character keeps every cell in its place, whatever font the viewer has.
    if (isPlain)
      this.parts.push(
        `<text y="${y}" x="${positions.join(' ')}" ${attributes}>${escapeMarkup(texts.join(''))}</text>`,
      )
    else {
      for (const [index, text] of texts.entries())
        this.parts.push(`<text y="${y}" x="${positions[index]}" ${attributes}>${escapeMarkup(text)}</text>`)
    }
  }

  #lines(
    { style, fg, underlineColor }: ViewRun,
    { x, y, width }: { x: number; y: number; width: number },
  ): void {
    const line = (at: number, color: string, more = '') =>
      this.parts.push(`<path d="M${x} ${at}h${width}" stroke="${color}"${more}/>`)
    const under = y + CELL.baseline + 2.5
    const underline = style.underline === 'none' && style.link !== '' ? 'single' : style.underline
    if (style.strikethrough) line(y + CELL.baseline - 4.5, fg)
    if (style.overline) line(y + 0.5, fg)
    if (underline === 'single') line(under, underlineColor)
    if (underline === 'double') for (const shift of [-1, 1]) line(under + shift, underlineColor)
    if (underline === 'dotted') line(under, underlineColor, ' stroke-dasharray="1 1"')
    if (underline === 'dashed') line(under, underlineColor, ' stroke-dasharray="3 2"')
    if (underline === 'curly') {
      const waves = `q1.125 -2 2.25 0t2.25 0`.repeat(Math.round(width / 4.5))
      this.parts.push(`<path d="M${x} ${under}${waves}" stroke="${underlineColor}" fill="none"/>`)
    }
  }
}

/** A character that is drawn by code, alone in its cell; null for any other. */
export function cellSvg(codePoint: number): string | null {
  const shape = drawnShape(codePoint)
  if (shape === null) return null
  const parts = shapeParts(shape, { left: 0, top: 0, fill: '#000' })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${CELL.width} ${CELL.height}" preserveAspectRatio="none">${parts.join('')}</svg>`
}

function drawnShape(codePoint: number): MaskGlyph | null {
  const coarse = drawnGlyph(codePoint, COARSE_CELL)
  const isStraight = new Set(coarse?.alpha).size <= 2 // one tint beside nothing
  return isStraight ? coarse : drawnGlyph(codePoint, FINE_CELL)
}

/** A drawn glyph as rectangles of equal opacity, one path for each opacity. */
function shapeParts(
  { alpha, width }: MaskGlyph,
  { left, top, fill }: { left: number; top: number; fill: string },
): string[] {
  const paths = new Map<number, string>()
  const height = alpha.length / width
  const fine = width / CELL.width
  for (let y = 0; y < height;) {
    let next = y + 1
    while (next < height && isSameRow(alpha, width, y, next)) next++
    for (let x = 0; x < width;) {
      const value = alpha[y * width + x] ?? 0
      const from = x
      while (x < width && alpha[y * width + x] === value) x++
      if (value === 0) continue
      const [px, py, w, h] = [left + from / fine, top + y / fine, (x - from) / fine, (next - y) / fine].map(
        short,
      )
      paths.set(value, `${paths.get(value) ?? ''}M${px} ${py}h${w}v${h}h-${w}z`)
    }
    y = next
  }
  return [...paths].map(([value, path]) => {
    const opacity = value === 15 ? '' : ` fill-opacity="${short(value / 15)}"`
    return `<path d="${path}" fill="${fill}"${opacity} shape-rendering="crispEdges"/>`
  })
}

function isSameRow(alpha: Uint8Array, width: number, a: number, b: number): boolean {
  for (let x = 0; x < width; x++) if (alpha[a * width + x] !== alpha[b * width + x]) return false
  return true
}

function short(value: number): string {
  return String(Math.round(value * 100) / 100)
}

function windowParts(title: string, width: number, theme: Theme): string[] {
  const bar = hex(mixRgb(theme.background, theme.foreground, 2))
  const text = hex(mixRgb(theme.background, theme.foreground, 12))
  return [
    `<rect width="${width}" height="${BAR_HEIGHT}" fill="${bar}"/>`,
    ...['#ec6a5e', '#f4bf4f', '#61c554'].map(
      (color, index) => `<circle cx="${16 + index * 18}" cy="14" r="6" fill="${color}"/>`,
    ),
    `<text x="${width / 2}" y="19" text-anchor="middle" font-weight="bold" fill="${text}">${escapeMarkup(title)}</text>`,
  ]
}
