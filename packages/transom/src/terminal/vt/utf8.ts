export const REPLACEMENT = 0xfffd
/** No character is complete yet. */
export const PENDING = -1
/** The byte doesn't continue the character: it is replaced, and the byte is to be read again. */
export const BROKEN = -2

/**
 * Decodes UTF-8 byte by byte. Of an ill-formed sequence each maximal subpart becomes one U+FFFD, as the Unicode
 * standard (3.9, table 3-8) and the web do.
 */
export class Utf8Decoder {
  /** How many bytes of the character are still to come. */
  needed = 0
  codePoint = 0
  lower = 0x80
  upper = 0xbf

  /** A code point, PENDING or BROKEN. */
  next(byte: number): number {
    if (this.needed === 0) return this.#lead(byte)
    if (byte < this.lower || byte > this.upper) {
      this.needed = 0
      return BROKEN
    }
    this.lower = 0x80
    this.upper = 0xbf
    this.codePoint = (this.codePoint << 6) | (byte & 0x3f)
    return --this.needed === 0 ? this.codePoint : PENDING
  }

  #lead(byte: number): number {
    if (byte < 0x80) return byte
    if (byte < 0xc2 || byte > 0xf4) return REPLACEMENT
    this.lower = 0x80
    this.upper = 0xbf
    if (byte < 0xe0) {
      this.needed = 1
      this.codePoint = byte & 0x1f
    } else if (byte < 0xf0) {
      this.needed = 2
      this.codePoint = byte & 0x0f
      if (byte === 0xe0) this.lower = 0xa0
      if (byte === 0xed) this.upper = 0x9f // surrogates are no characters
    } else {
      this.needed = 3
      this.codePoint = byte & 0x07
      if (byte === 0xf0) this.lower = 0x90
      if (byte === 0xf4) this.upper = 0x8f // past U+10FFFF
    }
    return PENDING
  }
}
