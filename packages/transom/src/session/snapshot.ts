import { createHash } from 'node:crypto'
import type { ScreenLine, Snapshot } from '@transom/protocol'
import type { CanonicalText } from '@transom/grid'
import { highlightsOf, markedLines } from './screen-marks.ts'
import { screenLine } from './styled-runs.ts'
import type { Projection } from './projection.ts'
import type { Frame } from '../terminal/emulator.ts'

const HEAD_SHARE = 0.4 // of what is kept when a text must be cut: the end, where the prompt is, matters more

const HASH_HEX_DIGITS = 32 // 128 bits: two screens never share one by chance, and it still fits on a line

/** The Screen Hash: changes exactly when the canonical visible text changes. */
export function screenHash(canonical: CanonicalText): string {
  return createHash('sha256').update(canonical.text).digest('hex').slice(0, HASH_HEX_DIGITS)
}

export interface SnapshotOptions {
  readonly cells?: boolean | undefined
  readonly scrollback?: boolean | undefined
  readonly max_chars?: number | undefined
  readonly full_width?: boolean | undefined
  readonly mark_cursor?: boolean | undefined
  readonly mark_highlights?: boolean | undefined
}

/** A Snapshot Result of what the screen shows now. */
export function takeSnapshot(session: string, screen: Projection, options: SnapshotOptions = {}): Snapshot {
  const frame = screen.frame()
  const cells = options.cells ?? false
  const result: Snapshot = {
    session,
    seq: screen.seq,
    cols: frame.grid.cols,
    rows: frame.grid.rows,
    cursor: frame.cursor,
    title: frame.title,
    bells: frame.bells,
    ...kindFields(screen),
    lines: screenLines(frame, options),
    screen_hash: screenHash(screen.canonical()),
  }
  const scrollback = options.scrollback ? screen.views.scrollback?.() : undefined
  if (scrollback !== undefined) {
    const { grid, truncated } = scrollback
    result.scrollback = linesOf({ grid, text: grid }, cells)
    result.scrollback_truncated = truncated
  }
  if (options.max_chars !== undefined)
    fitInto(options.max_chars, [...(result.scrollback ?? []), ...result.lines])
  return result
}

/** What only a terminal, or only a web page, has. Most of a page is on a background of its own. */
function kindFields(screen: Projection): Pick<Snapshot, 'modes' | 'page' | 'highlighted'> {
  const { modes, page } = screen.views
  const highlighted = modes === undefined ? undefined : highlightsOf(screen.frame().grid)
  return {
    ...(modes === undefined ? {} : { modes: modes() }),
    ...(highlighted === undefined ? {} : { highlighted }),
    ...(page === undefined ? {} : { page: page() }),
  }
}

/** The last plain snapshot of a frame: many look at the same screen, and between two looks it seldom changes. */
const TAKEN = new WeakMap<Frame, Readonly<Snapshot>>()
const TAKEN_FULL_WIDTH = new WeakMap<Frame, Readonly<Snapshot>>()

/** As takeSnapshot() without further options. The same object for the same state: to be read, not changed. */
export function plainSnapshot(session: string, screen: Projection, fullWidth: boolean): Readonly<Snapshot> {
  const frame = screen.frame()
  const kept = fullWidth ? TAKEN_FULL_WIDTH : TAKEN
  const taken = kept.get(frame)
  if (taken?.seq === screen.seq && taken.session === session) return taken // modes and page change with the seq alone
  const snapshot = takeSnapshot(session, screen, { full_width: fullWidth })
  kept.set(frame, snapshot)
  return snapshot
}

/** Leaves out lines in the middle, where they are missed least, until the text fits. */
function fitInto(charsMax: number, lines: ScreenLine[]): void {
  if (countFitting(lines, charsMax) === lines.length) return
  const head = countFitting(lines, charsMax * HEAD_SHARE)
  const headChars = lines.slice(0, head).reduce((sum, { text }) => sum + text.length + 1, 0)
  const tail = countFitting(lines.slice(head).toReversed(), charsMax - headChars)
  for (const line of lines.slice(head, lines.length - tail)) {
    line.text = ''
    line.omitted = true
    delete line.cells
  }
}

/** How many lines, with a line break each, are at most so long together. */
function countFitting(lines: readonly ScreenLine[], charsMax: number): number {
  let chars = 0
  const index = lines.findIndex(({ text }) => (chars += text.length + 1) > charsMax)
  return index < 0 ? lines.length : index
}

function screenLines(frame: Frame, options: SnapshotOptions): Snapshot['lines'] {
  const {
    cells = false,
    full_width,
    mark_cursor: cursor = false,
    mark_highlights: highlights = false,
  } = options
  const lines = linesOf(frame, cells, full_width)
  if (!cursor && !highlights) return lines
  const marked = markedLines(frame, { cursor, highlights }, full_width)
  return lines.map((line, rowIndex) => ({ ...line, text: marked[rowIndex] ?? line.text }))
}

function linesOf(frame: Pick<Frame, 'grid' | 'text'>, cells: boolean, fullWidth = false): Snapshot['lines'] {
  return Array.from({ length: frame.grid.rows }, (_, rowIndex) => {
    const line = screenLine(frame, rowIndex, cells)
    return fullWidth ? { ...line, text: frame.text.fullLineOf(rowIndex) } : line
  })
}
