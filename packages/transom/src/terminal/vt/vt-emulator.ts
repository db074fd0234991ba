import type { CursorState, TerminalModes } from '@transom/protocol'
import { EMPTY_CELL, Grid, WIDE_SPACER, type GridTables } from '@transom/grid'
import type { Emulator, Frame, Scrollback } from '../emulator.ts'
import { turnLength } from '../output-work.ts'
import { loadCheckpoint, saveCheckpoint, type Checkpoint } from './checkpoint.ts'
import { Engine } from './engine.ts'
import type { ClusterTable } from './cluster-table.ts'
import type { PackedRow } from './history.ts'
import { compactTables, needsCompaction } from './compaction.ts'
import { endSynchronized } from './reset.ts'
import { resizeTerminal } from './resize.ts'
import { ROW_WRAPPED, type ScreenBuffer } from './screen-buffer.ts'
import { INVERSE } from './style-table.ts'
import { TerminalState, createPen } from './terminal-state.ts'
import { Utf8Decoder } from './utf8.ts'

/** Lines kept above the screen. The Event Log has them all; this is what a snapshot can show without a replay. */
const SCROLLBACK_LINES_MAX = 1000
/** Tables are looked after between pieces of this size, so that one large write cannot fill them. */
const PIECE_BYTES = 1 << 16

export interface VtOptions {
  readonly scrollbackLines?: number | undefined
  /** What to go on from. */
  readonly checkpoint?: Checkpoint
  /** False to have every byte go through the state machine. The result is the same. */
  readonly fastPaths?: boolean
}

/** The product's own terminal engine. */
export class VtEmulator implements Emulator {
  readonly #state: TerminalState
  readonly #engine: Engine
  #tables: GridTables
  /** The frame as last read, and which slot each of its rows was copied from. */
  #frame: Frame | null = null
  #frameScreen: ScreenBuffer | null = null
  #frameReversed = false
  #frameGeneration = 0
  #frameSlots = new Int32Array(0)
  #changed = true
  /** The record whose bytes were written last. */
  #seq = 0
  /** What to show while a synchronized update is open. */
  #held: Frame | null = null

  constructor(cols: number, rows: number, options: VtOptions = {}) {
    const { scrollbackLines = SCROLLBACK_LINES_MAX, fastPaths = true, checkpoint = null } = options
    this.#state = checkpoint?.state ?? new TerminalState(cols, rows, scrollbackLines)
    this.#engine = new Engine(this.#state, checkpoint?.decoder ?? new Utf8Decoder(), fastPaths)
    this.#held = checkpoint?.held ?? null
    this.#tables = { styles: this.#state.styles, clusters: this.#state.clusters }
    this.#state.onSynchronize = (active) => {
      this.#changed = true
      this.#held = active ? this.#readFrame() : null
      this.#changed = true
    }
  }

  /** The emulator at a checkpoint; null for one that another version of the engine has made. */
  static restore(bytes: Uint8Array): VtEmulator | null {
    const checkpoint = loadCheckpoint(bytes, new Utf8Decoder())
    if (checkpoint === null) return null
    return new VtEmulator(checkpoint.state.cols, checkpoint.state.rows, { checkpoint })
  }

  get cols(): number {
    return this.#state.cols
  }

  get rows(): number {
    return this.#state.rows
  }

  get syncActive(): boolean {
    return this.#held !== null
  }

  write(bytes: Uint8Array, seq = 0): void {
    this.#changed = true
    this.#noteWritten()
    this.#seq = seq
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
      this.#engine.feed(bytes.length <= PIECE_BYTES ? bytes : bytes.subarray(at, at + PIECE_BYTES))
      if (needsCompaction(this.#state)) this.#compact()
    }
  }

  turnLength(bytes: Uint8Array): number {
    const { cols, rows, modes } = this.#state
    return turnLength(bytes, { cols, rows, sideMargins: modes.leftRightMargins })
  }

  resize(cols: number, rows: number): void {
    this.releaseSync()
    this.#noteWritten()
    resizeTerminal(this.#state, cols, rows)
    this.#changed = true
  }

  releaseSync(): void {
    endSynchronized(this.#state)
  }

  takeAnswers(): string[] {
    return this.#state.answers.splice(0)
  }

  frame(): Frame {
    return this.#held ?? this.#readFrame()
  }

  place(): { line: number; col: number } {
    return { line: this.#state.firstLine + this.#state.y, col: this.#state.x }
  }

  modes(): TerminalModes {
    const { modes, keyboard, isAlt, modifyOtherKeys } = this.#state
    return {
      alt_screen: isAlt,
      application_cursor: modes.applicationCursor,
      application_keypad: modes.applicationKeypad,
      bracketed_paste: modes.bracketedPaste,
      focus_events: modes.focusEvents,
      mouse: mouseMode(this.#state),
      mouse_encoding: modes.mouseSgr ? 'sgr' : modes.mouseSgrPixels ? 'sgr_pixels' : 'default',
      kitty_keyboard: keyboard.flags(isAlt),
      modify_other_keys: modifyOtherKeys,
      autowrap: modes.autowrap,
      origin: modes.origin,
      insert: modes.insert,
      newline: modes.newline,
      backarrow_sends_backspace: modes.backarrowSendsBackspace,
    }
  }

  scrollback(): Scrollback {
    const { history, isAlt } = this.#state
    const count = isAlt ? 0 : history.count
    const grid = new Grid(this.cols, count, this.#tables)
    for (let row = 0; row < count; row++) {
      const { codes, styles, length, flags } = history.rowOf(row)
      const kept = Math.min(this.cols, length)
      grid.codes.set(codes.subarray(0, kept), row * this.cols)
      grid.styleIds.set(styles.subarray(0, kept), row * this.cols)
      grid.wrapped[row] = flags & ROW_WRAPPED ? 1 : 0
    }
    return { grid, truncated: history.dropped > 0 && !isAlt }
  }

  /** The whole state, so that what follows is shown as if there had been no break. */
  checkpoint(): Uint8Array {
    this.#noteWritten()
    return saveCheckpoint({ state: this.#state, decoder: this.#engine.decoder, held: this.#held })
  }

  /** Calls `listener` with the text of every row that leaves the scrollback, and whether it goes on from the one before. */
  onDrop(listener: (text: string, wrapped: boolean) => void): void {
    const state = this.#state
    state.history.onDrop = (row) => listener(packedText(row, state.clusters), (row.flags & ROW_WRAPPED) !== 0)
  }

  /** Empties the scrollback. */
  dropScrollback(): void {
    this.#state.history.clear()
  }

  #noteWritten(): void {
    for (const screen of [this.#state.main, this.#state.alt]) screen.noteWritten(this.#seq)
  }

  #readFrame(): Frame {
    if (!this.#changed && this.#frame !== null) return this.#frame
    const { screen, title, bells, firstLine, y, editedLines } = this.#state
    this.#noteWritten()
    this.#frame = {
      ...this.#readGrid(screen),
      cursor: this.#cursor(),
      title,
      bells,
      firstLine,
      editedLines: editedLines.upTo(firstLine + y),
      written: Float64Array.from(
        { length: screen.rows },
        (_, row) => screen.written[screen.slotOf(row)] ?? 0,
      ),
    }
    this.#changed = false
    return this.#frame
  }

  /** The last frame's cells, with the rows that have changed since. */
  #readGrid(screen: ScreenBuffer): { grid: Grid; text: Grid } {
    const { reverseScreen } = this.#state.modes
    const isSame = this.#frameScreen === screen && this.#frameReversed === reverseScreen
    const before = isSame && this.#frame !== null ? this.#frame.grid : null
    if (before === null) this.#frameSlots = new Int32Array(screen.rows).fill(-1)
    let grid = before
    for (let row = 0; row < screen.rows; row++) {
      const slot = screen.slotOf(row)
      if (this.#frameSlots[row] === slot && (screen.stamps[slot] ?? 0) <= this.#frameGeneration) continue
      if (grid === before) grid = before?.clone() ?? new Grid(screen.cols, screen.rows, this.#tables)
      if (grid !== null) copyRow(screen, slot, grid, row)
      if (reverseScreen && grid !== null) this.#reverseRow(grid, row)
      this.#frameSlots[row] = slot
    }
    grid ??= new Grid(screen.cols, screen.rows, this.#tables)
    this.#frameGeneration = screen.generation++
    this.#frameScreen = screen
    this.#frameReversed = reverseScreen
    return { grid, text: grid }
  }

  /** DECSCNM: every cell the other way round. */
  #reverseRow(grid: Grid, row: number): void {
    const { styles } = this.#state
    const pen = createPen()
    for (let at = row * grid.cols; at < (row + 1) * grid.cols; at++) {
      styles.read(grid.styleIds[at] ?? 0, pen)
      pen.flags ^= INVERSE
      grid.styleIds[at] = styles.idOf(pen)
    }
  }

  #cursor(): CursorState {
    const { x, y, modes, cursorStyle } = this.#state
    return {
      row: y,
      col: x,
      visible: modes.cursorVisible,
      shape: cursorStyle <= 2 ? 'block' : cursorStyle <= 4 ? 'underline' : 'bar',
      blink: modes.cursorBlink,
    }
  }

  #compact(): void {
    this.#noteWritten()
    const heldGrid = compactTables(this.#state, this.#held?.grid ?? null)
    for (const screen of [this.#state.main, this.#state.alt]) screen.skipWritten()
    this.#tables = { styles: this.#state.styles, clusters: this.#state.clusters }
    if (this.#held !== null && heldGrid !== null)
      this.#held = { ...this.#held, grid: heldGrid, text: heldGrid }
    this.#frameScreen = null
    this.#changed = true
  }
}

/** Up to the last cell that was written to. */
function packedText({ codes, start, length }: PackedRow, clusters: ClusterTable): string {
  let end = start + length
  while (end > start && codes[end - 1] === EMPTY_CELL) end--
  let text = ''
  for (let at = start; at < end; at++) {
    const code = codes[at] ?? EMPTY_CELL
    if (code !== WIDE_SPACER) text += code === EMPTY_CELL ? ' ' : clusters.textOf(code)
  }
  return text
}

function copyRow(screen: ScreenBuffer, slot: number, grid: Grid, row: number): void {
  const length = screen.lengths[slot] ?? 0
  const from = slot * screen.cols
  const to = row * grid.cols
  grid.codes.set(screen.codes.subarray(from, from + length), to)
  grid.styleIds.set(screen.styles.subarray(from, from + length), to)
  grid.codes.fill(EMPTY_CELL, to + length, to + grid.cols)
  grid.styleIds.fill(0, to + length, to + grid.cols)
  grid.wrapped[row] = (screen.flags[slot] ?? 0) & ROW_WRAPPED ? 1 : 0
}

function mouseMode({ modes }: TerminalState): TerminalModes['mouse'] {
  if (modes.mouseAny) return 'any'
  if (modes.mouseButton) return 'button'
  if (modes.mouseNormal) return 'normal'
  return modes.mouseX10 ? 'x10' : 'none'
}
