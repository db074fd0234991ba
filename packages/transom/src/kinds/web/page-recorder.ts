import { encodeCells, isComparable, type CaretCell, type PageCells } from './cell-runs.ts'
import type { WebFrame } from './web-frame.ts'

/** After so many changes the next record has all cells again: what it takes to begin reading in the middle. */
const KEYFRAME_INTERVAL = 256

/** Makes the records of what a page shows: each holds what has changed since the last one that was kept. */
export class PageRecorder {
  #last: PageCells | null = null
  #sinceKeyframe = 0

  /** The record of a frame, and what to call when it has been kept; null if nothing has changed. */
  record(frame: WebFrame, caret: CaretCell | null): { bytes: Uint8Array; keep: () => void } | null {
    const now: PageCells = { grid: frame.grid, kinds: frame.kinds, caret: inside(caret, frame) }
    const base = this.#sinceKeyframe < KEYFRAME_INTERVAL ? this.#last : null
    if (base !== null && isSame(now, base)) return null
    const bytes = encodeCells(now, base)
    const isKeyframe = base === null || !isComparable(now.grid, base.grid)
    return {
      bytes,
      keep: () => {
        this.#last = now
        this.#sinceKeyframe = isKeyframe ? 0 : this.#sinceKeyframe + 1
      },
    }
  }
}

function isSame(now: PageCells, before: PageCells): boolean {
  const sameCaret = now.caret?.row === before.caret?.row && now.caret?.col === before.caret?.col
  return sameCaret && now.grid === before.grid
}

/** A caret that was asked for before a resize may lie outside. */
function inside(caret: CaretCell | null, { grid }: WebFrame): CaretCell | null {
  return caret !== null && caret.row < grid.rows && caret.col < grid.cols ? caret : null
}
