/** Bytes for tests of emulators, and what a frame shows, to compare. */
import fc from 'fast-check'
import type { Grid } from '@transom/grid'
import { styledRuns } from '../../packages/transom/src/session/styled-runs.ts'
import type { Frame } from '../../packages/transom/src/terminal/emulator.ts'

/** Everything that a frame shows, as plain data. Ids of styles and clusters tell when one was first seen, not what it is. */
export function describeFrame({ grid, text, ...frame }: Frame) {
  const rowsOf = (cells: Grid) => Array.from({ length: cells.rows }, (_, row) => styledRuns(cells, row))
  return { ...frame, rows: rowsOf(grid), textRows: rowsOf(text) }
}

const parameter = fc.oneof(fc.nat({ max: 12 }), fc.constantFrom(0, 1, 2, 40, 255, 4_000_000, 2_147_483_648))

/** Any control sequence, most of them with a meaning. */
const controlSequence = fc
  .tuple(
    fc.constantFrom('', '', '', '?', '>', '<', '='),
    fc.array(parameter, { maxLength: 6 }),
    fc.constantFrom(';', ';', ':'),
    fc.constantFrom('', '', '', '', ' ', '$', '"', '!', '*', "'", '#'),
    fc.constantFrom(...'@ABCDEFGHIJKLMPSTXZ`abcdefghijklmnpqrstuvwxyz{|}~'.split('')),
  )
  .map(
    ([prefix, params, separator, intermediate, final]) =>
      `\x1b[${prefix}${params.join(separator)}${intermediate}${final}`,
  )

const privateModes = fc
  .tuple(
    fc.constantFrom(
      1,
      3,
      5,
      6,
      7,
      25,
      40,
      45,
      47,
      66,
      67,
      69,
      1000,
      1006,
      1045,
      1047,
      1048,
      1049,
      2026,
      2027,
      2048,
    ),
    fc.constantFrom('h', 'h', 'l', '$p', 's', 'r'),
  )
  .map(([mode, action]) => `\x1b[?${mode}${action}`)

const ESCAPES = [
  '\x1b7',
  '\x1b8',
  '\x1bD',
  '\x1bE',
  '\x1bM',
  '\x1bH',
  '\x1bN',
  '\x1bV',
  '\x1bW',
  '\x1b6',
  '\x1b9',
  '\x1b(0',
  '\x1b(B',
  '\x1b)0',
  '\x0e',
  '\x0f',
  '\x1b#3',
  '\x1b#6',
  '\x1b#8',
  '\x1b G',
  '\x1b]4;1;?\x07',
  '\x1b]11;#123456\x1b\\',
  '\x1b]133;A\x07',
  '\x1bP$qm\x1b\\',
  '\x1bP+q544e\x1b\\',
  '\x1b_apc\x1b\\',
]

const CHARACTERS = [
  '\u00e9',
  '\u0301',
  '\u200d',
  '\ufe0f',
  '\ufe0e',
  '\u200b',
  '\u{1f600}',
  '\u{1f1e6}',
  '\u{1f3fb}',
  '\u2764\ufe0f',
  '1\ufe0f\u20e3',
  '\u0915\u094d\u0937',
  '\u1100\u1161\u11a8',
  '\u0600',
  '\u009b',
  '\u2500',
]

/** Bytes as programs send them: text, wide and combined characters, controls, and sequences, whole and broken. */
export const terminalBytes = fc
  .array(
    fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.constantFrom('\r\n', '\n', '\r', '\t', '\b', '\x1b', '漢字', 'é', 'e\u0301', '👩‍👩‍👧', '\u0007'),
      fc.constantFrom(
        '\x1b[2J',
        '\x1b[H',
        '\x1b[K',
        '\x1b[?1049h',
        '\x1b[?1049l',
        '\x1b[3L',
        '\x1b[2M',
        '\x1b[2;5r',
        '\x1b[r',
      ),
      fc.constantFrom(
        '\x1b[1;31m',
        '\x1b[0m',
        '\x1b[48;2;1;2;3m',
        '\x1b[4:3m',
        '\x1b]8;;http://a\x1b\\',
        '\x1b]0;title\x07',
      ),
      fc.constantFrom(
        '\x1b[?2026h',
        '\x1b[?2026l',
        '\x1b[?2004h',
        '\x1b[?2004l',
        '\x1bc',
        '\x1b[6n',
        '\x1b[?25l',
        '\x1b[4 q',
      ),
      fc
        .tuple(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 90 }))
        .map(([row, col]) => `\x1b[${row};${col}H`),
      controlSequence,
      privateModes,
      fc.constantFrom(...ESCAPES),
      fc.constantFrom(...CHARACTERS),
      fc.uint8Array({ maxLength: 6 }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => Buffer.concat(parts.map((part) => Buffer.from(part as string))))
