import { capabilityAnswers } from '../query-answers.ts'
import { controlSequence } from './csi.ts'
import { carriageReturn, lineFeed } from './cursor.ts'
import { controlCharacter, escapeSequence } from './escape.ts'
import { operatingSystemCommand } from './osc.ts'
import { GROUND } from './parser-table.ts'
import { PARAMS_MAX, PARAM_VALUE_MAX, type ParserSink } from './parser.ts'
import { printAsciiRun, printCharacter, printCodePoint } from './print.ts'
import { settingReport } from './reports.ts'
import type { TerminalState } from './terminal-state.ts'
import { BROKEN, PENDING, REPLACEMENT, type Utf8Decoder } from './utf8.ts'

const ESC = 0x1b
const CSI_LETTER = 0x5b
/** The fast path leaves this byte to the state machine. */
const NOT_TAKEN = -1

/** Feeds bytes to a terminal. The fast paths do what the state machine does, for bytes that come whole in a chunk. */
export class Engine implements ParserSink {
  readonly decoder: Utf8Decoder
  readonly #state: TerminalState
  readonly #fast: boolean

  constructor(state: TerminalState, decoder: Utf8Decoder, fast: boolean) {
    this.#state = state
    this.decoder = decoder
    this.#fast = fast
  }

  feed(bytes: Uint8Array): void {
    const { parser } = this.#state
    const { decoder } = this
    let at = 0
    while (at < bytes.length) {
      if (this.#fast && parser.state === GROUND && decoder.needed === 0) {
        at = this.#feedText(bytes, at)
        if (at >= bytes.length) return
      }
      const decoded = decoder.next(bytes[at] ?? 0)
      if (decoded !== BROKEN) at++ // a byte that breaks a character is read again
      if (decoded !== PENDING) parser.step(decoded === BROKEN ? REPLACEMENT : decoded, this)
    }
  }

  print(codePoint: number): void {
    printCharacter(this.#state, codePoint)
  }

  execute(control: number): void {
    controlCharacter(this.#state, control)
  }

  escape(final: number): void {
    escapeSequence(this.#state, final)
  }

  csi(final: number): void {
    controlSequence(this.#state, final)
  }

  osc(text: string): void {
    operatingSystemCommand(this.#state, text)
  }

  dcs(final: number, text: string): void {
    const { intermediates, prefix } = this.#state.parser
    if (final !== 0x71 || prefix !== 0) return
    if (intermediates === 0x24) settingReport(this.#state, text)
    else if (intermediates === 0x2b) this.#state.answer(capabilityAnswers(text))
  }

  /** Takes what it can of text, line breaks and whole sequences; returns where the state machine has to go on. */
  #feedText(bytes: Uint8Array, from: number): number {
    const state = this.#state
    let at = from
    while (at < bytes.length) {
      const byte = bytes[at] ?? 0
      if (byte >= 0x20 && byte < 0x7f) {
        if (!state.plainText) return at
        at = printAsciiRun(state, bytes, at, bytes.length)
      } else if (byte === ESC) {
        const next = this.#feedSequence(bytes, at + 1)
        if (next === NOT_TAKEN) return at
        at = next
      } else if (byte === 0x0a) {
        lineFeed(state)
        state.lastGraphic = 0
        at++
      } else if (byte === 0x0d) {
        carriageReturn(state)
        state.lastGraphic = 0
        at++
      } else if (byte >= 0xc2) {
        const next = this.#feedCodePoint(bytes, at)
        if (next === NOT_TAKEN) return at
        at = next
      } else {
        return at
      }
    }
    return at
  }

  /** A character of several bytes that is whole and well-formed. */
  #feedCodePoint(bytes: Uint8Array, at: number): number {
    const lead = bytes[at] ?? 0
    const second = bytes[at + 1] ?? 0
    if ((second & 0xc0) !== 0x80 || this.#state.charsets.single !== 0) return NOT_TAKEN
    if (lead < 0xe0) {
      const codePoint = ((lead & 0x1f) << 6) | (second & 0x3f)
      if (codePoint < 0xa0) return NOT_TAKEN // C1 controls
      printCodePoint(this.#state, codePoint)
      return at + 2
    }
    const third = bytes[at + 2] ?? 0
    if ((third & 0xc0) !== 0x80) return NOT_TAKEN
    if (lead < 0xf0) {
      const codePoint = ((lead & 0x0f) << 12) | ((second & 0x3f) << 6) | (third & 0x3f)
      if (codePoint < 0x800 || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return NOT_TAKEN
      printCodePoint(this.#state, codePoint)
      return at + 3
    }
    const fourth = bytes[at + 3] ?? 0
    if ((fourth & 0xc0) !== 0x80) return NOT_TAKEN
    const codePoint =
      ((lead & 0x07) << 18) | ((second & 0x3f) << 12) | ((third & 0x3f) << 6) | (fourth & 0x3f)
    if (codePoint < 0x1_0000 || codePoint > 0x10_ffff || lead > 0xf4) return NOT_TAKEN
    printCodePoint(this.#state, codePoint)
    return at + 4
  }

  /** A control sequence without intermediates that is whole in the chunk. `from` is after the escape. */
  #feedSequence(bytes: Uint8Array, from: number): number {
    if (bytes[from] !== CSI_LETTER) return NOT_TAKEN
    const { parser } = this.#state
    const { params } = parser
    let at = from + 1
    let byte = bytes[at] ?? 0
    let prefix = 0
    if (byte >= 0x3c && byte <= 0x3f) {
      prefix = byte
      byte = bytes[++at] ?? 0
    }
    let paramCount = 1
    let colons = 0
    let value = 0
    for (; byte >= 0x30 && byte <= 0x3b; byte = bytes[++at] ?? 0) {
      if (byte <= 0x39) {
        value = value * 10 + byte - 0x30
        if (value > PARAM_VALUE_MAX) value = PARAM_VALUE_MAX
      } else {
        if (paramCount >= PARAMS_MAX) return NOT_TAKEN
        params[paramCount - 1] = value
        if (byte === 0x3a) colons |= 1 << paramCount
        paramCount++
        value = 0
      }
    }
    if (byte < 0x40 || byte > 0x7e) return NOT_TAKEN
    params[paramCount - 1] = value
    parser.paramCount = paramCount
    parser.colons = colons
    parser.prefix = prefix
    parser.intermediates = 0
    controlSequence(this.#state, byte)
    return at + 1
  }
}
