import type { Grid } from '@transom/grid'
import { Canvas, type Cursor } from '@transom/tui'
import { KEY_HELP } from './player-keys.ts'
import type { Playback } from './playback.ts'
import type { Tape, TapeHead } from './tape.ts'

/** Composes what the viewer sees: the screen of the session, and a status line below it. */
export class PlayerView {
  readonly #tape: Tape
  readonly #head: TapeHead
  readonly #playback: Playback
  readonly #canvas = new Canvas(1, 1)

  constructor(tape: Tape, head: TapeHead, playback: Playback) {
    this.#tape = tape
    this.#head = head
    this.#playback = playback
  }

  compose(cols: number, rows: number): { grid: Grid; cursor: Cursor | null } {
    const { grid, cursor } = this.#head.screen.frame()
    const canvas = this.#canvas
    canvas.begin(cols, rows)
    canvas.copy(grid, { ...canvas.area, rows: rows - 1 })
    canvas.statusLine({ row: rows - 1, col: 0, rows: 1, cols }, this.#status(grid))
    return { grid: canvas.grid, cursor: cursor.row < rows - 1 ? cursor : null }
  }

  #status(grid: Grid): string {
    const { playing, speed, positionMs, place } = this.#playback
    const seq = this.#tape.seqOf(place)
    const chapter = this.#tape.chapters.findLast((it) => it.seq <= seq)
    return [
      `${playing ? '▶' : '⏸'} ${clock(positionMs)}/${clock(this.#tape.durationMs)}`,
      `seq ${seq}`,
      `${speed}×`,
      `${grid.cols}x${grid.rows}`,
      ...(chapter === undefined ? [] : [`‹${chapter.label}›`]),
      KEY_HELP,
    ].join('  ')
  }
}

function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
