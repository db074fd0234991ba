/**
 * The payload of a `web_frame` record: the cells of a page that have changed since the record before, or with a
 * keyframe all of them (ADR 027). Numbers are LEB128 varints:
 *
 *   version (1), flags (1: keyframe, 2: a caret is shown), cols, rows, caret row, caret column, then runs to the end:
 *   cells skipped since the run before, length, flags (1: graphics, 2: one code for every cell), foreground and
 *   background (3 bytes each), codes
 *
 * A code is 0 for an empty cell, 1 for the right half of a wide character, 2 for a cluster (its count of code points
 * and these follow), else the code point.
 */
import { COLS_MAX, ROWS_MAX } from '@transom/protocol'
import {
  CELL_BLANK,
  CELL_GRAPHIC,
  CELL_TEXT,
  CLUSTER_BASE,
  EMPTY_CELL,
  WIDE_SPACER,
  type Grid,
} from '@transom/grid'
import { ByteReader, ByteWriter } from '../../lib/varint.ts'

const VERSION = 1
const KEYFRAME = 1
const CARET_SHOWN = 2
const RUN_GRAPHIC = 1
const RUN_REPEATED = 2
const CODE_EMPTY = 0
const CODE_SPACER = 1
const CODE_CLUSTER = 2

export interface CaretCell {
  readonly row: number
  readonly col: number
}

/** What a page shows: every cell in RGB colours, and where the text caret is. */
export interface PageCells {
  readonly grid: Grid
  readonly kinds: Uint8Array
  readonly caret: CaretCell | null
}

export interface CellRun {
  /** Counted over the whole screen, row by row. */
  readonly start: number
  readonly graphic: boolean
  /** 0xRRGGBB */
  readonly fg: number
  readonly bg: number
  readonly cells: readonly RunCell[]
}

/** A code point, a cluster, or what EMPTY_CELL and WIDE_SPACER stand for. */
export type RunCell = number | string

export interface DecodedRuns {
  readonly isKeyframe: boolean
  readonly cols: number
  readonly rows: number
  readonly caret: CaretCell | null
  readonly runs: readonly CellRun[]
}

/** The differences of `now` from `before`; everything if there is no `before`, or it cannot be compared. */
export function encodeCells(now: PageCells, before: PageCells | null): Uint8Array<ArrayBuffer> {
  const base = before !== null && isComparable(now.grid, before.grid) ? before : null
  const { grid, caret } = now
  const writer = new ByteWriter()
  writer.byte(VERSION)
  writer.byte((base === null ? KEYFRAME : 0) | (caret === null ? 0 : CARET_SHOWN))
  for (const value of [grid.cols, grid.rows, caret?.row ?? 0, caret?.col ?? 0]) writer.varint(value)
  const isChanged = (index: number) => base === null || !isSameCell(now, base, index)
  let end = 0
  for (let start = 0; start < grid.codes.length;) {
    if (!isChanged(start)) {
      start++
      continue
    }
    let next = start + 1
    while (next < grid.codes.length && isSameLook(now, start, next) && isChanged(next)) next++
    writer.varint(start - end)
    writeRun(writer, now, start, next)
    end = start = next
  }
  return writer.bytes()
}

/** Whether a frame can be described by its changes from another one. */
export function isComparable(now: Grid, before: Grid): boolean {
  return now.tables === before.tables && now.cols === before.cols && now.rows === before.rows
}

/** Throws a RangeError for bytes that encodeCells() has not made. */
export function decodeCells(bytes: Uint8Array): DecodedRuns {
  const reader = new ByteReader(bytes)
  const version = reader.byte()
  if (version !== VERSION) throw new RangeError(`cells of version ${version} are not known`)
  const flags = reader.byte()
  const [cols, rows, row, col] = [reader.varint(), reader.varint(), reader.varint(), reader.varint()]
  if (cols > COLS_MAX || rows > ROWS_MAX) throw new RangeError(`a screen of ${cols} × ${rows} is too large`)
  const runs: CellRun[] = []
  let end = 0
  while (!reader.atEnd) {
    const start = end + reader.varint()
    const run = readRun(reader, start, cols * rows - start)
    runs.push(run)
    end = start + run.cells.length
  }
  const caret = (flags & CARET_SHOWN) === 0 ? null : { row, col }
  return { isKeyframe: (flags & KEYFRAME) !== 0, cols, rows, caret, runs }
}

/** What the cells of a run are. */
export function kindOf(cell: RunCell, graphic: boolean): number {
  if (graphic) return CELL_GRAPHIC
  return cell === EMPTY_CELL ? CELL_BLANK : CELL_TEXT
}

function isSameCell(now: PageCells, before: PageCells, index: number): boolean {
  return (
    now.grid.codes[index] === before.grid.codes[index] &&
    now.grid.styleIds[index] === before.grid.styleIds[index] &&
    isGraphic(now, index) === isGraphic(before, index)
  )
}

/** Whether a cell can go on a run. Of an empty one only the background is seen: words stay together with their blanks. */
function isSameLook(cells: PageCells, start: number, next: number): boolean {
  const { codes, styleIds, tables } = cells.grid
  if (isGraphic(cells, start) !== isGraphic(cells, next)) return false
  if (styleIds[start] === styleIds[next]) return true
  const bgOf = (index: number) => tables.styles.valueOf(styleIds[index] ?? 0).bg
  return codes[next] === EMPTY_CELL && bgOf(start) === bgOf(next)
}

function isGraphic({ kinds }: PageCells, index: number): boolean {
  return kinds[index] === CELL_GRAPHIC
}

function writeRun(writer: ByteWriter, cells: PageCells, start: number, end: number): void {
  const { grid } = cells
  const [first] = grid.codes.subarray(start, end)
  const isRepeated = grid.codes.subarray(start, end).every((code) => code === first)
  const { fg, bg } = grid.tables.styles.valueOf(grid.styleIds[start] ?? 0)
  writer.varint(end - start)
  writer.byte((isGraphic(cells, start) ? RUN_GRAPHIC : 0) | (isRepeated ? RUN_REPEATED : 0))
  for (const color of [fg, bg]) for (const shift of [16, 8, 0]) writer.byte((color >> shift) & 255)
  for (let index = start; index < (isRepeated ? start + 1 : end); index++) writeCode(writer, grid, index)
}

function writeCode(writer: ByteWriter, grid: Grid, index: number): void {
  const code = grid.codes[index] ?? EMPTY_CELL
  if (code === EMPTY_CELL) writer.varint(CODE_EMPTY)
  else if (code === WIDE_SPACER) writer.varint(CODE_SPACER)
  else if (code < CLUSTER_BASE) writer.varint(code)
  else {
    const points = Array.from(grid.tables.clusters.valueOf(code - CLUSTER_BASE), (character) =>
      Number(character.codePointAt(0)),
    )
    writer.varint(CODE_CLUSTER)
    writer.varint(points.length)
    for (const point of points) writer.varint(point)
  }
}

function readRun(reader: ByteReader, start: number, room: number): CellRun {
  const length = reader.varint()
  if (length === 0 || length > room) throw new RangeError('a run of cells is longer than its screen')
  const flags = reader.byte()
  const color = () => (reader.byte() << 16) | (reader.byte() << 8) | reader.byte()
  const [fg, bg] = [color(), color()]
  const first = readCode(reader)
  const isRepeated = (flags & RUN_REPEATED) !== 0
  const cells = Array.from({ length }, (_, at) => (at === 0 || isRepeated ? first : readCode(reader)))
  return { start, graphic: (flags & RUN_GRAPHIC) !== 0, fg, bg, cells }
}

function readCode(reader: ByteReader): RunCell {
  const code = reader.varint()
  if (code === CODE_EMPTY) return EMPTY_CELL
  if (code === CODE_SPACER) return WIDE_SPACER
  if (code > CODE_POINT_MAX) throw new RangeError(`${code} is no code point`)
  if (code !== CODE_CLUSTER) return code
  const points = Array.from({ length: Math.min(reader.varint(), CLUSTER_POINTS_MAX) }, () => reader.varint())
  return String.fromCodePoint(...points)
}

const CODE_POINT_MAX = 0x10_ffff
const CLUSTER_POINTS_MAX = 64 // more than any cluster has; a damaged count must not fill the memory
