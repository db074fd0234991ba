/**
 * Where a text stops being JSON, as an offset, or null if it is JSON. The messages of JSON.parse() name the place
 * in some versions of Node and for some mistakes only.
 */
export function jsonErrorOffset(text: string): number | null {
  const scan = new JsonScan(text)
  try {
    scan.value()
    scan.end()
    return null
  } catch (error) {
    if (error instanceof NotJson) return error.offset
    throw error
  }
}

const DEPTH_MAX = 1000 // far past any script, far before the stack's end

class NotJson extends Error {
  readonly offset: number

  constructor(offset: number) {
    super('not JSON')
    this.offset = offset
  }
}

const BLANKS = /[ \t\n\r]*/y
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const LITERAL = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

class JsonScan {
  readonly #text: string
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
  }

  value(): void {
    this.#skip(BLANKS)
    const first = this.#text[this.#at]
    if (++this.#depth > DEPTH_MAX) throw new NotJson(this.#at)
    if (first === '{') this.#list('}', () => this.#member())
    else if (first === '[') this.#list(']', () => this.value())
    else if (first === '"') this.#must(STRING)
    else this.#must(LITERAL)
    this.#depth--
    this.#skip(BLANKS)
  }

  end(): void {
    if (this.#at < this.#text.length) throw new NotJson(this.#at)
  }

  #list(close: string, item: () => void): void {
    this.#at++
    this.#skip(BLANKS)
    if (this.#text[this.#at] === close) {
      this.#at++
      return
    }
    for (;;) {
      item()
      const next = this.#text[this.#at]
      if (next !== ',' && next !== close) throw new NotJson(this.#at)
      this.#at++
      if (next === close) return
    }
  }

  #member(): void {
    this.#skip(BLANKS)
    this.#must(STRING)
    this.#skip(BLANKS)
    if (this.#text[this.#at] !== ':') throw new NotJson(this.#at)
    this.#at++
    this.value()
  }

  #skip(pattern: RegExp): number {
    pattern.lastIndex = this.#at
    const length = pattern.exec(this.#text)?.[0].length ?? 0
    this.#at += length
    return length
  }

  #must(pattern: RegExp): void {
    if (this.#skip(pattern) === 0) throw new NotJson(this.#at)
  }
}
