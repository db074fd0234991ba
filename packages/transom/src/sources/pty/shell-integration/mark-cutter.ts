/** What a mark says; the digits are what the shells print. */
export type Mark =
  /** A block that was asked for begins: `request` is the number it was asked for under. */
  | { readonly kind: 'begin'; readonly request: number }
  /** A command that somebody typed begins. Null where the shell does not tell the text. */
  | { readonly kind: 'typed'; readonly command: Buffer | null; readonly cwd: Buffer }
  | { readonly kind: 'end'; readonly exitCode: number; readonly cwd: Buffer }
  /** The shell is ready for a command. */
  | { readonly kind: 'prompt'; readonly exitCode: number }
  /** The prompt begins: a block that runs has ended, and nothing else is said. */
  | { readonly kind: 'line'; readonly exitCode: number; readonly cwd: Buffer }

export type Unquote = (quoted: Buffer) => Buffer

const INTRODUCER = '\x1b]7717;'
const TERMINATOR = 0x07
/** A typed command is cut at 4000 characters by the shell, and quoting makes at most six times as much of it. */
export const MARK_BYTES_MAX = 64 << 10

/**
 * Cuts the marks of the shell integration out of a stream of bytes. A mark is the introducer, the nonce and fields
 * without a terminator, and may come in any number of pieces. Every other byte goes on as it came: also what looks
 * like a mark and has another nonce.
 */
export class MarkCutter {
  readonly #prefix: Buffer
  readonly #unquote: Unquote
  #held: Buffer = Buffer.alloc(0)

  /** Digits and punctuation only: a program may leave the terminal translating letters (`stty olcuc`). */
  constructor(nonce: string, unquote: Unquote) {
    this.#prefix = Buffer.from(`${INTRODUCER}${nonce};`, 'latin1')
    this.#unquote = unquote
  }

  /** The bytes and marks of a chunk, in order. Holds back what may be the start of a mark. */
  take(chunk: Buffer): (Buffer | Mark)[] {
    const all = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const parts: (Buffer | Mark)[] = []
    let from = 0
    let start = all.indexOf(this.#prefix)
    while (start >= 0) {
      const end = all.indexOf(TERMINATOR, start + this.#prefix.length)
      if (end < 0 && all.length - start <= MARK_BYTES_MAX) break
      const mark = end < 0 ? null : this.#parse(all.subarray(start + this.#prefix.length, end))
      if (mark !== null) {
        if (start > from) parts.push(all.subarray(from, start))
        parts.push(mark)
        from = end + 1
      }
      start = all.indexOf(this.#prefix, mark === null ? start + 1 : from)
    }
    const rest = start < 0 ? all.length - this.#startLength(all, from) : start
    if (rest > from) parts.push(all.subarray(from, rest))
    this.#held = all.subarray(rest)
    return parts
  }

  /** Whether what is held back may well be no mark: a program may print an ESC and then wait. */
  get unsure(): boolean {
    return this.#held.length > 0 && this.#held.length <= INTRODUCER.length
  }

  /** Gives up what is held back: it will not become a mark any more. */
  release(): Buffer {
    const held = this.#held
    this.#held = Buffer.alloc(0)
    return held
  }

  #startLength(bytes: Buffer, from: number): number {
    for (let length = Math.min(bytes.length - from, this.#prefix.length - 1); length > 0; length--) {
      if (this.#prefix.subarray(0, length).equals(bytes.subarray(bytes.length - length))) return length
    }
    return 0
  }

  #parse(body: Buffer): Mark | null {
    const fields = splitFields(body)
    const number = () => Number(fields[1]?.toString('latin1'))
    switch (fields[0]?.toString('latin1')) {
      case '1':
        return { kind: 'begin', request: number() }
      case '2': {
        const command = this.#unquote(fields[1] ?? Buffer.alloc(0))
        return {
          kind: 'typed',
          command: command.length === 0 ? null : command,
          cwd: this.#unquote(fields[2] ?? Buffer.alloc(0)),
        }
      }
      case '3':
        return { kind: 'end', exitCode: number(), cwd: this.#unquote(fields[2] ?? Buffer.alloc(0)) }
      case '4':
        return { kind: 'prompt', exitCode: number() }
      case '5':
        return { kind: 'line', exitCode: number(), cwd: this.#unquote(fields[2] ?? Buffer.alloc(0)) }
      default:
        return null
    }
  }
}

const SEPARATOR = 0x3b

/** At most three fields: the last one may hold separators. A quoted separator has a backslash or quotes about it. */
function splitFields(body: Buffer): Buffer[] {
  const kind = body.indexOf(SEPARATOR)
  if (kind < 0) return [body]
  const second = endOfField(body, kind + 1)
  if (second >= body.length) return [body.subarray(0, kind), body.subarray(kind + 1)]
  return [body.subarray(0, kind), body.subarray(kind + 1, second), body.subarray(second + 1)]
}

/** Where a quoted field ends: at the first separator outside quotes. */
function endOfField(body: Buffer, start: number): number {
  let quoted = false
  for (let at = start; at < body.length; at++) {
    const byte = body[at]
    if (byte === 0x5c)
      at++ // a backslash takes the next byte along
    else if (byte === 0x27) quoted = !quoted
    else if (byte === SEPARATOR && !quoted) return at
  }
  return body.length
}
