/**
 * Undoes what the shells do to a text so that it fits on one line of printable characters: backslashes before special
 * characters, `'…'`, and `$'…'` with escapes. What bash's %q, zsh's (q) flags and fish's `string escape` print.
 */
export function unquoteShellWord(quoted: Buffer): Buffer {
  const bytes: number[] = []
  const reader = new WordReader(quoted, bytes)
  reader.read()
  return Buffer.from(bytes)
}

const BACKSLASH = 0x5c
const QUOTE = 0x27
const DOLLAR = 0x24
const ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  e: 27,
  E: 27,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
}

class WordReader {
  readonly #in: Buffer
  readonly #out: number[]
  #at = 0

  constructor(quoted: Buffer, out: number[]) {
    this.#in = quoted
    this.#out = out
  }

  read(): void {
    while (this.#at < this.#in.length) {
      const byte = this.#next()
      if (byte === DOLLAR && this.#in[this.#at] === QUOTE) {
        this.#at++
        this.#readQuoted(true)
      } else if (byte === QUOTE) this.#readQuoted(false)
      else if (byte === BACKSLASH) this.#readEscape()
      else this.#out.push(byte)
    }
  }

  #next(): number {
    return this.#in[this.#at++] ?? 0
  }

  /** Up to the closing quote; in plain quotes only fish escapes, and only the quote and the backslash. */
  #readQuoted(withEscapes: boolean): void {
    while (this.#at < this.#in.length) {
      const byte = this.#next()
      if (byte === QUOTE) return
      const next = this.#in[this.#at]
      if (byte !== BACKSLASH) this.#out.push(byte)
      else if (withEscapes) this.#readEscape()
      else if (next === QUOTE || next === BACKSLASH) this.#out.push(this.#next())
      else this.#out.push(byte)
    }
  }

  #readEscape(): void {
    const letter = String.fromCharCode(this.#next())
    const simple = ESCAPES[letter]
    if (simple !== undefined) this.#out.push(simple)
    else if (letter === 'x' || letter === 'X') this.#out.push(this.#readNumber(/^[0-9a-fA-F]{1,2}/, 16))
    else if (letter === 'u') this.#readCodePoint(/^[0-9a-fA-F]{1,4}/)
    else if (letter === 'U') this.#readCodePoint(/^[0-9a-fA-F]{1,8}/)
    else if (letter === 'c') this.#out.push(this.#next() & 0x1f)
    else if (/[0-7]/.test(letter)) {
      this.#at--
      this.#out.push(this.#readNumber(/^[0-7]{1,3}/, 8) & 0xff)
    } else this.#out.push(letter.charCodeAt(0))
  }

  #readNumber(digits: RegExp, radix: number): number {
    const text = digits.exec(this.#in.toString('latin1', this.#at, this.#at + 8))?.[0] ?? '0'
    this.#at += text.length
    return parseInt(text, radix)
  }

  #readCodePoint(digits: RegExp): void {
    const point = this.#readNumber(digits, 16)
    this.#out.push(...Buffer.from(point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd'))
  }
}
