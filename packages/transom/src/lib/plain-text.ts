import { isUtf8 } from 'node:buffer'

/**
 * Output as text to read: without escape sequences, and each line is what a terminal would have left of it. A
 * carriage return goes back to the line's start, a backspace one character to the left, and what is printed there
 * overwrites; erasing in a line and moving along it are followed too, so that a progress bar leaves its last state
 * and `\r\n` a line break. Every code point counts as one column, tabs as well. Movements to other lines are not
 * followed: for a full-screen program, take a snapshot.
 */
export interface PlainLine {
  /** With its line break, when it has one. */
  readonly text: string
  /** The stretch of bytes that it was made from. */
  readonly start: number
  readonly end: number
  /** Where each code point of the text was among the bytes; null if they follow each other from `start` on. */
  readonly origins: readonly number[] | null
}

export function plainText(bytes: Uint8Array): string {
  let text = ''
  for (const line of plainLines(bytes)) text += line.text
  return text
}

export function* plainLines(bytes: Uint8Array): Generator<PlainLine> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let start = 0; start < buffer.length;) {
    const newline = buffer.indexOf(LF, start)
    const end = newline < 0 ? buffer.length : newline + 1
    const straight = straightLine(buffer, start, end)
    if (straight !== null) {
      yield straight
      start = end
    } else {
      const line = new EditedLine(buffer, start).read()
      yield line
      start = line.end
    }
  }
}

/** The bytes that one code point takes at `at`: 1 for a byte that begins none. */
export function characterBytes(bytes: Uint8Array, at: number): number {
  const lead = bytes[at] ?? 0
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
  if (lead < 0xc2 || lead > 0xf4 || at + length > bytes.length) return 1
  return isUtf8(bytes.subarray(at, at + length)) ? length : 1
}

const LF = 0x0a
const BEL = 0x07
const BS = 0x08
const TAB = 0x09
const CR = 0x0d
const CAN = 0x18
const SUB = 0x1a
const ESC = 0x1b
const CSI = '['.charCodeAt(0)
const OSC = ']'.charCodeAt(0)
const ST = '\\'.charCodeAt(0)
/** DCS, SOS, PM and APC: strings that may hold line breaks, as an OSC may not. */
const LONG_STRINGS = new Set(['P', 'X', '^', '_'].map((letter) => letter.charCodeAt(0)))
/** A larger movement than any screen is wide: what is beyond it would only be blanks. */
const MOVE_MAX = 4096

/** A line without controls but its break, which most are; null for any other. */
function straightLine(buffer: Buffer, start: number, end: number): PlainLine | null {
  const broken = buffer[end - 1] === LF
  let textEnd = broken ? end - 1 : end
  if (broken) while (textEnd > start && buffer[textEnd - 1] === CR) textEnd--
  for (let at = start; at < textEnd; at++) {
    const byte = buffer[at] ?? 0
    // 0xc2 begins the C1 controls, which may be escape sequences too.
    if ((byte < 0x20 && byte !== TAB) || byte === 0x7f || byte === 0xc2) return null
  }
  if (!isUtf8(buffer.subarray(start, textEnd))) return null
  const text = buffer.toString('utf8', start, textEnd)
  return { text: broken ? `${text}\n` : text, start, end, origins: null }
}

/** One line with controls in it. */
class EditedLine {
  readonly #buffer: Buffer
  readonly #start: number
  readonly #characters: string[] = []
  readonly #origins: number[] = []
  #at: number
  #column = 0

  constructor(buffer: Buffer, start: number) {
    this.#buffer = buffer
    this.#start = start
    this.#at = start
  }

  read(): PlainLine {
    while (this.#at < this.#buffer.length) {
      const byte = this.#buffer[this.#at] ?? 0
      if (byte === LF) {
        this.#characters.push('\n')
        this.#origins.push(this.#at++)
        break
      }
      if (byte === ESC) this.#escape(this.#buffer[this.#at + 1] ?? 0, 2)
      else if (byte < 0x20 || byte === 0x7f) this.#control(byte)
      else this.#character()
    }
    const text = this.#characters.join('')
    return { text, start: this.#start, end: this.#at, origins: this.#origins }
  }

  #control(byte: number): void {
    if (byte === CR) this.#column = 0
    else if (byte === BS) this.#column = Math.max(0, this.#column - 1)
    else if (byte === TAB) this.#put('\t', this.#at)
    this.#at++
  }

  #character(): void {
    const length = characterBytes(this.#buffer, this.#at)
    const text = this.#buffer.toString('utf8', this.#at, this.#at + length)
    const code = text.codePointAt(0) ?? 0
    if (code >= 0x80 && code < 0xa0) return this.#escape(code - 0x40, length) // C1: ESC and a letter in one
    this.#put(text, this.#at)
    this.#at += length
  }

  #put(text: string, origin: number): void {
    while (this.#characters.length < this.#column) {
      this.#characters.push(' ')
      this.#origins.push(origin)
    }
    this.#characters[this.#column] = text
    this.#origins[this.#column] = origin
    this.#column++
  }

  #escape(kind: number, introducerBytes: number): void {
    this.#at = Math.min(this.#at + introducerBytes, this.#buffer.length)
    if (kind === CSI) this.#controlSequence()
    else if (kind === OSC) this.#skipString(true)
    else if (LONG_STRINGS.has(kind)) this.#skipString(false)
    else if (kind >= 0x20 && kind < 0x30) this.#skipWhile((byte) => byte >= 0x20 && byte < 0x30, 1)
    else if (kind < 0x20 && introducerBytes === 2 && kind !== 0) this.#at-- // a control ends the sequence and counts
  }

  #controlSequence(): void {
    const from = this.#at
    this.#skipWhile((byte) => byte >= 0x20 && byte < 0x40, 0)
    const final = this.#buffer[this.#at] ?? 0
    if (final < 0x40 || final > 0x7e) return // cut short by a control, or by the end
    const parameters = this.#buffer.toString('latin1', from, this.#at++)
    if (/^[\d;]*$/.test(parameters)) this.#edit(String.fromCharCode(final), Number.parseInt(parameters, 10))
  }

  #edit(final: string, parameter: number): void {
    const count = Math.min(Math.max(parameter || 1, 1), MOVE_MAX)
    if (final === 'C') this.#column = Math.min(this.#column + count, this.#characters.length + MOVE_MAX)
    else if (final === 'D') this.#column = Math.max(0, this.#column - count)
    else if (final === 'G') this.#column = count - 1
    else if (final === 'K') this.#erase(parameter || 0)
    else if (final === 'P') this.#remove(count)
  }

  #erase(part: number): void {
    if (part === 0) {
      this.#characters.length = this.#origins.length = Math.min(this.#characters.length, this.#column)
    } else if (part === 1) {
      this.#characters.fill(' ', 0, this.#column + 1)
    } else if (part === 2) {
      this.#characters.length = this.#origins.length = 0
    }
  }

  #remove(count: number): void {
    this.#characters.splice(this.#column, count)
    this.#origins.splice(this.#column, count)
  }

  #skipString(endsWithLine: boolean): void {
    for (; this.#at < this.#buffer.length; this.#at++) {
      const byte = this.#buffer[this.#at]
      if (byte === LF && endsWithLine) return
      if (byte === BEL || byte === CAN || byte === SUB) return void this.#at++
      if (byte === ESC) {
        if (this.#buffer[this.#at + 1] === ST) this.#at += 2
        return
      }
      if (byte === 0xc2 && this.#buffer[this.#at + 1] === 0x9c) return void (this.#at += 2)
    }
  }

  /** Skips what `skipped` says, and `more` bytes after it. */
  #skipWhile(skipped: (byte: number) => boolean, more: number): void {
    while (this.#at < this.#buffer.length && skipped(this.#buffer[this.#at] ?? 0)) this.#at++
    this.#at = Math.min(this.#at + more, this.#buffer.length)
  }
}
