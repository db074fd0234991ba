import { Unicode11Addon } from '@xterm/addon-unicode11'
import { Terminal } from '@xterm/headless'
import type { CursorState, TerminalModes } from '@transom/protocol'
import { Grid, createGridTables, type InternedGridTables } from '../grid/grid.ts'
import { EditedLines } from './edited-lines.ts'
import type { Emulator, Frame, Scrollback } from './emulator.ts'
import { KittyKeyboard } from './kitty-keyboard.ts'
import { Utf8Carry } from './utf8-carry.ts'
import { CellReader, type XtermLine } from './xterm-cells.ts'
import { answerQueries } from './xterm-queries.ts'

/** Lines kept above the screen. The Event Log has them all; this is what a snapshot can show without a replay. */
export const SCROLLBACK_LINES_MAX = 1000
/** Past this many distinct styles or clusters (a true-colour gradient animation) the tables are started afresh. */
const INTERNED_MAX = 50_000
const TITLE_CHARS_MAX = 4096

/** The parts of @xterm/headless that its public API does not reach. The exact version is pinned. */
export interface XtermInternals {
  readonly _inputHandler: {
    /** Parses at once; the public write() waits for a timer. Returns a promise only for asynchronous handlers. */
    parse(bytes: Uint8Array): unknown
    onRequestRefreshRows(listener: (rows: { start: number; end: number } | undefined) => void): unknown
  }
  readonly buffer: {
    readonly x: number
    readonly y: number
    readonly ybase: number
    readonly lines: {
      get(index: number): XtermLine | undefined
      onTrim(listener: (count: number) => void): unknown
    }
  }
  readonly coreService: {
    readonly isCursorHidden: boolean
    readonly decPrivateModes: {
      cursorStyle?: 'block' | 'underline' | 'bar' | undefined
      cursorBlink?: boolean | undefined
      synchronizedOutput: boolean
    }
  }
  readonly coreMouseService: { readonly activeEncoding: string }
  readonly optionsService: { readonly rawOptions: { readonly convertEol: boolean } }
  readonly _oscLinkService: { getLinkData(id: number): { uri: string } | undefined }
}

/** The emulator on @xterm/headless with Unicode 11 widths. */
export class XtermEmulator implements Emulator {
  readonly #terminal: Terminal
  readonly #internals: XtermInternals
  readonly #carry = new Utf8Carry()
  readonly #keyboard = new KittyKeyboard()
  readonly #editedLines = new EditedLines()
  readonly #answers: string[] = []
  #modifyOtherKeys = 0
  #backarrowSendsBackspace = false
  #title = ''
  #bells = 0
  #trimmedLines = 0
  readonly #countedLines = new WeakSet<object>()
  #tables: InternedGridTables = createGridTables()
  #cells: CellReader
  /** The frame as last read, and the rows [dirtyFrom, dirtyTo] that have changed since. */
  #frame: Frame | null = null
  #changed = true
  #dirtyFrom = 0
  #dirtyTo = Number.MAX_SAFE_INTEGER
  /** What to show while a synchronized update is open. */
  #held: Frame | null = null

  constructor(cols: number, rows: number) {
    this.#terminal = new Terminal({
      cols,
      rows,
      scrollback: SCROLLBACK_LINES_MAX,
      allowProposedApi: true,
      logLevel: 'off', // a program's broken sequence is no news, and this code has no I/O
      // Lets size reports through to our own answers.
      windowOptions: {
        getWinSizePixels: true,
        getCellSizePixels: true,
        getWinSizeChars: true,
        getScreenSizeChars: true,
      },
    })
    this.#terminal.loadAddon(new Unicode11Addon())
    this.#terminal.unicode.activeVersion = '11'
    // An edge: the library's own types hide its core.
    this.#internals = (this.#terminal as unknown as { _core: XtermInternals })._core
    this.#cells = this.#createCellReader()
    this.#listen()
  }

  get cols(): number {
    return this.#terminal.cols
  }

  get rows(): number {
    return this.#terminal.rows
  }

  get syncActive(): boolean {
    return this.#held !== null
  }

  write(bytes: Uint8Array): void {
    this.#changed = true
    this.#internals._inputHandler.parse(this.#carry.take(bytes))
  }

  resize(cols: number, rows: number): void {
    this.releaseSync()
    this.#terminal.resize(cols, rows)
    this.#frame = null
    this.#changed = true
  }

  releaseSync(): void {
    this.#held = null
    this.#internals.coreService.decPrivateModes.synchronizedOutput = false
  }

  takeAnswers(): string[] {
    return this.#answers.splice(0)
  }

  frame(): Frame {
    return this.#held ?? this.#readFrame()
  }

  place(): { line: number; col: number } {
    return { line: this.#firstLine + this.#internals.buffer.y, col: this.#cursorCol() }
  }

  #cursor(): CursorState {
    const { cursorStyle, cursorBlink } = this.#internals.coreService.decPrivateModes
    return {
      row: this.#internals.buffer.y,
      col: this.#cursorCol(),
      visible: !this.#internals.coreService.isCursorHidden,
      shape: cursorStyle ?? 'block',
      blink: cursorBlink ?? false,
    }
  }

  modes(): TerminalModes {
    const { modes } = this.#terminal
    return {
      alt_screen: this.#altScreen,
      application_cursor: modes.applicationCursorKeysMode,
      application_keypad: modes.applicationKeypadMode,
      bracketed_paste: modes.bracketedPasteMode,
      focus_events: modes.sendFocusMode,
      mouse: MOUSE_MODES[modes.mouseTrackingMode],
      mouse_encoding: mouseEncoding(this.#internals.coreMouseService.activeEncoding),
      kitty_keyboard: this.#keyboard.flags(this.#altScreen),
      modify_other_keys: this.#modifyOtherKeys,
      autowrap: modes.wraparoundMode,
      origin: modes.originMode,
      insert: modes.insertMode,
      newline: this.#internals.optionsService.rawOptions.convertEol,
      backarrow_sends_backspace: this.#backarrowSendsBackspace,
    }
  }

  scrollback(): Scrollback {
    const count = this.#internals.buffer.ybase
    const grid = new Grid(this.cols, count, this.#tables)
    for (let rowIndex = 0; rowIndex < count; rowIndex++) this.#copyRow(rowIndex, grid, rowIndex)
    return { grid, truncated: this.#trimmedLines > 0 && !this.#altScreen }
  }

  get #altScreen(): boolean {
    return this.#terminal.buffer.active.type === 'alternate'
  }

  get #firstLine(): number {
    return this.#trimmedLines + this.#internals.buffer.ybase
  }

  #listen(): void {
    const terminal = this.#terminal
    terminal.onTitleChange((title) => (this.#title = title.slice(0, TITLE_CHARS_MAX)))
    terminal.onBell(() => this.#bells++)
    terminal.onData((answer) => this.#answers.push(answer))
    terminal.buffer.onBufferChange(() => {
      this.#markDirty(0, Number.MAX_SAFE_INTEGER)
      this.#countTrimmed()
    })
    this.#countTrimmed()
    this.#internals._inputHandler.onRequestRefreshRows((rows) =>
      this.#markDirty(rows?.start ?? 0, rows?.end ?? Number.MAX_SAFE_INTEGER),
    )
    answerQueries(terminal, {
      answer: (text) => this.#answers.push(text),
      cursor: () => ({ row: this.#internals.buffer.y, col: this.#cursorCol() }),
      altScreen: () => this.#altScreen,
      keyboard: this.#keyboard,
      modifyOtherKeys: () => this.#modifyOtherKeys,
      setModifyOtherKeys: (level) => (this.#modifyOtherKeys = level),
      reset: () => this.#resetOwnModes(),
      privateMode: (mode, on) => this.#setPrivateMode(mode, on),
    })
  }

  /** Counts what scrolls off the lines of the present buffer: a reset (RIS) makes new ones. */
  #countTrimmed(): void {
    const { lines } = this.#internals.buffer
    if (this.#countedLines.has(lines)) return
    this.#countedLines.add(lines)
    lines.onTrim((count) => (this.#trimmedLines += count))
  }

  #setPrivateMode(mode: number, on: boolean): void {
    if (mode === 67) this.#backarrowSendsBackspace = on
    if (mode === 2004) {
      const { x, y } = this.#internals.buffer
      this.#editedLines.set(on, this.#firstLine + y, x === 0)
    }
    if (mode === 2026 && on && this.#held === null) {
      // In the middle of a write: xterm announces changed rows only at its end, so all are read.
      this.#markDirty(0, Number.MAX_SAFE_INTEGER)
      this.#held = this.#readFrame()
    }
    if (mode === 2026 && !on) this.#held = null
    this.#changed = true
  }

  #resetOwnModes(): void {
    this.#keyboard.reset()
    this.#modifyOtherKeys = 0
    this.#backarrowSendsBackspace = false
    this.#held = null
  }

  #markDirty(from: number, to: number): void {
    this.#dirtyFrom = Math.min(this.#dirtyFrom, from)
    this.#dirtyTo = Math.max(this.#dirtyTo, to)
  }

  #readFrame(): Frame {
    if (!this.#changed && this.#frame !== null) return this.#frame
    if (this.#tables.styles.size > INTERNED_MAX || this.#tables.clusters.size > INTERNED_MAX)
      this.#renewTables()
    const grid = this.#frame?.grid.clone() ?? new Grid(this.cols, this.rows, this.#tables)
    const from = this.#frame === null ? 0 : this.#dirtyFrom
    const to = this.#frame === null ? this.rows - 1 : Math.min(this.#dirtyTo, this.rows - 1)
    const base = this.#internals.buffer.ybase
    for (let rowIndex = from; rowIndex <= to; rowIndex++) this.#copyRow(base + rowIndex, grid, rowIndex)
    this.#dirtyFrom = Number.MAX_SAFE_INTEGER
    this.#dirtyTo = -1
    this.#changed = false
    this.#frame = {
      grid,
      text: grid,
      cursor: this.#cursor(),
      title: this.#title,
      bells: this.#bells,
      firstLine: this.#firstLine,
      editedLines: this.#editedLines.upTo(this.#firstLine + this.#internals.buffer.y),
    }
    return this.#frame
  }

  #copyRow(lineIndex: number, grid: Grid, rowIndex: number): void {
    const line = this.#internals.buffer.lines.get(lineIndex)
    if (line !== undefined) this.#cells.copyRow(line, grid, rowIndex)
  }

  /** After the last column was written, xterm keeps the cursor one past it until the wrap happens. */
  #cursorCol(): number {
    return Math.min(this.#internals.buffer.x, this.cols - 1)
  }

  #renewTables(): void {
    this.#tables = createGridTables()
    this.#cells = this.#createCellReader()
    this.#frame = null
  }

  #createCellReader(): CellReader {
    return new CellReader(this.#tables, (id) => this.#internals._oscLinkService.getLinkData(id)?.uri ?? '')
  }
}

const MOUSE_MODES = { none: 'none', x10: 'x10', vt200: 'normal', drag: 'button', any: 'any' } as const

function mouseEncoding(encoding: string): TerminalModes['mouse_encoding'] {
  if (encoding === 'SGR') return 'sgr'
  return encoding === 'SGR_PIXELS' ? 'sgr_pixels' : 'default'
}
