/** Runs the cases that other terminals' projects publish (shared/fixtures) against an emulator. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { DEFAULT_COLOR, RGB_COLOR, UNDERLINES, type Grid, type Style } from '@transom/grid'
import type { Emulator, Frame } from '../../packages/transom/src/terminal/emulator.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Beside the project, or beside the folder that its worktrees are in. */
const FIXTURES =
  [path.join(ROOT, '../shared/fixtures'), path.join(ROOT, '../../shared/fixtures')].find((folder) =>
    fs.existsSync(folder),
  ) ?? path.join(ROOT, '../shared/fixtures')
export const SUITES_FOLDER = path.join(FIXTURES, 'vt-suites')
const SCREENS_FOLDER = path.join(FIXTURES, 'vt-escape-sequences')
export const hasSuites = fs.existsSync(SUITES_FOLDER) && fs.existsSync(SCREENS_FOLDER)

export type CreateEmulator = (cols: number, rows: number, scrollbackLines: number) => Emulator

type ExpectedCell =
  | number
  | [text: string, width: number, fg: string, bg: string, flags: number, underline: number, link?: string]
interface CellChecks {
  readonly t?: string
  readonly w?: number
  readonly fg?: string
  readonly bg?: string
  readonly f?: number
  readonly fbit?: [bit: number, on: boolean]
  readonly ul?: number
}
type Step = readonly [kind: string, ...args: unknown[]]
interface Case {
  readonly suite: string
  readonly name: string
  readonly cols: number
  readonly rows: number
  readonly sb: number
  readonly steps: readonly Step[]
}

/** These need the suite's own API. */
const LEFT_OUT = [
  '16state_resize: Resize shrink moves cursor',
  '30state_pen: Bold+ANSI colour == highbright',
  '63screen_resize: Resize taller attempts to pop scrollback',
  '64screen_pen: Set default colours',
  '69screen_reflow: Shell wrapped prompt behaviour',
  'idempotent DECSM 1002',
]

export interface SuiteResult {
  readonly total: number
  /** The name of each case that fails, with the first check that does. */
  readonly failures: ReadonlyMap<string, string>
}

export function runSuite(
  suite: 'alacritty' | 'vt100-rust' | 'libvterm',
  create: CreateEmulator,
): SuiteResult {
  const lines = fs
    .readFileSync(path.join(SUITES_FOLDER, `${suite}.jsonl`), 'utf8')
    .trimEnd()
    .split('\n')
  const cases = lines
    .map((line) => JSON.parse(line) as Case)
    .filter(({ name }) => !LEFT_OUT.some((part) => name.includes(part)))
  const failures = new Map<string, string>()
  for (const one of cases) {
    const failure = runCase(one, create(one.cols, one.rows, one.sb))
    if (failure !== null) failures.set(one.name, failure)
  }
  return { total: cases.length, failures }
}

/** xterm.js's own screens, 80 × 25. */
export function runScreens(create: CreateEmulator): SuiteResult {
  const names = fs.readdirSync(SCREENS_FOLDER).filter((name) => name.endsWith('.in'))
  const failures = new Map<string, string>()
  for (const file of names) {
    const name = file.slice(0, -3)
    const input = fs.readFileSync(path.join(SCREENS_FOLDER, file), 'latin1').replaceAll('\n', '\r\n')
    const emulator = create(80, 25, 1000)
    emulator.write(Buffer.from(`\x1bc\x1b[H${input}`, 'latin1'))
    const expected = fs
      .readFileSync(path.join(SCREENS_FOLDER, `${name}.text`), 'utf8')
      .replace(/\n$/, '')
      .split('\n')
    const { grid } = emulator.frame()
    const row = expected.findIndex((line, index) => line.trimEnd() !== lineOf(grid, index))
    if (row >= 0)
      failures.set(
        name,
        `row ${row}: ${JSON.stringify(expected[row])} but ${JSON.stringify(lineOf(grid, row))}`,
      )
  }
  return { total: names.length, failures }
}

function lineOf(grid: Grid, row: number): string {
  return row < grid.rows ? grid.textOf(row).trimEnd() : ''
}

function runCase({ steps }: Case, emulator: Emulator): string | null {
  let answers = ''
  for (const [index, [kind, ...args]] of steps.entries()) {
    if (kind === 'w') emulator.write(Buffer.from(args[0] as string))
    else if (kind === 'x') emulator.write(Buffer.from(args[0] as string, 'hex'))
    else if (kind === 'r') emulator.resize(args[0] as number, args[1] as number)
    else if (kind === 'drop') {
      emulator.takeAnswers()
      answers = ''
    } else if (kind === 'ans') {
      answers = emulator.takeAnswers().join('')
      if (answers !== args[0])
        return `step ${index}: ${JSON.stringify(args[0])} but ${JSON.stringify(answers)}`
    } else {
      const failure = check(kind, args, emulator)
      if (failure !== null) return `step ${index}: ${failure}`
    }
  }
  return null
}

function check(kind: string, args: readonly unknown[], emulator: Emulator): string | null {
  const frame = emulator.frame()
  const { grid, cursor } = frame
  switch (kind) {
    case 'cursor':
      return differ([cursor.col, cursor.row], args, 'cursor')
    case 'visible':
      return differ(cursor.visible, args[0], 'visible')
    case 'row':
      return differ(lineOf(grid, args[0] as number), (args[1] as string).trimEnd(), `row ${String(args[0])}`)
    case 'wrapped':
      return differ(grid.isWrapped(args[0] as number) ? 1 : 0, args[1], `wrapped ${String(args[0])}`)
    case 'hist':
      return differ(
        historyOf(emulator),
        (args[0] as string[]).map((line) => line.trimEnd()),
        'history',
      )
    case 'grid':
      return checkGrid(frame, args[0] as ExpectedCell[][])
    case 'cell':
      return checkCell(grid, args[0] as number, args[1] as number, args[2] as CellChecks)
    default:
      return `unknown check ${kind}`
  }
}

function historyOf(emulator: Emulator): string[] {
  const { grid } = emulator.scrollback()
  return Array.from({ length: grid.rows }, (_, row) => lineOf(grid, row))
}

function checkCell(grid: Grid, col: number, row: number, expected: CellChecks): string | null {
  const cell = cellOf(grid, row, col)
  const place = `cell ${col},${row}`
  if (expected.t !== undefined && blankless(cell.text) !== blankless(expected.t))
    return differ(cell.text, expected.t, `${place} text`)
  if (expected.w !== undefined && cell.width !== expected.w)
    return differ(cell.width, expected.w, `${place} width`)
  if (expected.fg !== undefined && blankless(cell.text) !== '' && cell.fg !== expected.fg)
    return differ(cell.fg, expected.fg, `${place} fg`)
  if (expected.bg !== undefined && cell.bg !== expected.bg) return differ(cell.bg, expected.bg, `${place} bg`)
  if (expected.f !== undefined && cell.flags !== expected.f)
    return differ(cell.flags, expected.f, `${place} flags`)
  if (expected.fbit !== undefined && ((cell.flags & expected.fbit[0]) !== 0) !== expected.fbit[1])
    return differ(cell.flags, expected.fbit, `${place} flag`)
  if (expected.ul !== undefined && cell.underline !== expected.ul)
    return differ(cell.underline, expected.ul, `${place} underline`)
  return null
}

function checkGrid({ grid }: Frame, expected: ExpectedCell[][]): string | null {
  for (let row = 0; row < grid.rows; row++) {
    for (let col = 0; col < grid.cols; col++) {
      const cell = expected[row]?.[col] ?? 0
      const [text, width, fg, bg, flags, underline, link] = typeof cell === 'number' ? BLANK : cell
      if (width === 0) continue
      const found = cellOf(grid, row, col)
      const isBlank = blankless(text) === ''
      const wanted = [blankless(text), width, isBlank ? '' : fg, bg, flags, underline, link ?? '']
      const got = [
        blankless(found.text),
        found.width,
        isBlank ? '' : found.fg,
        found.bg,
        found.flags,
        found.underline,
        link === undefined ? '' : found.link,
      ]
      if (JSON.stringify(wanted) !== JSON.stringify(got)) return differ(got, wanted, `cell ${col},${row}`)
    }
  }
  return null
}

const BLANK: [string, number, string, string, number, number, string?] = ['', 1, 'd', 'd', 0, 0]

function cellOf(grid: Grid, row: number, col: number) {
  const style = grid.tables.styles.valueOf(grid.styleIds[row * grid.cols + col] ?? 0)
  const isWide = col + 1 < grid.cols && grid.codes[row * grid.cols + col + 1] === 0xffff_ffff
  return {
    text: grid.textOf(row, col, col + 1),
    width: isWide ? 2 : 1,
    fg: colorOf(style.fg),
    bg: colorOf(style.bg),
    flags: flagsOf(style),
    underline: UNDERLINES.indexOf(style.underline),
    link: style.link,
  }
}

function flagsOf(style: Style): number {
  const flags = [
    style.bold,
    style.dim,
    style.italic,
    style.blink,
    style.inverse,
    style.invisible,
    style.strikethrough,
    style.overline,
  ]
  return flags.reduce((bits, on, index) => bits | (on ? 1 << index : 0), 0)
}

function colorOf(color: number): string {
  if (color === DEFAULT_COLOR) return 'd'
  if ((color & RGB_COLOR) === 0) return `p${color}`
  return `#${(color & 0xffffff).toString(16).padStart(6, '0')}`
}

function blankless(text: string): string {
  return text === ' ' ? '' : text
}

function differ(got: unknown, wanted: unknown, what: string): string | null {
  const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)]
  return a === b ? null : `${what}: ${b} but ${a}`
}
