import { capabilityAnswers } from '../query-answers.ts'
import { controlSequence } from './csi.ts'
import { carriageReturn, lineFeed, moveTo } from './cursor.ts'
import { eraseInLine } from './edit.ts'
import { controlCharacter, designate, escapeSequence } from './escape.ts'
import { operatingSystemCommand } from './osc.ts'
import { GROUND } from './parser-table.ts'
import { PARAMS_MAX, PARAM_VALUE_MAX, type ParserSink } from './parser.ts'
import { printCharacter, printEncoded, printRun } from './print.ts'
import { settingReport } from './reports.ts'
import { selectGraphics } from './sgr.ts'
import type { TerminalState } from './terminal-state.ts'
import { BROKEN, PENDING, REPLACEMENT, type Utf8Decoder } from './utf8.ts'

const ESC = 0x1b
const CSI_LETTER = 0x5b
const SGR = 0x6d
const CUP = 0x48
const EL = 0x4b
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
      if (byte >= 0x20 && byte !== 0x7f) {
        let next = state.plainText ? printRun(state, bytes, at) : at
        if (next === at && byte >= 0xc2) next = printEncoded(state, bytes, at)
        if (next <= at) return at
        at = next
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
      } else {
        return at
      }
    }
    return at
  }

  /** A control sequence without intermediates that is whole in the chunk. `from` is after the escape. */
  #feedSequence(bytes: Uint8Array, from: number): number {
    if (from + 1 >= bytes.length) return NOT_TAKEN
    if (bytes[from] !== CSI_LETTER) return this.#feedEscape(bytes, from)
    const { parser } = this.#state
    const { params } = parser
    let at = from + 1
    let prefix = bytes[at] ?? 0
    if (prefix >= 0x3c && prefix <= 0x3f) at++
    else prefix = 0
    let paramCount = 1
    let colons = 0
    let value = 0
    for (; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0
      if (byte >= 0x30 && byte <= 0x39) {
        value = value * 10 + byte - 0x30
        if (value > PARAM_VALUE_MAX) value = PARAM_VALUE_MAX
      } else if (byte === 0x3b || byte === 0x3a) {
        if (paramCount >= PARAMS_MAX) return NOT_TAKEN
        params[paramCount - 1] = value
        if (byte === 0x3a) colons |= 1 << paramCount
        paramCount++
        value = 0
      } else if (byte >= 0x40 && byte <= 0x7e) {
        params[paramCount - 1] = value
        parser.paramCount = paramCount
        parser.colons = colons
        parser.prefix = prefix
        parser.intermediates = 0
        this.#dispatch(prefix, byte)
        return at + 1
      } else {
        return NOT_TAKEN
      }
    }
    return NOT_TAKEN
  }

  /** The most frequent sequences without a way round through the table. */
  #dispatch(prefix: number, final: number): void {
    const state = this.#state
    const { params, paramCount } = state.parser
    if (prefix === 0 && final === SGR) {
      selectGraphics(state)
    } else if (prefix === 0 && final === CUP) {
      state.lastGraphic = 0
      moveTo(state, (params[0] || 1) - 1, paramCount > 1 ? (params[1] || 1) - 1 : 0)
    } else if (prefix === 0 && final === EL) {
      state.lastGraphic = 0
      eraseInLine(state, params[0] ?? 0, false)
    } else {
      controlSequence(state, final)
    }
  }

  /** `ESC ( B`, which programs that use terminfo send with every change of colour. */
  #feedEscape(bytes: Uint8Array, from: number): number {
    if (bytes[from] !== 0x28 || bytes[from + 1] !== 0x42) return NOT_TAKEN
    this.#state.lastGraphic = 0
    designate(this.#state, 0, 0x42)
    return from + 2
  }
}
