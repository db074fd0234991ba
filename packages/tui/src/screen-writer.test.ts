import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  CLUSTER_BASE,
  DEFAULT_STYLE,
  Grid,
  RGB_COLOR,
  WIDE_SPACER,
  createGridTables,
  type Style,
} from '@transom/grid'
import { VtEmulator } from '../../transom/src/terminal/vt/vt-emulator.ts'
import { ScreenWriter, type Cursor, type ScreenWriterOptions } from './screen-writer.ts'

/** A terminal of ours and its writer. */
class Terminal {
  readonly emulator: VtEmulator
  readonly writer: ScreenWriter

  constructor(options: ScreenWriterOptions) {
    this.emulator = new VtEmulator(options.cols, options.rows)
    this.emulator.write(Buffer.from('\u001b[?7lwhat was there before\u001b[41m'))
    this.writer = new ScreenWriter(options)
  }

  draw(grid: Grid, cursor: Cursor | null = null): string {
    const text = this.writer.draw(grid, cursor)
    this.emulator.write(Buffer.from(text))
    return text
  }

  resize(cols: number, rows: number): void {
    this.emulator.resize(cols, rows)
    this.writer.resize(cols, rows)
  }

  get cells(): string[] {
    return cellsOf(this.emulator.frame().grid)
  }
}

/** Every cell of the first columns and rows of a Grid: its text and its style. */
function cellsOf(grid: Grid, { cols, rows }: { cols: number; rows: number } = grid): string[] {
  const cells: string[] = []
  for (let row = 0; row < rows; row++)
    for (let col = 0; col < cols; col++) {
      const at = row * grid.cols + col
      const isInside = col < grid.cols && row < grid.rows
      const style = isInside ? grid.tables.styles.valueOf(grid.styleIds[at] ?? 0) : DEFAULT_STYLE
      const isCut = col === cols - 1 && col + 1 < grid.cols && grid.codes[at + 1] === WIDE_SPACER
      const text = !isInside || isCut ? ' ' : grid.textOf(row, col, col + 1)
      cells.push(`${row},${col} ${text} ${JSON.stringify({ ...style, link: '' })}`)
    }
  return cells
}

function gridOf(cols: number, rows: number, ...outputs: string[]): Grid {
  const emulator = new VtEmulator(cols, rows)
  for (const output of outputs) emulator.write(Buffer.from(output))
  return emulator.frame().grid
}

const cursor: Cursor = { row: 1, col: 2, visible: true, shape: 'bar', blink: false }

/** What programs write: text of all kinds in all places and styles. */
function anyOutput(): fc.Arbitrary<string> {
  const texts =
    'a|bc|hello world|   |漢|字漢|é|e\u0301|👍|👨\u200d👩\u200d👧|🇩|🇪|🇩🇪|❤\ufe0f|한|ᄒ|\u1161|क|\u094d|ष|\u0600|🏽|☺|½'
  const text = fc.constantFrom(...texts.split('|'))
  const place = fc.tuple(fc.nat(7), fc.nat(24)).map(([row, col]) => `\u001b[${row};${col}H`)
  const looks =
    '0|1|2|3|4|4:3|5|7|8|9|53|22|24|27|31|42|97|104|38;5;200|48;5;17|38;2;1;2;3|48;2;200;0;9|58:5:9|58:2::1:2:3|39|49|59'
  const look = fc.constantFrom(...looks.split('|')).map((it) => `\u001b[${it}m`)
  const erase = fc.constantFrom(
    '\u001b[K',
    '\u001b[1K',
    '\u001b[2J',
    '\r\n',
    '\u001b[3X',
    '\u001b[2@',
    '\u001b[P',
    '\u001b[L',
  )
  return fc
    .array(fc.oneof({ weight: 4, arbitrary: text }, place, look, erase), { maxLength: 25 })
    .map((parts) => parts.join(''))
}

describe('the terminal shows exactly the Grid', () => {
  test('after any sequence of Grids and sizes', () => {
    const size = fc.record({ cols: fc.integer({ min: 1, max: 22 }), rows: fc.integer({ min: 1, max: 6 }) })
    const step = fc.record({
      output: anyOutput(),
      grid: size.map(({ cols, rows }) => ({ cols: cols + 1, rows })), // a flag needs two columns
      isNew: fc.boolean(),
      resize: fc.option(size, { freq: 5 }),
    })
    fc.assert(
      fc.property(
        size,
        fc.array(step, { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        (first, steps, synchronized) => {
          const terminal = new Terminal({ ...first, synchronized })
          let program = new VtEmulator(20, 5)
          for (const { output, grid, isNew, resize } of steps) {
            if (isNew) program = new VtEmulator(grid.cols, grid.rows)
            program.write(Buffer.from(output))
            if (resize !== null) terminal.resize(resize.cols, resize.rows)
            const frame = program.frame()
            terminal.draw(frame.grid, frame.cursor)
            const { cols, rows } = terminal.writer
            expect(terminal.cells).toEqual(cellsOf(frame.grid, { cols, rows }))
            const shown = terminal.emulator.frame().cursor
            const isInside = frame.cursor.row < rows && frame.cursor.col < cols
            expect(shown.visible).toBe(isInside)
            if (isInside) expect(shown).toEqual(frame.cursor)
            expect(terminal.draw(frame.grid, frame.cursor)).toBe('')
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  test('also where a Grid is none that a terminal could have', () => {
    const tables = createGridTables()
    const cluster = (text: string) => CLUSTER_BASE + tables.clusters.idOf(text)
    const code = fc.constantFrom(
      0,
      0x20,
      0x61,
      0x1b,
      0x9b,
      0x7f,
      0x6f22,
      0x301,
      0x200d,
      0x202e,
      0x2028,
      0xd800,
      WIDE_SPACER,
      0x1f600,
      0x2764,
      cluster('e\u0301'),
      cluster('ab'),
      cluster('\u001b]0;evil\u0007'),
      cluster('❤\ufe0f'),
      cluster('⌚\ufe0e'),
      cluster('a\u202e'),
      cluster(''),
    )
    fc.assert(
      fc.property(
        fc.array(fc.array(code, { minLength: 12, maxLength: 12 }), { minLength: 1, maxLength: 4 }),
        (screens) => {
          const terminal = new Terminal({ cols: 6, rows: 2 })
          for (const codes of screens) {
            const grid = new Grid(6, 2, tables)
            grid.codes.set(codes)
            const text = terminal.draw(grid)
            expect(text.replaceAll(/\u001b\[[\d;?]*[A-Za-z]/g, '')).not.toMatch(/[\p{Cc}\p{Cs}\u202e\u2028]/u)
            // Drawing it onto an erased screen gives the same: nothing was left over from the one before.
            const fresh = new Terminal({ cols: 6, rows: 2 })
            fresh.draw(grid)
            expect(terminal.cells).toEqual(fresh.cells)
            expect(terminal.emulator.frame().title).toBe('')
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  test('and its own cells, where it is well-formed', () => {
    const grid = gridOf(8, 2, 'ab漢\u001b[31mc\r\n\u001b[7m x')
    const terminal = new Terminal({ cols: 8, rows: 2 })
    terminal.draw(grid)
    expect(terminal.emulator.frame().grid.lineOf(0)).toBe('ab漢c')
  })
})

describe('a drawing is short', () => {
  const draw = (before: string, after: string): string => {
    const terminal = new Terminal({ cols: 40, rows: 5 })
    terminal.draw(gridOf(40, 5, before), cursor)
    return terminal.draw(gridOf(40, 5, before, after), cursor)
  }

  test.each([
    ['nothing changed', 'hello', '', ''],
    ['one character', 'hello', '\u001b[1;2Ha', '\u001b[1;2Ha\u001b[2;3H'],
    ['two near each other', 'hello', '\u001b[1;2Ha\u001b[1;4Hi', '\u001b[1;2Hali\u001b[2;3H'],
    ['two far from each other', 'hello world', '\u001b[1;1HH\u001b[1;11HD', '\u001b[HH\u001b[9CD\u001b[2;3H'],
    ['a row that became shorter', 'hello world', '\u001b[1;4H\u001b[K', '\u001b[1;4H\u001b[K\u001b[2;3H'],
    ['bold added', '\u001b[31mred', '\u001b[1;1H\u001b[1;31mr', '\u001b[H\u001b[1mr\u001b[2;3H'],
  ])('%s', (_, before, after, expected) => {
    expect(draw(before, after)).toBe(expected)
  })

  test('a look is changed by what differs', () => {
    const text = draw('', '\u001b[1;31ma\u001b[32mb\u001b[22mc\u001b[44md\u001b[me')
    expect(text).toBe(
      '\u001b[H\u001b[1;31ma\u001b[32mb\u001b[22mc\u001b[44md\u001b[me\u001b[2;3H'.replace(
        '\u001b[H',
        '\u001b[?25l\u001b[H',
      ) + '\u001b[?25h',
    )
  })
})

describe('colours', () => {
  const styled = (style: Partial<Style>): Grid => {
    const tables = createGridTables()
    const grid = new Grid(1, 1, tables)
    grid.codes[0] = 0x61
    grid.styleIds[0] = tables.styles.idOf({ ...DEFAULT_STYLE, ...style })
    return grid
  }

  test.each([
    ['true', { fg: RGB_COLOR | 0x010203, bg: 200 }, '38;2;1;2;3;48;5;200'],
    ['256', { fg: RGB_COLOR | 0xff0000, bg: RGB_COLOR | 0x808080 }, '38;5;196;48;5;244'],
    ['16', { fg: RGB_COLOR | 0xfe0101, bg: 21 }, '91;44'],
    ['none', { fg: RGB_COLOR | 0xff0000, bg: 3, bold: true }, '1'],
    ['16', { underline: 'curly', underlineColor: 3 }, '4'],
    ['256', { underline: 'curly', underlineColor: RGB_COLOR | 0xff0000 }, '4:3;58:5:196'],
  ] as const)('at depth %s', (colors, style, sgr) => {
    expect(new ScreenWriter({ cols: 1, rows: 1, colors }).draw(styled(style))).toContain(`\u001b[${sgr}ma`)
  })
})

test('a link is not passed on, and a text holds no control character', () => {
  const grid = gridOf(20, 1, '\u001b]8;;http://evil.example/\u0007link\u001b]8;;\u0007')
  expect(grid.tables.styles.valueOf(grid.styleIds[0] ?? 0).link).toContain('evil')
  expect(new ScreenWriter({ cols: 20, rows: 1 }).draw(grid)).not.toContain('evil')
})

test('ever new colours and clusters do not fill the memory', () => {
  const terminal = new Terminal({ cols: 100, rows: 2 })
  for (let round = 0; round < 200; round++) {
    const tables = createGridTables()
    const grid = new Grid(100, 2, tables)
    for (let at = 0; at < 200; at++) {
      grid.codes[at] = 0x61
      grid.styleIds[at] = tables.styles.idOf({ ...DEFAULT_STYLE, fg: RGB_COLOR | (round * 200 + at) })
    }
    terminal.draw(grid)
    expect(terminal.cells).toEqual(cellsOf(grid))
  }
})
