/** Real programs, recorded in a session of 100 × 30, shown by the engine and by xterm.js, cell for cell. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import * as zlib from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { XtermOracle, gridRows } from '../../../../../test/support/xterm-oracle.ts'
import { describeFrame } from '../../../../../test/support/terminal-bytes.ts'
import { ScreenWriter } from '@transom/tui'
import { VtEmulator } from './vt-emulator.ts'

const FULL = process.env['TRANSOM_FULL'] === '1'
const FOLDER = path.join(import.meta.dirname, '../../../../../test/fixtures/recordings')
const [COLS, ROWS] = [100, 30]
/** How often the two are compared. What lies between may end inside a sequence or a character. */
const LOOKS = FULL ? 1000 : 40
/** How often a checkpoint is taken, and how often the screen is painted. */
const CHECKPOINTS = FULL ? 1000 : 25
const PAINTS = 20

/**
 * The one difference: xterm.js sums the widths of the code points of an emoji, so that rows of the Ink app, which counts
 * clusters, wrap. A character of the same width takes the place of each.
 */
const EMOJI = /👩‍💻|👍🏽|🇩🇪|❤️/gu
const WIDE = '漢'

const recordings = fs.readdirSync(FOLDER).map((file) => ({
  name: file.split('.')[0] ?? '',
  bytes: zlib.brotliDecompressSync(fs.readFileSync(path.join(FOLDER, file))),
}))

test('there are recordings of twelve programs', () => {
  expect(recordings.map(({ name }) => name).join(' ')).toBe(
    'btop emacs fzf htop ink less mc nethack nvim textual tmux vim',
  )
})

describe('a recorded program is shown as xterm.js shows it', () => {
  test.each(recordings)('$name', ({ bytes: recorded }) => {
    const bytes = Buffer.from(recorded.toString().replaceAll(EMOJI, WIDE))
    const emulator = new VtEmulator(COLS, ROWS)
    const oracle = new XtermOracle(COLS, ROWS)
    const step = Math.ceil(bytes.length / LOOKS)
    for (let at = 0; at < bytes.length; at += step) {
      const piece = bytes.subarray(at, at + step)
      emulator.write(piece)
      oracle.write(piece)
      if (emulator.syncActive) continue // xterm.js shows what is not complete
      const { grid, cursor } = emulator.frame()
      const { col, row } = oracle.cursor()
      expect([cursor.col, cursor.row]).toEqual([col, row])
      expect(gridRows(grid)).toEqual(oracle.rows())
    }
  })

  test('ink, with its emoji where a wide character would be', () => {
    const { bytes } = recordings.find(({ name }) => name === 'ink') ?? { bytes: Buffer.alloc(0) }
    const [whole, replaced] = [new VtEmulator(COLS, ROWS), new VtEmulator(COLS, ROWS)]
    whole.write(bytes)
    replaced.write(Buffer.from(bytes.toString().replaceAll(EMOJI, WIDE)))
    const text = (emulator: VtEmulator) =>
      Array.from({ length: ROWS }, (_, row) => emulator.frame().grid.textOf(row))
    expect(text(whole).join('\n')).toMatch(EMOJI)
    expect(text(whole).map((row) => row.replaceAll(EMOJI, WIDE))).toEqual(text(replaced))
  })
})

describe('a recorded program', () => {
  const shown = (emulator: VtEmulator) => ({
    frame: describeFrame(emulator.frame()),
    modes: emulator.modes(),
    answers: emulator.takeAnswers(),
  })

  test.each(recordings)(
    '$name: shows the same after a checkpoint anywhere, and in any chunks',
    ({ bytes }) => {
      const whole = new VtEmulator(COLS, ROWS)
      whole.write(bytes)
      const expected = shown(whole)
      const running = new VtEmulator(COLS, ROWS)
      const step = Math.max(1, Math.ceil(bytes.length / CHECKPOINTS))
      for (let at = 0; at < bytes.length; at += step) {
        const state = running.checkpoint()
        const restored = VtEmulator.restore(state)
        expect(Buffer.from(restored?.checkpoint() ?? []).equals(state)).toBe(true)
        running.write(bytes.subarray(at, at + step))
        restored?.write(bytes.subarray(at, at + step))
        // Equal states go on alike: the rest need not be written to each.
        expect(Buffer.from(restored?.checkpoint() ?? []).equals(running.checkpoint())).toBe(true)
      }
      expect(shown(running)).toEqual(expected)
    },
  )

  test.each(recordings)(
    '$name: is the same screen after it was painted onto another terminal',
    ({ bytes }) => {
      const emulator = new VtEmulator(COLS, ROWS)
      const other = new VtEmulator(COLS, ROWS)
      other.write(Buffer.from('\u001b[?7l'))
      const writer = new ScreenWriter({ cols: COLS, rows: ROWS })
      const step = Math.ceil(bytes.length / PAINTS)
      for (let at = 0; at < bytes.length; at += step) {
        emulator.write(bytes.subarray(at, at + step))
        const { grid } = emulator.frame()
        other.write(Buffer.from(writer.draw(grid, null)))
        expect(gridRows(other.frame().grid)).toEqual(gridRows(grid))
      }
    },
  )
})
