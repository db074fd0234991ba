import { offsetInLine, type CanonicalLine, type CanonicalText, type TextSpan } from '@transom/grid'
import type { Frame } from '../../terminal/emulator.ts'

const TYPED_LINES_MAX = 64 // more than a screen shows of them
const TYPED_CHARS_MAX = 4096 // the kernel's own limit for a line of input
const TYPED_AT_ONCE_CHARS_MAX = 64 << 10 // of a longer paste only the end can still be on the screen
const RETURN = 0x0d
const NEWLINE = 0x0a

export interface TypedContext {
  /** The program has printed since the last input, so that the cursor is where the next echo starts. */
  readonly echoed: boolean
  /** The terminal itself echoes, at once and for certain; otherwise the program may do so, or not. */
  readonly byKernel: boolean
}

interface Position {
  /** Absolute, as Frame.firstLine counts. */
  readonly line: number
  readonly col: number
}

/** Where something is typed, on a screen of this width. */
export interface TypedPlace extends Position {
  readonly cols: number
}

interface TypedLine {
  /** The last input that added to it. */
  seq: number
  text: string
  /** Where the cursor was when `typedBefore` characters of the line had been typed. */
  readonly anchors: (Position & { typedBefore: number; byKernel: boolean })[]
}

/**
 * Distinguishes the echo of typed text from program output, so that a wait for a text is not satisfied by
 * the command that was to produce it. Typed text is echoed where the cursor was (by the kernel or by a line
 * editor), and once more after the prompt when a shell was not yet reading. The same text anywhere else is output.
 */
export class EchoTracker {
  readonly #lines: TypedLine[] = []
  #open: TypedLine | null = null
  /** Where the cursor will be once everything typed so far has been echoed. */
  #expected: Position | null = null

  /** Notes an input, with where the cursor was before it was sent. */
  typed(seq: number, text: string, place: TypedPlace, { echoed, byKernel }: TypedContext): void {
    const begin = Math.max(0, text.length - TYPED_AT_ONCE_CHARS_MAX)
    let at = afterText(echoed ? place : (this.#expected ?? place), text.slice(0, begin), place.cols)
    for (const piece of text.slice(begin).split(/(\r\n|\r|\n)/)) {
      if (/^[\r\n]/.test(piece)) {
        if (this.#open !== null) this.#open.seq = seq // the Enter that sends a line is part of typing it
        this.#open = null
        at = { line: at.line + 1, col: 0 } // where the kernel echoes the next line, when nothing reads it yet
      } else if (piece !== '') {
        const open = this.#openLine(seq)
        open.anchors.push({ line: at.line, col: at.col, byKernel, typedBefore: open.text.length })
        open.text = edit(open.text, piece).slice(0, TYPED_CHARS_MAX)
        at = advance(at, piece.length, place.cols)
      }
    }
    this.#expected = at
  }

  /**
   * Where the text typed at or after `seq` is echoed on this screen, with what stands in front of it on its line: the
   * prompt at which it was typed.
   */
  echoes(seq: number, frame: Frame, canonical: CanonicalText): TextSpan[] {
    return this.#lines
      .filter((typed) => typed.seq >= seq && typed.text !== '')
      .flatMap((typed) => [...atAnchors(typed, frame, canonical), ...inEditedLines(typed, frame, canonical)])
  }

  #openLine(seq: number): TypedLine {
    if (this.#open === null) {
      this.#open = { seq, text: '', anchors: [] }
      this.#lines.push(this.#open)
      if (this.#lines.length > TYPED_LINES_MAX) this.#lines.shift()
    }
    this.#open.seq = seq
    return this.#open
  }
}

/** Where a frame has its cursor. */
export function cursorPlace({ firstLine, cursor, grid }: Frame): TypedPlace {
  return { line: firstLine + cursor.row, col: cursor.col, cols: grid.cols }
}

function advance(from: Position, cells: number, cols: number): Position {
  const end = from.col + cells
  return { line: from.line + Math.floor(end / cols), col: end % cols }
}

/** Where the cursor is after so much text, without what is noted of each of its lines. */
function afterText(from: Position, text: string, cols: number): Position {
  let { line, col } = from
  for (let index = 0; index < text.length; index++) {
    const character = text.charCodeAt(index)
    if (character === NEWLINE && text.charCodeAt(index - 1) === RETURN) continue // one line break
    const isBreak = character === RETURN || character === NEWLINE
    if (isBreak || ++col >= cols) {
      line++
      col = 0
    }
  }
  return { line, col }
}

/** What a line editor makes of control characters in typed text: erase a character, erase the line. */
function edit(before: string, typed: string): string {
  let text = before
  for (const character of typed) {
    if (character === '\x7f' || character === '\b') text = text.slice(0, -1)
    else if (character === '\x15' || character === '\x03') text = ''
    else if (character >= ' ' || character === '\t') text += character
  }
  return text
}

function atAnchors(typed: TypedLine, frame: Frame, canonical: CanonicalText): TextSpan[] {
  return typed.anchors.flatMap((anchor) => {
    const rowIndex = anchor.line - frame.firstLine
    const line = canonical.lines.find((it) => it.rowIndex <= rowIndex && rowIndex < it.rowIndex + it.rowCount)
    if (line === undefined) return []
    const offset = offsetInLine(frame.grid, line, rowIndex, anchor.col) - anchor.typedBefore
    if (offset >= 0 && echoesAt(line, offset, typed.text))
      return [{ ...spanIn(line, offset, typed.text), start: line.start }]
    // Output that was on its way when the text was typed (a prompt) comes before the kernel's echo.
    return anchor.byKernel && anchor.typedBefore === 0
      ? firstFrom(line, Math.max(0, offset), typed.text, canonical)
      : []
  })
}

/** The first place at or after `offset` of `from` that shows the typed text. */
function firstFrom(from: CanonicalLine, offset: number, typed: string, canonical: CanonicalText): TextSpan[] {
  for (const line of canonical.lines.filter(({ start }) => start >= from.start)) {
    const first = line === from ? offset : 0
    for (let at = first; at < line.text.length; at++)
      if (echoesAt(line, at, typed)) return [spanIn(line, at, typed)]
  }
  return []
}

function inEditedLines(typed: TypedLine, frame: Frame, canonical: CanonicalText): TextSpan[] {
  return canonical.lines
    .filter((line) => isEdited(line, frame))
    .flatMap((line) =>
      Array.from(line.text, (_, offset) => offset)
        .filter((offset) => echoesAt(line, offset, typed.text))
        .map((offset) => editedSpan(line, offset, typed.text)),
    )
}

function isEdited(line: CanonicalLine, frame: Frame): boolean {
  const first = frame.firstLine + line.rowIndex
  const last = first + line.rowCount - 1
  return frame.editedLines.some((span) => span.from <= last && first <= span.to)
}

/** The whole typed text stands here, or as much of it as has been echoed so far. */
function echoesAt(line: CanonicalLine, offset: number, typed: string): boolean {
  const shown = line.text.slice(offset)
  const expected = withTabs(typed, offset)
  return shown !== '' && (shown.startsWith(expected.trimEnd()) || expected.startsWith(shown))
}

/** With its prompt if the whole text is there: the begin of a typed text may also be the end of the next prompt. */
function editedSpan(line: CanonicalLine, offset: number, typed: string): TextSpan {
  const span = spanIn(line, offset, typed)
  const isWhole = span.end - span.start >= withTabs(typed, offset).trimEnd().length
  return isWhole ? { ...span, start: line.start } : span
}

function spanIn(line: CanonicalLine, offset: number, typed: string): TextSpan {
  const start = line.start + offset
  return { start, end: Math.min(start + withTabs(typed, offset).length, line.start + line.text.length) }
}

/** A text as a terminal shows it from a column on: tabs go to the next multiple of eight. */
function withTabs(text: string, column: number): string {
  let shown = ''
  for (const character of text) {
    shown += character === '\t' ? ' '.repeat(8 - ((column + shown.length) % 8)) : character
  }
  return shown
}
