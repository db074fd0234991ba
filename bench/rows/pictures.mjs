// @ts-check
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { importSource } from '../../scripts/build.mjs'
import { interleave, summarize, timeMs } from '../measure.mjs'

const [COLS, ROWS] = [120, 40]
const FRAMES = 120
const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/**
 * @typedef {typeof import('../programs/pictures.ts')} Pictures
 * @typedef {{ grid: import('@transom/grid').Grid, cursor: any, title: string }} Frame
 */

/** @type {import('../report.mjs').Row} */
export const pictures = {
  name: 'pictures',
  async run(bench) {
    const parts = /** @type {Pictures} */ (await importSource(path.join(ROOT, 'bench/programs/pictures.ts')))
    const atlas = new parts.GlyphAtlas(fs.readFileSync(path.join(path.dirname(bench.cli), 'glyphs-1.bin')))
    const glyphs = new parts.GlyphSet(atlas)
    const frames = screens(parts)
    const [frame] = frames
    if (frame === undefined) throw new Error('no screens to draw')
    const drawCanvas = await canvasPeer(frame)
    const home = await bench.openHome()
    const client = await home.connect()
    const session = await fullScreen(home, client)
    const samples = await interleave(
      bench.rounds(25, 7),
      {
        png: () => timeMs(async () => void parts.encodePng(parts.rasterize(frame, glyphs))),
        canvas: () =>
          drawCanvas === null ? Promise.resolve(Number.NaN) : timeMs(async () => void drawCanvas()),
        screenshot: () => timeMs(() => client.call('session.screenshot', { session })),
      },
      (round) => bench.progress(`round ${round}`),
    )
    const motion = await interleave(bench.rounds(3, 1), {
      apng: () => timeMs(async () => animate(parts, glyphs, frames)),
      single: () =>
        timeMs(async () => {
          for (const each of frames) parts.encodePng(parts.rasterize(each, glyphs))
        }),
    })
    const png = { what: `PNG of a screen of ${COLS} × ${ROWS}`, unit: 'ms', measured: summarize(samples.png) }
    const canvas = {
      what: '@napi-rs/canvas, cell by cell',
      summary: drawCanvas === null ? null : summarize(samples.canvas),
    }
    return [
      { ...png, baseline: canvas, target: { of: 'ratio', max: 0.33 } },
      { ...png, baseline: canvas, target: { of: 'value', max: 15 } },
      {
        what: '`session.screenshot` of such a screen, written and kept',
        unit: 'ms',
        measured: summarize(samples.screenshot),
        baseline: { what: 'its PNG alone', summary: summarize(samples.png) },
        target: null,
      },
      {
        what: `animated PNG of ${FRAMES} such screens`,
        unit: 'ms',
        measured: summarize(motion.apng),
        baseline: { what: 'as single PNGs', summary: summarize(motion.single) },
        target: { of: 'value', max: 1500 },
      },
    ]
  },
}

/**
 * Screens full of coloured words, no row of which stays.
 * @param {Pictures} parts
 * @returns {Frame[]}
 */
function screens({ VtEmulator }) {
  const emulator = new VtEmulator(COLS, ROWS)
  return Array.from({ length: FRAMES }, (_, index) => {
    emulator.write(Buffer.from(screenText(index)))
    return emulator.frame()
  })
}

/** @param {number} index */
function screenText(index) {
  const rows = Array.from({ length: ROWS }, (_, row) => {
    const words = Array.from({ length: COLS / 10 }, (__, word) => {
      const number = (index * 31 + row * 17 + word * 7) % 1000
      return `\x1b[${31 + ((index + word + row) % 7)}${word % 4 === 0 ? ';1' : ''}mword ${String(number).padStart(4)} `
    })
    return words.join('')
  })
  return `\x1b[H${rows.join('\r\n')}\x1b[0m`
}

/**
 * @param {Pictures} parts
 * @param {InstanceType<Pictures['GlyphSet']>} glyphs
 * @param {readonly Frame[]} frames
 */
function animate({ ApngEncoder, Rasterizer }, glyphs, frames) {
  const rasterizer = new Rasterizer(glyphs)
  /** @type {InstanceType<Pictures['ApngEncoder']> | null} */
  let encoder = null
  for (const frame of frames) {
    const raster = rasterizer.draw(frame)
    encoder ??= new ApngEncoder(raster)
    encoder.add(raster, 40)
  }
  encoder?.end()
}

/**
 * The same picture by a canvas: what one would do without an atlas. Null when it is not installed.
 * @param {Frame} frame
 */
async function canvasPeer(frame) {
  const canvasPackage = await import('@napi-rs/canvas').catch(() => null)
  if (canvasPackage === null) return null
  const { GlobalFonts, createCanvas } = canvasPackage
  for (const face of ['', '-Bold'])
    GlobalFonts.registerFromPath(
      path.join(ROOT, `node_modules/dejavu-fonts-ttf/ttf/DejaVuSansMono${face}.ttf`),
      'Bench Mono',
    )
  const { grid } = frame
  return () => {
    const canvas = createCanvas(COLS * 9 + 16, ROWS * 18 + 16)
    const context = canvas.getContext('2d')
    context.fillStyle = '#181818'
    context.fillRect(0, 0, canvas.width, canvas.height)
    for (let row = 0; row < grid.rows; row++) {
      for (let col = 0; col < grid.cols; col++) {
        const text = grid.textOf(row, col, col + 1)
        if (text === ' ') continue
        const { fg, bold } = grid.tables.styles.valueOf(grid.styleIds[row * grid.cols + col] ?? 0)
        context.font = `${bold ? 'bold ' : ''}15px "Bench Mono"`
        context.fillStyle = PALETTE[fg] ?? '#d8d8d8'
        context.fillText(text, 8 + col * 9, 8 + row * 18 + 14)
      }
    }
    return canvas.toBuffer('image/png')
  }
}

const PALETTE = ['#181818', '#cc5555', '#6fb36f', '#c9a554', '#5f8fd0', '#a86fc0', '#4fb0b0', '#d0d0d0']

/**
 * @param {import('../bench-home.mjs').BenchHome} home
 * @param {import('../bench-home.mjs').Client} client
 */
async function fullScreen(home, client) {
  const file = path.join(home.path, '..', 'screen.txt')
  fs.writeFileSync(file, screenText(0))
  const session = await home.create(client, ['sh', '-c', `cat ${file}; cat`], { cols: COLS, rows: ROWS })
  await client.call('session.wait', { session, screen_stable_ms: 300, timeout_ms: 30_000 })
  return session
}
