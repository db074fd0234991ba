import * as table from './parser-table.ts'

/** More than any sequence in use has; as in xterm. Those past it are dropped. */
export const PARAMS_MAX = 32
/** Larger numbers mean nothing on a screen, and must not overflow. */
export const PARAM_VALUE_MAX = 0x3fff_ffff
/** DECSCA, DECRQCRA and their like have one; no known sequence has more than two. */
const INTERMEDIATES_MAX = 4
/** Far more than a title, a link or a query needs; a longer string is swallowed and dropped as a whole. */
const STRING_CHARS_MAX = 1 << 16
/** What String.fromCodePoint takes at once without trouble. */
const PIECE_CHARS = 4096

/** OSC, DCS, or what is swallowed. */
export type StringKind = 'o' | 'd' | 's'

export interface ParserSink {
  print(codePoint: number): void
  execute(control: number): void
  escape(final: number): void
  csi(final: number): void
  osc(text: string): void
  dcs(final: number, text: string): void
}

/** Recognizes sequences, one character at a time, in any chunks. */
export class Parser {
  state = table.GROUND
  readonly params = new Int32Array(PARAMS_MAX)
  /** At least 1: a missing parameter is 0. */
  paramCount = 1
  /** Bit n is set where parameter n follows a colon: it is part of the one before. */
  colons = 0
  /** `<`, `=`, `>` or `?` after CSI or DCS, else 0. */
  prefix = 0
  /** The intermediate characters, eight bits each, the last one lowest. */
  intermediates = 0
  /** The final character of a DCS whose data is being read. */
  dcsFinal = 0
  stringKind: StringKind = 's'
  stringCodes = new Uint32Array(64)
  stringLength = 0
  stringOverflow = false

  /** Takes one character. */
  step(codePoint: number, sink: ParserSink): void {
    const character = codePoint < table.TABLE_CHARACTERS ? codePoint : table.TABLE_CHARACTERS - 1
    const transition = table.TRANSITIONS[this.state * table.TABLE_CHARACTERS + character] ?? 0
    this.state = transition & table.STATE_MASK
    switch (table.actionOf(transition)) {
      case table.PRINT:
        sink.print(codePoint)
        break
      case table.EXECUTE:
        sink.execute(codePoint)
        break
      case table.CLEAR:
        this.clear()
        break
      case table.COLLECT:
        this.#collect(codePoint)
        break
      case table.PARAM:
        this.#param(codePoint)
        break
      case table.ESC_DISPATCH:
        sink.escape(codePoint)
        break
      case table.CSI_DISPATCH:
        sink.csi(codePoint)
        break
      case table.STRING_START:
        this.#startString(this.state === table.OSC_STRING ? 'o' : 's')
        break
      case table.DCS_START:
        this.#startString('d')
        this.dcsFinal = codePoint
        break
      case table.STRING_PUT:
        this.#put(codePoint)
        break
      case table.STRING_END:
        this.#endString(sink)
        break
      case table.STRING_CANCEL:
        this.#dropString()
        break
      default:
        break
    }
  }

  clear(): void {
    this.params[0] = 0
    this.paramCount = 1
    this.colons = 0
    this.prefix = 0
    this.intermediates = 0
  }

  #collect(character: number): void {
    if (character >= 0x3c) this.prefix = character
    else if (this.intermediates >>> ((INTERMEDIATES_MAX - 1) * 8) === 0)
      this.intermediates = (this.intermediates << 8) | character
  }

  #param(character: number): void {
    const last = this.paramCount - 1
    if (character >= 0x3a) {
      if (this.paramCount > PARAMS_MAX) return
      this.paramCount++
      if (this.paramCount > PARAMS_MAX) return
      this.params[last + 1] = 0
      if (character === 0x3a) this.colons |= 1 << (last + 1)
    } else if (last < PARAMS_MAX) {
      this.params[last] = Math.min(PARAM_VALUE_MAX, (this.params[last] ?? 0) * 10 + character - 0x30)
    }
  }

  /** The string so far. */
  stringText(): string {
    let text = ''
    for (let at = 0; at < this.stringLength; at += PIECE_CHARS)
      text += String.fromCodePoint(
        ...this.stringCodes.subarray(at, Math.min(at + PIECE_CHARS, this.stringLength)),
      )
    return text
  }

  /** Puts back what stringCodes held. */
  restoreString(codePoints: readonly number[]): void {
    this.stringCodes = Uint32Array.from(
      { length: Math.max(64, codePoints.length) },
      (_, index) => codePoints[index] ?? 0,
    )
    this.stringLength = codePoints.length
  }

  #startString(kind: StringKind): void {
    // A C1 control begins a string without an ESC before it: the last sequence leaves no trace in a checkpoint.
    if (kind !== 'd') this.clear()
    this.#dropString()
    this.stringKind = kind
  }

  #put(codePoint: number): void {
    if (this.stringKind === 's' || this.stringOverflow) return
    if (this.stringLength >= STRING_CHARS_MAX) {
      this.stringLength = 0
      this.stringOverflow = true
      return
    }
    if (this.stringLength === this.stringCodes.length) {
      const larger = new Uint32Array(this.stringCodes.length * 2)
      larger.set(this.stringCodes)
      this.stringCodes = larger
    }
    this.stringCodes[this.stringLength++] = codePoint
  }

  #endString(sink: ParserSink): void {
    const kind = this.stringOverflow ? 's' : this.stringKind
    const { dcsFinal } = this
    const text = kind === 's' ? '' : this.stringText()
    this.#dropString()
    if (kind === 'o') sink.osc(text)
    else if (kind === 'd') sink.dcs(dcsFinal, text)
    this.clear()
  }

  #dropString(): void {
    this.stringLength = 0
    this.stringOverflow = false
    this.stringKind = 's'
    this.dcsFinal = 0 // what is over leaves no trace in a checkpoint
    if (this.stringCodes.length > PIECE_CHARS) this.stringCodes = new Uint32Array(64)
  }
}
