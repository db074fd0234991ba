import fc from 'fast-check'
import { expect, test } from 'vitest'
import { XtermOracle, gridRows } from '../../../../../test/support/xterm-oracle.ts'
import { VtEmulator } from './vt-emulator.ts'

const FULL = process.env['TRANSOM_FULL'] === '1'
/** The short run always has the same cases: what a rare one finds may be a fault of xterm.js. */
const PARAMETERS = FULL ? { numRuns: 100_000 } : { numRuns: 1000, seed: 1 }
const COLS = 12
const ROWS = 6

/**
 * What both interpret alike. Excluded, because xterm.js differs from xterm or from the standard: origin mode, DECSTR
 * and RIS (which leave state behind), DECALN's colour, SD's background, margins and tab stops of the alternate screen,
 * DECRC after scrolling and with character sets, wide characters without autowrap, clusters.
 */
const count = fc.constantFrom(0, 1, 1, 2, 3, 4, 5, 9, 13, 40)
const letters = (...finals: string[]) =>
  fc.tuple(count, fc.constantFrom(...finals)).map(([number, final]) => `\x1b[${number}${final}`)
const part = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('a', 'bc', 'def', 'hello', 'xxxxxxxxx', 'yzyzyzyzyzyzyz') },
  fc.constantFrom('漢', '漢字', '한', 'é', 'e\u0301', '─'),
  fc.constantFrom('\r\n', '\r', '\n', '\b', '\t'),
  fc
    .tuple(fc.integer({ min: 1, max: ROWS + 1 }), fc.integer({ min: 1, max: COLS + 1 }))
    .map(([row, col]) => `\x1b[${row};${col}H`),
  letters('A', 'B', 'C', 'D', 'E', 'F', 'G', 'd', 'a', 'e', '`'),
  letters('@', 'P', 'X', 'L', 'M', 'S'),
  fc
    .tuple(fc.constantFrom('', '1', '2'), fc.constantFrom('J', 'K'))
    .map(([which, final]) => `\x1b[${which}${final}`),
  fc
    .constantFrom(
      '',
      '0',
      '1',
      '31',
      '42',
      '7',
      '1;4',
      '38;5;100',
      '48;2;1;2;3',
      '22',
      '27',
      '39;49',
      '4:3',
      '3',
      '93',
    )
    .map((graphics) => `\x1b[${graphics}m`),
  fc
    .tuple(fc.integer({ min: 1, max: ROWS }), fc.integer({ min: 0, max: ROWS }))
    .map(([top, height]) => `\x1b[${top};${top + height}r`),
  fc.constantFrom('\x1bD', '\x1bM', '\x1bE', '\x1b[3g', '\x1b[I', '\x1b[Z', '\x1bH'),
  fc.constantFrom('\x1b[4h', '\x1b[4l', '\x1b[20h', '\x1b[20l', '\x1b(0', '\x1b(B', '\x1b)0', '\x0e', '\x0f'),
)

/** After the last column was written xterm.js keeps the cursor past it, which everything else then starts from. */
const SAME_WHEN_PENDING = /^[^\x1b\b\t]|^\x1b\[[\d;]*[Hm]$/

test('a screen is what xterm.js shows of the same bytes', () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const emulator = new VtEmulator(COLS, ROWS)
      const oracle = new XtermOracle(COLS, ROWS)
      for (const text of parts) {
        if (oracle.cursor().pending && !SAME_WHEN_PENDING.test(text)) break
        if (!writeTo(oracle, text) || oracle.hasHalves()) return
        emulator.write(Buffer.from(text))
      }
      const { grid, cursor } = emulator.frame()
      const { col, row } = oracle.cursor()
      expect([cursor.col, cursor.row]).toEqual([col, row])
      expect(gridRows(grid)).toEqual(oracle.rows())
    }),
    PARAMETERS,
  )
})

/** False if xterm.js has thrown: it does on ED 1 at the very end of the screen. */
function writeTo(oracle: XtermOracle, text: string): boolean {
  try {
    oracle.write(Buffer.from(text))
    return true
  } catch (error) {
    expect(error).toBeInstanceOf(TypeError)
    return false
  }
}
