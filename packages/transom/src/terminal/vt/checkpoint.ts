/** The whole state of a terminal as bytes. What is archived here is what a replay from a checkpoint starts with. */
import { Grid, UNICODE_VERSION, type GridTables } from '@transom/grid'
import type { Frame, LineSpan } from '../emulator.ts'
import { Archive } from './archive.ts'
import type { EditedLines } from '../edited-lines.ts'
import type { ColorSettings } from './colors.ts'
import { Modes, type ModeName } from './modes.ts'
import type { ScreenBuffer } from './screen-buffer.ts'
import { TerminalState, type Charsets, type SavedCursor } from './terminal-state.ts'
import { GROUND } from './parser-table.ts'
import type { StringKind } from './parser.ts'
import type { Utf8Decoder } from './utf8.ts'

/** To be raised with every change of what the engine shows. */
const ENGINE_VERSION = 1
/** To be raised with every change of what the engine shows or archives: other versions replay instead. */
const ARCHIVE_VERSION = 2
/** Names the engine in a log: what a session showed live is what this one makes of its bytes. */
export const VT_ENGINE = `vt ${ENGINE_VERSION}, Unicode ${UNICODE_VERSION}`
const MAGIC = 0x56_54 // "VT"
/** Between the screens and the history: what a reader that shows the screen alone needs ends here. */
const READY = 0x52
const SIZE_MAX = 0xffff
const STRING_KINDS: readonly StringKind[] = ['s', 'o', 'd']

export interface Checkpoint {
  readonly state: TerminalState
  readonly decoder: Utf8Decoder
  /** The frame from before an open synchronized update. */
  readonly held: Frame | null
}

export function saveCheckpoint({ state, decoder, held }: Checkpoint): Uint8Array {
  const archive = Archive.toWrite()
  archiveHeader(archive, state)
  archiveTerminal(archive, state, decoder)
  archiveHeld(archive, state, held)
  archive.count(READY)
  archiveHistory(archive, state)
  return archive.bytes()
}

/** Null for a checkpoint of another engine or Unicode version. Throws a RangeError for a damaged one. */
export function loadCheckpoint(bytes: Uint8Array, decoder: Utf8Decoder): Checkpoint | null {
  const archive = Archive.toRead(bytes)
  const state = archiveHeader(archive, null)
  if (state === null) return null
  archiveTerminal(archive, state, decoder)
  const held = archiveHeld(archive, state, null)
  if (archive.count(READY) !== READY) throw new RangeError('the checkpoint is damaged')
  archiveHistory(archive, state)
  state.penChanged()
  state.textChanged()
  return { state, decoder, held }
}

function archiveHeader(archive: Archive, state: TerminalState | null): TerminalState | null {
  const isKnown =
    archive.count(MAGIC) === MAGIC &&
    archive.count(ARCHIVE_VERSION) === ARCHIVE_VERSION &&
    archive.count(UNICODE_VERSION) === UNICODE_VERSION
  if (!isKnown) return null
  const cols = archive.count(state?.cols ?? 0)
  const rows = archive.count(state?.rows ?? 0)
  const limit = archive.large(state?.history.limit ?? 0)
  if (cols < 1 || rows < 1 || cols > SIZE_MAX || rows > SIZE_MAX)
    throw new RangeError(`a terminal of ${cols} × ${rows} cannot be`)
  return state ?? new TerminalState(cols, rows, limit)
}

function archiveTerminal(archive: Archive, state: TerminalState, decoder: Utf8Decoder): void {
  archiveScreen(archive, state, state.main)
  archiveScreen(archive, state, state.alt)
  state.screen = archive.flag(state.isAlt) ? state.alt : state.main
  archiveCursor(archive, state)
  archiveModes(archive, state)
  archiveTexts(archive, state)
  archiveColors(archive, state)
  archiveKeyboard(archive, state)
  archiveEditedLines(archive, state.editedLines)
  archiveParser(archive, state)
  decoder.needed = archive.count(decoder.needed)
  if (decoder.needed === 0) return
  decoder.codePoint = archive.count(decoder.codePoint)
  decoder.lower = archive.count(decoder.lower)
  decoder.upper = archive.count(decoder.upper)
}

function archiveScreen(archive: Archive, state: TerminalState, screen: ScreenBuffer): void {
  screen.scrolls = archive.large(screen.scrolls)
  for (let row = 0; row < screen.rows; row++) {
    const slot = screen.slotOf(row)
    const start = slot * screen.cols
    screen.flags[slot] = archive.count(screen.flags[slot] ?? 0)
    screen.written[slot] = archive.large(screen.written[slot] ?? 0)
    const { codes, styles, lengths } = screen
    lengths[slot] = archive.cells(state, codes, styles, start, lengths[slot] ?? 0)
  }
}

function archiveHistory(archive: Archive, state: TerminalState): void {
  const { history } = state
  history.dropped = archive.large(history.dropped)
  const count = archive.count(history.count)
  const codes = new Uint32Array(SIZE_MAX)
  const styles = new Uint32Array(SIZE_MAX)
  for (let index = 0; index < count; index++) {
    if (!archive.isReading) {
      const row = history.rowOf(index)
      archive.count(row.flags)
      archive.cells(state, row.codes, row.styles, row.start, row.length)
    } else {
      const flags = archive.count(0)
      history.push({ codes, styles, start: 0, length: archive.cells(state, codes, styles, 0, 0), flags })
    }
  }
}

function archiveCursor(archive: Archive, state: TerminalState): void {
  state.x = archive.count(state.x)
  state.y = archive.count(state.y)
  state.pendingWrap = archive.flag(state.pendingWrap)
  state.top = archive.count(state.top)
  state.bottom = archive.count(state.bottom)
  state.left = archive.count(state.left)
  state.right = archive.count(state.right)
  archive.pen(state, state.pen)
  archiveCharsets(archive, state.charsets)
  archiveSaved(archive, state, state.saved.main)
  archiveSaved(archive, state, state.saved.alt)
  state.lastGraphic = archive.code(state, state.lastGraphic)
  state.cursorStyle = archive.count(state.cursorStyle)
  for (let col = 0; col < state.cols; col++) state.tabs[col] = archive.count(state.tabs[col] ?? 0)
}

function archiveSaved(archive: Archive, state: TerminalState, saved: SavedCursor): void {
  saved.x = archive.count(saved.x)
  saved.y = archive.count(saved.y)
  saved.pendingWrap = archive.flag(saved.pendingWrap)
  saved.scrolls = archive.large(saved.scrolls)
  saved.origin = archive.flag(saved.origin)
  archive.pen(state, saved.pen)
  archiveCharsets(archive, saved.charsets)
}

function archiveCharsets(archive: Archive, charsets: Charsets): void {
  for (let set = 0; set < 4; set++) charsets.sets[set] = archive.count(charsets.sets[set] ?? 0)
  charsets.left = archive.count(charsets.left)
  charsets.single = archive.count(charsets.single)
}

function archiveModes(archive: Archive, state: TerminalState): void {
  // The class declares its fields in one order, whatever was set since.
  const names = Object.keys(new Modes()) as ModeName[]
  for (const name of names) state.modes[name] = archive.flag(state.modes[name])
  const saved = new Map([...state.savedModes].map(([mode, on]) => [mode, on ? 1 : 0]))
  archive.numbers(saved)
  if (archive.isReading) for (const [mode, on] of saved) state.savedModes.set(mode, on === 1)
  state.attributeExtent = archive.count(state.attributeExtent)
  state.checksumFlags = archive.count(state.checksumFlags)
  state.eightBitAnswers = archive.flag(state.eightBitAnswers)
  state.hasGuarded = archive.flag(state.hasGuarded)
  state.conformanceLevel = archive.count(state.conformanceLevel)
  state.modifyOtherKeys = archive.count(state.modifyOtherKeys)
  state.bells = archive.large(state.bells)
}

function archiveTexts(archive: Archive, state: TerminalState): void {
  state.title = archive.text(state.title)
  state.iconName = archive.text(state.iconName)
  archive.list(state.titleStack, (entry) => ({
    title: archive.text(entry?.title ?? ''),
    iconName: archive.text(entry?.iconName ?? ''),
  }))
  state.workingDirectory = archive.text(state.workingDirectory)
  archive.list(state.answers, (answer) => archive.text(answer ?? ''))
}

function archiveColors(archive: Archive, { colors }: TerminalState): void {
  archive.numbers(colors.palette)
  archive.numbers(colors.dynamic)
  archive.list(colors.stack, (entry) => {
    const settings: ColorSettings = entry ?? { palette: new Map(), dynamic: new Map() }
    archive.numbers(settings.palette)
    archive.numbers(settings.dynamic)
    return settings
  })
}

function archiveKeyboard(archive: Archive, { keyboard }: TerminalState): void {
  for (const isAlt of [false, true]) {
    const stack = [...(isAlt ? keyboard.stacks.alt : keyboard.stacks.main)]
    archive.list(stack, (flags) => archive.count(flags ?? 0))
    if (archive.isReading) for (const flags of stack) keyboard.push(isAlt, flags)
  }
}

function archiveEditedLines(archive: Archive, lines: EditedLines): void {
  const { spans, openFrom } = lines.state
  const copied = [...spans]
  archiveSpans(archive, copied)
  const isOpen = archive.flag(openFrom !== null)
  const from = isOpen ? archive.large(openFrom ?? 0) : null
  if (archive.isReading) lines.restore({ spans: copied, openFrom: from })
}

/** `to` is one less than `from` for a span that ended before it began. */
function archiveSpans(archive: Archive, spans: LineSpan[]): void {
  archive.list(spans, (span) => ({
    from: archive.large(span?.from ?? 0),
    to: archive.large((span?.to ?? 0) + 1) - 1,
  }))
}

function archiveParser(archive: Archive, { parser }: TerminalState): void {
  parser.state = archive.count(parser.state)
  if (parser.state === GROUND) return // what is left of the last sequence means nothing
  parser.paramCount = archive.count(parser.paramCount)
  for (let index = 0; index < Math.min(parser.paramCount, parser.params.length); index++)
    parser.params[index] = archive.count(parser.params[index] ?? 0)
  parser.colons = archive.count(parser.colons >>> 0) | 0
  parser.prefix = archive.count(parser.prefix)
  parser.intermediates = archive.count(parser.intermediates >>> 0) | 0
  parser.dcsFinal = archive.count(parser.dcsFinal)
  parser.stringKind = STRING_KINDS[archive.count(STRING_KINDS.indexOf(parser.stringKind))] ?? 's'
  parser.stringOverflow = archive.flag(parser.stringOverflow)
  const points = [...parser.stringCodes.subarray(0, parser.stringLength)]
  archive.list(points, (point) => archive.count(point ?? 0))
  if (archive.isReading) parser.restoreString(points)
}

function archiveHeld(archive: Archive, state: TerminalState, held: Frame | null): Frame | null {
  if (!archive.flag(held !== null)) return null
  const tables: GridTables = { styles: state.styles, clusters: state.clusters }
  const grid = held?.grid ?? new Grid(state.cols, state.rows, tables)
  const written = held?.written ?? new Float64Array(state.rows)
  for (let row = 0; row < state.rows; row++) {
    written[row] = archive.large(written[row] ?? 0)
    grid.wrapped[row] = archive.count(grid.wrapped[row] ?? 0)
    archive.cells(state, grid.codes, grid.styleIds, row * state.cols, state.cols)
  }
  const title = archive.text(held?.title ?? '')
  const bells = archive.large(held?.bells ?? 0)
  const firstLine = archive.large(held?.firstLine ?? 0)
  const editedLines = [...(held?.editedLines ?? [])]
  archiveSpans(archive, editedLines)
  const cursor = {
    row: archive.count(held?.cursor.row ?? 0),
    col: archive.count(held?.cursor.col ?? 0),
    visible: archive.flag(held?.cursor.visible ?? true),
    shape: SHAPES[archive.count(SHAPES.indexOf(held?.cursor.shape ?? 'block'))] ?? 'block',
    blink: archive.flag(held?.cursor.blink ?? false),
  }
  return { grid, text: grid, cursor, title, bells, firstLine, editedLines, written }
}

const SHAPES = ['block', 'underline', 'bar'] as const
