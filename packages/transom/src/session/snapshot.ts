import { createHash } from 'node:crypto'
import type { ScreenLine, Snapshot } from '@transom/protocol'
import type { CanonicalText } from '@transom/grid'
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
    lines: linesOf(frame, cells),
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

/** What only a terminal, or only a web page, has. */
function kindFields(screen: Projection): Pick<Snapshot, 'modes' | 'page'> {
  const { modes, page } = screen.views
  return {
    ...(modes === undefined ? {} : { modes: modes() }),
    ...(page === undefined ? {} : { page: page() }),
  }
}

/** The last plain snapshot of a frame: many look at the same screen, and between two looks it seldom changes. */
const TAKEN = new WeakMap<Frame, Readonly<Snapshot>>()

/** As takeSnapshot() without options. The same object for the same state: to be read, not changed. */
export function plainSnapshot(session: string, screen: Projection): Readonly<Snapshot> {
  const frame = screen.frame()
  const taken = TAKEN.get(frame)
  if (taken?.seq === screen.seq && taken.session === session) return taken // modes and page change with the seq alone
  const snapshot = takeSnapshot(session, screen)
  TAKEN.set(frame, snapshot)
  return snapshot
}

/** Leaves out lines from the middle, where they are missed least, until the text fits. */
function fitInto(charsMax: number, lines: ScreenLine[]): void {
  let chars = lines.reduce((sum, { text }) => sum + text.length + 1, 0)
  const middleFirst = lines
    .map((line, index) => ({ line, distance: Math.abs(index - lines.length * HEAD_SHARE) }))
    .toSorted((a, b) => a.distance - b.distance)
  for (const { line } of middleFirst) {
    if (chars <= charsMax) return
    if (line.text === '') continue
    chars -= line.text.length
    line.text = ''
    line.omitted = true
    delete line.cells
  }
}

function linesOf(frame: Pick<Frame, 'grid' | 'text'>, cells: boolean): Snapshot['lines'] {
  return Array.from({ length: frame.grid.rows }, (_, rowIndex) => screenLine(frame, rowIndex, cells))
}
