/** The content of a mark; the digits are what the shells print. */
export type Mark =
  /** A block that was asked for begins: `request` is the number it was asked for under. */
  | { readonly kind: 'begin'; readonly request: number }
  /** A command that a user typed begins. Null if the shell does not report its text. */
  | { readonly kind: 'typed'; readonly command: Buffer | null; readonly cwd: Buffer }
  | { readonly kind: 'end'; readonly exitCode: number; readonly cwd: Buffer }
  /** The shell is ready for a command. */
  | { readonly kind: 'prompt'; readonly exitCode: number }
  /** The prompt begins: a running block has ended. The mark carries nothing else. */
  | { readonly kind: 'line'; readonly exitCode: number; readonly cwd: Buffer }
  /** The shell reads a text from its terminal, without echo. */
  | { readonly kind: 'asks' }

/** A mark, and the nonce of the shell that printed it. */
export interface CutMark {
  readonly nonce: string
  readonly mark: Mark
}

export type Unquote = (quoted: Buffer) => Buffer

const INTRODUCER = '\x1b]7717;'
const TERMINATOR = 0x07
const ESCAPE = 0x1b
/** A typed command is cut at 4000 characters by the shell, and quoting makes at most six times as much of it. */
export const MARK_BYTES_MAX = 64 << 10

/**
 * Cuts the marks of the shell integration out of a stream of bytes. A mark is the introducer, the nonce of a shell
 * that is known, and fields without a terminator, and may come in any number of pieces. Every other byte goes on as
 * it came: also what looks like a mark and has another nonce.
 */
export class MarkCutter {
  readonly #shells = new Map<string, { readonly prefix: Buffer; readonly unquote: Unquote }>()
  #held: Buffer = Buffer.alloc(0)

  /** Makes the marks with this nonce known. Digits only: a program may leave the terminal translating letters. */
  know(nonce: string, unquote: Unquote): void {
    this.#shells.set(nonce, { prefix: Buffer.from(`${INTRODUCER}${nonce};`, 'latin1'), unquote })
  }

  forget(nonce: string): void {
    this.#shells.delete(nonce)
  }

  /** The bytes and marks of a chunk, in order. Holds back what may be the start of a mark. */
  take(chunk: Buffer): (Buffer | CutMark)[] {
    const all = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk])
    const parts: (Buffer | CutMark)[] = []
    let from = 0
    let start = all.indexOf(INTRODUCER)
    let rest = -1
    for (; start >= 0; start = all.indexOf(INTRODUCER, Math.max(start + 1, from))) {
      const found = this.#markAt(all, start)
      if (found === 'unfinished') {
        rest = start
        break
      }
      if (found === null) continue
      if (start > from) parts.push(all.subarray(from, start))
      parts.push(found.cut)
      from = found.end
    }
    if (rest < 0) rest = all.length - this.#startLength(all, from)
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

  #markAt(all: Buffer, start: number): { cut: CutMark; end: number } | 'unfinished' | null {
    for (const [nonce, { prefix, unquote }] of this.#shells) {
      if (all.compare(prefix, 0, prefix.length, start, Math.min(start + prefix.length, all.length)) !== 0)
        continue
      const end = all.indexOf(TERMINATOR, start + prefix.length)
      if (end < 0) return all.length - start <= MARK_BYTES_MAX ? 'unfinished' : null
      const mark = parseMark(all.subarray(start + prefix.length, end), unquote)
      return mark === null ? null : { cut: { nonce, mark }, end: end + 1 }
    }
    return null
  }

  /** How much of the end may be the start of a mark. Its only ESC is its first byte. */
  #startLength(bytes: Buffer, from: number): number {
    const start = bytes.lastIndexOf(ESCAPE)
    if (start < from) return 0
    const tail = bytes.subarray(start)
    for (const { prefix } of this.#shells.values()) {
      if (tail.length < prefix.length && prefix.subarray(0, tail.length).equals(tail)) return tail.length
    }
    return 0
  }
}

function parseMark(body: Buffer, unquote: Unquote): Mark | null {
  const fields = splitFields(body)
  const number = () => Number(fields[1]?.toString('latin1'))
  switch (fields[0]?.toString('latin1')) {
    case '1':
      return { kind: 'begin', request: number() }
    case '2': {
      const command = unquote(fields[1] ?? Buffer.alloc(0))
      return {
        kind: 'typed',
        command: command.length === 0 ? null : command,
        cwd: unquote(fields[2] ?? Buffer.alloc(0)),
      }
    }
    case '3':
      return { kind: 'end', exitCode: number(), cwd: unquote(fields[2] ?? Buffer.alloc(0)) }
    case '4':
      return { kind: 'prompt', exitCode: number() }
    case '5':
      return { kind: 'line', exitCode: number(), cwd: unquote(fields[2] ?? Buffer.alloc(0)) }
    case '6':
      return { kind: 'asks' }
    default:
      return null
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
