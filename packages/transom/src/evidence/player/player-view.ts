import { paintCursor, paintRows } from '@transom/tui'
import { changedRows } from '@transom/grid'
import type { Frame } from '../../terminal/emulator.ts'
import { KEY_HELP } from './player-keys.ts'
import type { Playback } from './playback.ts'
import type { Tape, TapeHead } from './tape.ts'

/** To another screen, with no line breaks of its own; and back, as the terminal was. */
export const ENTER_PLAYER = '\u001b[?1049h\u001b[?7l\u001b[m\u001b[2J'
export const LEAVE_PLAYER = '\u001b[m\u001b[?7h\u001b[0 q\u001b[?25h\u001b[?1049l'

export interface ViewerSize {
  readonly cols: number
  readonly rows: number
}

/** Draws a tape onto the viewer's terminal. Everything is drawn from the Grid: no byte of a program goes through. */
export class PlayerView {
  readonly #tape: Tape
  readonly #head: TapeHead
  readonly #playback: Playback
  #drawn: { frame: Frame; size: ViewerSize } | null = null

  constructor(tape: Tape, head: TapeHead, playback: Playback) {
    this.#tape = tape
    this.#head = head
    this.#playback = playback
  }

  /** The sequences that bring the viewer's terminal up to date. */
  draw(size: ViewerSize): string {
    const frame = this.#head.screen.frame()
    const area = { cols: size.cols, rows: Math.max(0, size.rows - 1) }
    const before = this.#drawn
    this.#drawn = { frame, size }
    const isSame =
      before !== null &&
      before.size.cols === size.cols &&
      before.size.rows === size.rows &&
      before.frame.grid.cols === frame.grid.cols &&
      before.frame.grid.rows === frame.grid.rows
    const rows = isSame ? changedRows(before.frame.grid, frame.grid) : allRows(frame.grid.rows)
    const clear = isSame ? '' : '\u001b[m\u001b[2J'
    return `\u001b[?25l${clear}${paintRows(frame.grid, rows, area)}${this.#status(frame, size)}${paintCursor(frame.cursor, area)}`
  }

  #status({ grid }: Frame, { cols, rows }: ViewerSize): string {
    const { playing, speed, positionMs, place } = this.#playback
    const seq = this.#tape.seqOf(place)
    const chapter = this.#tape.chapters.findLast((it) => it.seq <= seq)
    const parts = [
      `${playing ? '▶' : '⏸'} ${clock(positionMs)}/${clock(this.#tape.durationMs)}`,
      `seq ${seq}`,
      `${speed}×`,
      `${grid.cols}x${grid.rows}`,
      ...(chapter === undefined ? [] : [`‹${chapter.label}›`]),
      KEY_HELP,
    ]
    const text = printable(parts.join('  ')).slice(0, cols).padEnd(cols)
    return `\u001b[${rows};1H\u001b[0;7m${text}\u001b[m`
  }
}

function allRows(count: number): number[] {
  return Array.from({ length: count }, (_, row) => row)
}

function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** A label is somebody's text. */
function printable(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '\ufffd')
}
