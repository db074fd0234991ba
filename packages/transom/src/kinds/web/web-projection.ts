import {
  EVENT_TYPE_NUMBERS,
  webDialogEvent,
  webNavigationEvent,
  webTitleEvent,
  type CursorState,
  type PageView,
} from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import {
  CELL_GRAPHIC,
  CLUSTER_BASE,
  DEFAULT_STYLE,
  EMPTY_CELL,
  Grid,
  RGB_COLOR,
  canonicalText,
  createGridTables,
  type CanonicalText,
  type InternedGridTables,
} from '@transom/grid'
import type { Frame } from '../../terminal/emulator.ts'
import { factOf } from '../../log/facts.ts'
import type { LogRecord } from '../../log/record.ts'
import type { ProjectedViews, Projection } from '../../session/projection.ts'
import { decodeCells, kindOf, type CaretCell, type DecodedRuns } from './cell-runs.ts'
import { decodeWebCheckpoint, encodeWebCheckpoint } from './web-checkpoint.ts'

/** Past this many colour pairs or clusters the tables are begun anew with the next keyframe. */
const TABLE_ENTRIES_MAX = 1 << 15

const EMPTY_PAGE: PageView = {
  url: 'about:blank',
  title: '',
  loading: false,
  can_go_back: false,
  can_go_forward: false,
  dialog: null,
}

/** What a web page shows. */
export class WebProjection implements Projection {
  readonly views: Required<Pick<ProjectedViews, 'page'>> = { page: () => this.#page }
  #tables: InternedGridTables = createGridTables()
  #grid: Grid
  #kinds: Uint8Array
  #written: Float64Array
  #caret: CaretCell | null = null
  #page: PageView = EMPTY_PAGE
  #seq = 0
  #frame: Frame | null = null
  #canonical: CanonicalText | null = null

  constructor(cols: number, rows: number) {
    this.#grid = new Grid(cols, rows, this.#tables, 'painted')
    this.#kinds = new Uint8Array(cols * rows)
    this.#written = new Float64Array(rows)
  }

  /** The screen of a checkpoint; null if it was made by another version. */
  static restore(checkpoint: Uint8Array): WebProjection | null {
    const state = decodeWebCheckpoint(checkpoint)
    if (state === null) return null
    const screen = new WebProjection(state.grid.cols, state.grid.rows)
    screen.#tables = state.tables
    screen.#grid = state.grid
    screen.#kinds = state.kinds
    screen.#caret = state.caret
    screen.#page = state.page
    screen.#seq = state.seq
    return screen
  }

  get seq(): number {
    return this.#seq
  }

  apply(record: LogRecord): void {
    switch (record.typeNumber) {
      case EVENT_TYPE_NUMBERS.web_frame: // also after a resize: the cells of the new size come with it
        this.#applyCells(record.seq, record.payload)
        break
      case EVENT_TYPE_NUMBERS.web_navigation:
        this.#applyPage(factOf(record, webNavigationEvent))
        break
      case EVENT_TYPE_NUMBERS.web_title:
        this.#applyPage(factOf(record, webTitleEvent))
        break
      case EVENT_TYPE_NUMBERS.web_dialog:
        this.#applyPage(factOf(record, webDialogEvent))
        break
      default:
    }
    this.#seq = record.seq
  }

  frame(): Frame {
    this.#frame ??= {
      grid: this.#grid,
      text: textOnly(this.#grid, this.#kinds),
      cursor: cursorAt(this.#caret),
      title: this.#page.title,
      bells: 0,
      firstLine: 0,
      editedLines: [],
      written: this.#written,
    }
    return this.#frame
  }

  canonical(): CanonicalText {
    this.#canonical ??= canonicalText(this.frame().text)
    return this.#canonical
  }

  page(): PageView {
    return this.#page
  }

  checkpoint(): Uint8Array {
    const [grid, kinds, caret, page, seq] = [this.#grid, this.#kinds, this.#caret, this.#page, this.#seq]
    return encodeWebCheckpoint({ grid, kinds, caret, page, seq })
  }

  #applyPage(change: Partial<PageView>): void {
    this.#page = { ...this.#page, ...change }
    this.#frame = null
  }

  #applyCells(seq: number, bytes: Uint8Array): void {
    let decoded: DecodedRuns
    try {
      decoded = decodeCells(bytes)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw new OpError('log_corrupt', `the cells of record ${seq} cannot be read: ${error.message}`, { seq })
    }
    const { isKeyframe, cols, rows } = decoded
    if (!isKeyframe && (cols !== this.#grid.cols || rows !== this.#grid.rows))
      throw new OpError('log_corrupt', `the cells of record ${seq} are of another size`, { seq })
    const isFull =
      this.#tables.styles.size > TABLE_ENTRIES_MAX || this.#tables.clusters.size > TABLE_ENTRIES_MAX
    if (isKeyframe && isFull) this.#tables = createGridTables()
    // A frame that was handed out is never changed.
    const before = this.#grid
    this.#grid = isKeyframe ? new Grid(cols, rows, this.#tables, 'painted') : this.#grid.clone()
    this.#kinds = isKeyframe ? new Uint8Array(cols * rows) : this.#kinds.slice()
    for (const run of decoded.runs) this.#paint(run)
    this.#written = rowsWritten(decoded, { before, now: this.#grid, written: this.#written, seq })
    joinBlanks(this.#grid, this.#kinds)
    this.#caret = decoded.caret
    this.#frame = null
    this.#canonical = null
  }

  #paint({ start, graphic, fg, bg, cells }: DecodedRuns['runs'][number]): void {
    const style = { ...DEFAULT_STYLE, fg: fg | RGB_COLOR, bg: bg | RGB_COLOR }
    const styleId = this.#tables.styles.idOf(style)
    cells.forEach((cell, at) => {
      const index = start + at
      this.#grid.codes[index] =
        typeof cell === 'number' ? cell : CLUSTER_BASE + this.#tables.clusters.idOf(cell)
      this.#grid.styleIds[index] = styleId
      this.#kinds[index] = kindOf(cell, graphic)
    })
  }
}

interface RowsBefore {
  readonly before: Grid
  readonly now: Grid
  readonly written: Float64Array
  readonly seq: number
}

/** When each row was painted last. A keyframe has every cell: only its rows with another text have changed. */
function rowsWritten(
  { isKeyframe, cols, runs }: DecodedRuns,
  { before, now, written, seq }: RowsBefore,
): Float64Array {
  if (now.cols !== before.cols || now.rows !== before.rows) return new Float64Array(now.rows).fill(seq)
  if (isKeyframe)
    return written.map((earlier, row) => (now.readingOf(row) === before.readingOf(row) ? earlier : seq))
  const changed = written.slice()
  for (const { start, cells } of runs)
    changed.fill(seq, Math.floor(start / cols), Math.ceil((start + cells.length) / cols))
  return changed
}

/** Gives blanks the style of the text before them, where that looks the same: words stay in one run of cells. */
function joinBlanks({ cols, codes, styleIds, tables }: Grid, kinds: Uint8Array): void {
  const bgOf = (index: number) => tables.styles.valueOf(styleIds[index] ?? 0).bg
  for (let index = 1; index < codes.length; index++) {
    const isBlank = codes[index] === EMPTY_CELL && index % cols > 0 && kinds[index - 1] !== CELL_GRAPHIC
    if (isBlank && styleIds[index] !== styleIds[index - 1] && bgOf(index) === bgOf(index - 1))
      styleIds[index] = styleIds[index - 1] ?? 0
  }
}

function textOnly(grid: Grid, kinds: Uint8Array): Grid {
  if (!kinds.includes(CELL_GRAPHIC)) return grid
  const text = grid.clone()
  kinds.forEach((kind, index) => {
    if (kind === CELL_GRAPHIC) text.codes[index] = EMPTY_CELL
  })
  return text
}

function cursorAt(caret: CaretCell | null): CursorState {
  const { row, col } = caret ?? { row: 0, col: 0 }
  return { row, col, visible: caret !== null, shape: 'bar', blink: false }
}
