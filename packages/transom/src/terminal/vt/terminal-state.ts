import { DEFAULT_COLOR, codePointTable } from '@transom/grid'
import { EditedLines } from '../edited-lines.ts'
import { KittyKeyboard } from '../kitty-keyboard.ts'
import { ASCII } from './charsets.ts'
import { ClusterTable } from './cluster-table.ts'
import { Colors } from './colors.ts'
import { History } from './history.ts'
import { LinkTable } from './link-table.ts'
import { Modes } from './modes.ts'
import { Parser } from './parser.ts'
import { ScreenBuffer } from './screen-buffer.ts'
import { StyleTable, type Pen } from './style-table.ts'

/** Programs that ask without reading the answers: those past this are dropped. */
const ANSWERS_MAX = 4096
const TAB_WIDTH = 8
const UNKNOWN = -1

/** The sets that G0 to G3 stand for, which of them is in use, and a single shift. */
export interface Charsets {
  readonly sets: number[]
  left: number
  /** 2 or 3 for the next character alone, else 0. */
  single: number
}

/** DECSC. */
export interface SavedCursor {
  x: number
  y: number
  pendingWrap: boolean
  /** How often the screen had scrolled. */
  scrolls: number
  origin: boolean
  readonly pen: Pen
  readonly charsets: Charsets
}

/** The whole state of a terminal. The functions beside it are what sequences do to it. */
export class TerminalState {
  cols: number
  rows: number
  main: ScreenBuffer
  alt: ScreenBuffer
  /** The one that is shown. */
  screen: ScreenBuffer
  x = 0
  y = 0
  /** The last column was written: the next character goes to the next line. */
  pendingWrap = false
  /** Margins, inclusive. */
  top = 0
  bottom: number
  left = 0
  right: number
  readonly pen: Pen = createPen()
  /** The pen's style id. */
  style = 0
  #eraseStyle = 0
  /** Text is ASCII, replaces what was there and wraps at the last column: what the fast path can write. */
  plainText = true
  /** The margins are those of the screen: a line feed at the bottom scrolls all of it. */
  scrollsWhole = true
  readonly charsets: Charsets = createCharsets()
  readonly saved: { main: SavedCursor; alt: SavedCursor } = { main: createSaved(), alt: createSaved() }
  modes = new Modes()
  /** XTSAVE. */
  readonly savedModes = new Map<number, boolean>()
  tabs: Uint8Array
  styles: StyleTable
  clusters = new ClusterTable()
  links = new LinkTable()
  /** What is known of each code point. */
  readonly codePoints = codePointTable()
  readonly colors = new Colors()
  readonly parser = new Parser()
  readonly keyboard = new KittyKeyboard()
  readonly editedLines = new EditedLines()
  modifyOtherKeys = 0
  /** DECSCUSR: 0 to 6. */
  cursorStyle = 0
  title = ''
  iconName = ''
  readonly titleStack: { title: string; iconName: string }[] = []
  /** OSC 7. */
  workingDirectory = ''
  bells = 0
  /** REP repeats it; 0 after anything but a printed character. */
  lastGraphic = 0
  /** DECSACE: with 2 changes of attributes fill a rectangle instead of a stream. */
  attributeExtent = 0
  /** XTCHECKSUM: how DECRQCRA counts. */
  checksumFlags = 0
  /** S8C1T: answers begin with C1 controls. */
  eightBitAnswers = false
  /** DECSCL: 1 to 5. */
  conformanceLevel = 5
  /** How large the tables were after they were last compacted. */
  compactedEntries = 0
  /** A cell may be guarded (SPA): an erase has to look. */
  hasGuarded = false
  readonly answers: string[] = []
  /** Called before a synchronized update begins and after it ends. */
  onSynchronize: ((active: boolean) => void) | null = null

  constructor(cols: number, rows: number, scrollbackLines: number) {
    this.cols = cols
    this.rows = rows
    this.bottom = rows - 1
    this.right = cols - 1
    this.main = new ScreenBuffer(cols, rows, new History(scrollbackLines))
    this.alt = new ScreenBuffer(cols, rows, null)
    this.screen = this.main
    this.tabs = defaultTabs(cols)
    this.styles = this.createStyles()
  }

  get isAlt(): boolean {
    return this.screen === this.alt
  }

  get history(): History {
    const { history } = this.main
    if (history === null) throw new Error('the main screen has no history')
    return history
  }

  /** The absolute number of the top row. */
  get firstLine(): number {
    return this.history.dropped + (this.isAlt ? 0 : this.history.count)
  }

  answer(text: string): void {
    if (this.answers.length >= ANSWERS_MAX) return
    this.answers.push(this.eightBitAnswers ? withC1(text) : text)
  }

  /** To be called when the pen has changed. */
  penChanged(): void {
    const { pen } = this
    this.style = this.styles.intern(pen.fg, pen.bg, pen.underlineColor, pen.flags, pen.link)
    this.#eraseStyle = pen.bg === DEFAULT_COLOR ? 0 : UNKNOWN
  }

  /** The style of what the pen erases: its background alone. */
  get eraseStyle(): number {
    if (this.#eraseStyle === UNKNOWN)
      this.#eraseStyle = this.styles.intern(DEFAULT_COLOR, this.pen.bg, DEFAULT_COLOR, 0, 0)
    return this.#eraseStyle
  }

  /** To be called when anything has changed that printing depends on: margins, modes, character sets. */
  textChanged(): void {
    const { sets, left, single } = this.charsets
    const isFullWidth = this.left === 0 && this.right === this.cols - 1
    this.plainText =
      sets[left] === ASCII && single === 0 && !this.modes.insert && this.modes.autowrap && isFullWidth
    this.scrollsWhole = isFullWidth && this.top === 0 && this.bottom === this.rows - 1
  }

  createStyles(): StyleTable {
    const { links } = this
    return new StyleTable((link) => links.uriOf(link))
  }

  resetMargins(): void {
    this.top = 0
    this.bottom = this.rows - 1
    this.left = 0
    this.right = this.cols - 1
    this.textChanged()
  }
}

export function createPen(): Pen {
  return { fg: DEFAULT_COLOR, bg: DEFAULT_COLOR, underlineColor: DEFAULT_COLOR, flags: 0, link: 0 }
}

export function copyPen(from: Pen, to: Pen): void {
  to.fg = from.fg
  to.bg = from.bg
  to.underlineColor = from.underlineColor
  to.flags = from.flags
  to.link = from.link
}

function createCharsets(): Charsets {
  return { sets: [ASCII, ASCII, ASCII, ASCII], left: 0, single: 0 }
}

export function copyCharsets(from: Charsets, to: Charsets): void {
  for (let index = 0; index < 4; index++) to.sets[index] = from.sets[index] ?? ASCII
  to.left = from.left
  to.single = from.single
}

function createSaved(): SavedCursor {
  return {
    x: 0,
    y: 0,
    pendingWrap: false,
    scrolls: 0,
    origin: false,
    pen: createPen(),
    charsets: createCharsets(),
  }
}

export function defaultTabs(cols: number): Uint8Array {
  return Uint8Array.from({ length: cols }, (_, col) => (col > 0 && col % TAB_WIDTH === 0 ? 1 : 0))
}

function withC1(text: string): string {
  return text.replaceAll(/\u001b([\u0040-\u005f])/g, (_, final: string) =>
    String.fromCharCode(final.charCodeAt(0) + 0x40),
  )
}
