import type { InputEvent } from './input-events.ts'
import { readCharacter, readControlSequence, readOldMouse, readSingleShift } from './read-sequence.ts'

/** No key, mouse report or answer is longer. What has no end by then is not read as a sequence. */
const SEQUENCE_CHARS_MAX = 4096
/** A longer paste comes as several events, so that one without an end does not fill the memory. */
const PASTE_CHARS_MAX = 1 << 20
const PASTE_BEGIN = '\u001b[200~'
const PASTE_END = '\u001b[201~'
const ESCAPE = '\u001b'

/**
 * Reads what a terminal sends. The same text gives the same events however it is cut into chunks: only elapsed
 * time separates an Escape key from the beginning of a sequence, and the caller decides on that. While `isWaiting`, it
 * calls `flush` once a short time has passed without more input.
 */
export class InputReader {
  #rest = ''
  #isPasting = false

  /** Whether the input so far ends in an Escape or an unfinished sequence. */
  get isWaiting(): boolean {
    return this.#rest !== '' && !this.#isPasting
  }

  /** Takes text, in which no character is cut in two by its decoder. */
  read(text: string): InputEvent[] {
    this.#rest += text
    const events: InputEvent[] = []
    let at = 0
    while (at < this.#rest.length) {
      const step = this.#isPasting ? readPaste(this.#rest, at) : readOne(this.#rest, at)
      if (step === null) break
      if (step.event !== null) events.push(step.event)
      this.#isPasting = step.isPasting ?? this.#isPasting
      at += step.length
    }
    this.#rest = this.#rest.slice(at)
    return events
  }

  /** Decides that nothing more comes: an Escape is the key, `Escape [` is Alt and a bracket, a torn sequence is nothing. */
  flush(): InputEvent[] {
    if (!this.isWaiting) return []
    const rest = this.#rest
    this.#rest = ''
    const events: (InputEvent | null)[] = []
    if (rest === ESCAPE || rest === ESCAPE + ESCAPE)
      events.push(...Array.from(rest, (character) => readCharacter(character)))
    else if (rest.length === 2) events.push(readCharacter(rest.slice(1), true))
    return events.filter((event) => event !== null)
  }
}

interface Step {
  readonly length: number
  readonly event: InputEvent | null
  readonly isPasting?: boolean
}

/** Null while more has to come. */
function readOne(text: string, at: number): Step | null {
  if (text[at] !== ESCAPE) {
    const character = characterAt(text, at)
    return character === null ? null : { length: character.length, event: readCharacter(character) }
  }
  const next = text[at + 1]
  if (next === undefined) return null
  if (next === ESCAPE) {
    // rxvt puts an Escape before a sequence for Alt.
    const third = text[at + 2]
    if (third === undefined) return null
    if (third !== '[' && third !== 'O') return { length: 1, event: readCharacter(ESCAPE) }
    const step = third === '[' ? readCsi(text, at + 1, true) : readSs3(text, at + 1, true)
    return step === null ? null : { ...step, length: step.length + 1 }
  }
  if (next === '[') return readCsi(text, at, false)
  if (next === 'O') return readSs3(text, at, false)
  if (next === ']' || next === 'P' || next === '_') return readString(text, at)
  const character = characterAt(text, at + 1)
  return character === null ? null : { length: 1 + character.length, event: readCharacter(character, true) }
}

function readCsi(text: string, at: number, alt: boolean): Step | null {
  const start = at + 2
  if (text[start] === 'M') {
    const report = text.slice(start + 1, start + 4)
    return report.length < 3 ? null : { length: 6, event: readOldMouse(report) }
  }
  const first = text[start] === '[' ? start + 1 : start // the Linux console's function keys
  for (let end = first; end < text.length; end++) {
    if (end - at >= SEQUENCE_CHARS_MAX) return { length: SEQUENCE_CHARS_MAX, event: null }
    const code = text.charCodeAt(end)
    // rxvt ends in `$`, which elsewhere stands before a final character.
    const isFinal = (code >= 0x40 && code <= 0x7e) || (code === 0x24 && /^\d+$/.test(text.slice(start, end)))
    if (isFinal) return endOfCsi(text, { at, start, end, alt })
    // Anything but parameters breaks the sequence off, and is read by itself.
    if (code < 0x20 || code > 0x3f) return { length: end - at, event: null }
  }
  return null
}

function endOfCsi(
  text: string,
  { at, start, end, alt }: { at: number; start: number; end: number; alt: boolean },
): Step | null {
  const length = end + 1 - at
  if (text.startsWith(PASTE_BEGIN, at)) return { length, event: null, isPasting: true }
  const body = text.slice(start, end + 1)
  // The answer to a query for a mode: `CSI ? 2026 ; 2 $ y`.
  return { length, event: readControlSequence(body, alt) }
}

function readSs3(text: string, at: number, alt: boolean): Step | null {
  const final = characterAt(text, at + 2)
  if (final === null) return null
  if (final < ' ') return { length: 2, event: readCharacter('O', true) } // Alt+O, and another key
  return { length: 2 + final.length, event: readSingleShift(final, alt) }
}

/** An answer that is a string: up to BEL or ST. */
function readString(text: string, at: number): Step | null {
  for (let end = at + 2; end < text.length; end++) {
    if (end - at >= SEQUENCE_CHARS_MAX) return { length: SEQUENCE_CHARS_MAX, event: null }
    if (text[end] === '\u0007') return { length: end + 1 - at, event: reportOf(text.slice(at, end + 1)) }
    if (text[end] !== ESCAPE) continue
    if (text[end + 1] === undefined) return null
    if (text[end + 1] !== '\\') return { length: end - at, event: null } // broken off by another sequence
    return { length: end + 2 - at, event: reportOf(text.slice(at, end + 2)) }
  }
  return null
}

function reportOf(sequence: string): InputEvent {
  return { type: 'report', sequence }
}

function readPaste(text: string, at: number): Step | null {
  const limit = at + PASTE_CHARS_MAX
  const end = text.indexOf(PASTE_END, at)
  if (end >= 0 && end <= limit) {
    const event: InputEvent = { type: 'paste', text: text.slice(at, end) }
    return { length: end + PASTE_END.length - at, event, isPasting: false }
  }
  // Its end may be on its way.
  if (text.length < limit + PASTE_END.length) return null
  return { length: PASTE_CHARS_MAX, event: { type: 'paste', text: text.slice(at, limit) } }
}

/** Null if the second half of a surrogate pair is still missing. */
function characterAt(text: string, at: number): string | null {
  const code = text.codePointAt(at)
  if (code === undefined) return null
  if (code >= 0xd800 && code < 0xdc00 && at + 1 >= text.length) return null
  return String.fromCodePoint(code)
}
