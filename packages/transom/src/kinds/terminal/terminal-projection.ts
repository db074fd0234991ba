import { EVENT_TYPE_NUMBERS, blockBeginEvent, resizeEvent, type TerminalModes } from '@transom/protocol'
import { canonicalText, type CanonicalText } from '@transom/grid'
import { factOf } from '../../log/facts.ts'
import type { LogRecord } from '../../log/record.ts'
import type { ProjectedViews, Projection } from '../../session/projection.ts'
import type { Emulator, Frame, TerminalEvent } from '../../terminal/emulator.ts'

/** What was shown a moment ago is within so many rows above the cursor. */
const FOUND_ROWS_MAX = 4
const SEQ_BYTES = 8

/** What a terminal shows. */
export class TerminalProjection implements Projection {
  readonly views: Required<Pick<ProjectedViews, 'modes' | 'scrollback'>>
  readonly #emulator: Emulator
  #seq = 0
  #canonical: { frame: Frame; text: CanonicalText } | null = null

  constructor(emulator: Emulator) {
    this.#emulator = emulator
    this.views = { modes: () => emulator.modes(), scrollback: () => emulator.scrollback() }
  }

  get seq(): number {
    return this.#seq
  }

  get syncActive(): boolean {
    return this.#emulator.syncActive
  }

  apply(record: LogRecord): void {
    const event = terminalEventOf(record)
    switch (event.type) {
      case 'output':
        this.#emulator.takeAnswers() // a replay answers no query: what it did not take is dropped
        this.#emulator.write(event.bytes, record.seq)
        break
      case 'resize':
        this.#emulator.resize(event.cols, event.rows)
        break
      case 'sync_release':
        this.#emulator.releaseSync()
        break
      case 'other':
        break
      default:
        event satisfies never
    }
    this.#seq = record.seq
  }

  /** How many of these bytes a record may have, so that applying it holds up no other session. */
  turnLength(bytes: Uint8Array): number {
    return this.#emulator.turnLength(bytes)
  }

  /** What the program is owed for the queries in the last record; empties the list. */
  takeAnswers(): string[] {
    return this.#emulator.takeAnswers()
  }

  frame(): Frame {
    return this.#emulator.frame()
  }

  modes(): TerminalModes {
    return this.#emulator.modes()
  }

  /** Where the cursor is now, for what needs no frame. */
  place(): { line: number; col: number; cols: number } {
    return { ...this.#emulator.place(), cols: this.#emulator.cols }
  }

  /** Where a text stands at the end of one of the rows above the cursor, the nearest first; null if it does not. */
  findAbove(text: string): { rows: number; col: number } | null {
    const { grid, cursor } = this.frame()
    for (let row = cursor.row - 1; row >= 0 && row >= cursor.row - FOUND_ROWS_MAX; row--) {
      const end = grid.usedCols(row)
      for (let col = end - text.length; col >= 0; col--)
        if (grid.textOf(row, col, end).trimEnd() === text) return { rows: cursor.row - row, col }
    }
    return null
  }

  canonical(): CanonicalText {
    const frame = this.frame()
    if (this.#canonical?.frame !== frame) this.#canonical = { frame, text: canonicalText(frame.grid) }
    return this.#canonical.text
  }

  /** The seq, then the emulator's own state. */
  checkpoint(): Uint8Array {
    this.#emulator.takeAnswers() // the live session has taken them, and a replay answers no query
    const head = Buffer.alloc(SEQ_BYTES)
    head.writeBigUInt64LE(BigInt(this.#seq))
    return Buffer.concat([head, this.#emulator.checkpoint()])
  }

  /** The projection at a checkpoint; null if another version of the emulator has made it. */
  static restore(
    checkpoint: Uint8Array,
    restoreEmulator: (state: Uint8Array) => Emulator | null,
  ): TerminalProjection | null {
    const emulator = restoreEmulator(checkpoint.subarray(SEQ_BYTES))
    if (emulator === null) return null
    const projection = new TerminalProjection(emulator)
    const { buffer, byteOffset, byteLength } = checkpoint
    projection.#seq = Number(Buffer.from(buffer, byteOffset, byteLength).readBigUInt64LE())
    return projection
  }
}

/** A record, as far as it changes what a terminal shows. */
export function terminalEventOf(record: LogRecord): TerminalEvent {
  switch (record.typeNumber) {
    case EVENT_TYPE_NUMBERS.output:
    case EVENT_TYPE_NUMBERS.block_begin: {
      const bytes = terminalBytes(record)
      return bytes === null ? { type: 'other' } : { type: 'output', bytes }
    }
    case EVENT_TYPE_NUMBERS.resize: {
      const { cols, rows } = factOf(record, resizeEvent)
      return { type: 'resize', cols, rows }
    }
    case EVENT_TYPE_NUMBERS.sync_release:
      return { type: 'sync_release' }
    default:
      return { type: 'other' }
  }
}

/** The bytes by which a record changes what a terminal shows: a program's, or those of a block's command; else null. */
export function terminalBytes(record: LogRecord): Uint8Array | null {
  if (record.typeNumber === EVENT_TYPE_NUMBERS.output) return record.payload
  if (record.typeNumber !== EVENT_TYPE_NUMBERS.block_begin) return null
  const { shown } = factOf(record, blockBeginEvent)
  return shown === undefined ? null : Buffer.from(shown)
}
