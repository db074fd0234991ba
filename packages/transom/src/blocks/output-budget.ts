import { characterBytes, plainLines, type PlainLine } from '../lib/plain-text.ts'

/** Of what is kept when output must be cut: the end, where results and errors are, matters more. */
const HEAD_SHARE = 0.4
/**
 * What a model counts. No tokenizer of ours could match all of theirs: four characters of ASCII to a token is what
 * English text and program output come to, and other scripts cost about a token for each character.
 */
const TOKENS_PER_ASCII = 1 / 4
const TOKENS_PER_OTHER = 1
/** Raw bytes are read as base64, four characters for three bytes, which no tokenizer packs well. */
const TOKENS_PER_RAW_BYTE = 1 / 2

export interface BudgetOptions {
  readonly maxBytes?: number | undefined
  readonly maxTokens?: number | undefined
  /** Text with escape sequences removed (the default); false for the bytes as they were printed. */
  readonly plain?: boolean | undefined
  /** The cursor of the first byte. */
  readonly fromCursor?: number | undefined
}

export interface BudgetedOutput {
  /** All of it when nothing was left out, then `tail` is empty. UTF-8 unless raw. */
  readonly head: Buffer
  readonly tail: Buffer
  /** The bytes that were printed, before anything was removed. */
  readonly bytes: number
  /** The cursors between which the printed bytes lie that are in neither part; null if there are none. */
  readonly omitted: { readonly from_cursor: number; readonly to_cursor: number } | null
}

/**
 * Makes output fit into a budget: its head and its tail are kept, cut between characters and where it costs little
 * between lines, and the cursors say where the rest can be read.
 */
export function outputBudget(bytes: Uint8Array, options: BudgetOptions = {}): BudgetedOutput {
  return options.plain === false ? fitRaw(bytes, options) : fitPlain(bytes, options)
}

/** A stretch of output, and the cursor of its first byte. */
export interface OutputStretch {
  readonly bytes: Uint8Array
  readonly cursor: number
}

/** As outputBudget(), for output that is too long to be held: of its two ends, what lies between being left out. */
export function endsBudget(
  ends: { readonly head: OutputStretch; readonly tail: OutputStretch; readonly bytes: number },
  options: BudgetOptions,
): BudgetedOutput {
  const { head, tail, bytes } = ends
  if (options.plain !== false)
    return cutPlain([...plainLines(head.bytes)], [...plainLines(tail.bytes)], ends, options)
  const budget = rawBudget(options)
  const headMax = Math.min(Math.floor(budget * HEAD_SHARE), head.bytes.length)
  const headEnd = boundaryBefore(head.bytes, headMax)
  const tailBytes = Math.min(budget - headMax, tail.bytes.length)
  const tailStart = boundaryAfter(tail.bytes, tail.bytes.length - tailBytes)
  return {
    head: Buffer.from(head.bytes.subarray(0, headEnd)),
    tail: Buffer.from(tail.bytes.subarray(tailStart)),
    bytes,
    omitted: { from_cursor: head.cursor + headEnd, to_cursor: tail.cursor + tailStart },
  }
}

/** Head and tail as one text, with a note between them about what was left out. */
export function budgetedText({ head, tail, omitted }: BudgetedOutput): string {
  if (omitted === null) return head.toString()
  const { from_cursor, to_cursor } = omitted
  const note = `[… ${to_cursor - from_cursor} bytes left out: cursors ${from_cursor} to ${to_cursor} …]`
  const before = head.length > 0 && head.at(-1) !== 0x0a ? '\n' : ''
  return `${head.toString()}${before}${note}\n${tail.toString()}`
}

function fitPlain(bytes: Uint8Array, options: BudgetOptions): BudgetedOutput {
  const from = options.fromCursor ?? 0
  const lines = [...plainLines(bytes)]
  const head = new Part(limitsOf(options, 1))
  if (lines.every((line) => head.take(line.text))) {
    return { head: head.toBuffer('head'), tail: Buffer.alloc(0), bytes: bytes.length, omitted: null }
  }
  const all = { bytes, cursor: from }
  return cutPlain(lines, lines, { head: all, tail: all, bytes: bytes.length }, options)
}

/** Keeps what fits of the first and of the last lines. */
function cutPlain(
  headLines: readonly PlainLine[],
  tailLines: readonly PlainLine[],
  { head, tail, bytes }: { head: OutputStretch; tail: OutputStretch; bytes: number },
  options: BudgetOptions,
): BudgetedOutput {
  const first = new Part(limitsOf(options, HEAD_SHARE))
  const last = new Part(remaining(limitsOf(options, 1), limitsOf(options, HEAD_SHARE)))
  const from = head.cursor + takeHead(first, headLines)
  const to = tail.cursor + takeTail(last, tailLines)
  return {
    head: first.toBuffer('head'),
    tail: last.toBuffer('tail'),
    bytes,
    omitted: { from_cursor: from, to_cursor: Math.max(to, from) },
  }
}

interface Limits {
  readonly bytes: number
  readonly tokens: number
}

function limitsOf({ maxBytes, maxTokens }: BudgetOptions, share: number): Limits {
  return { bytes: (maxBytes ?? Infinity) * share, tokens: (maxTokens ?? Infinity) * share }
}

function remaining(all: Limits, used: Limits): Limits {
  const rest = (whole: number, part: number) => (whole === Infinity ? Infinity : whole - part)
  return { bytes: rest(all.bytes, used.bytes), tokens: rest(all.tokens, used.tokens) }
}

/** Takes lines from the start; returns where among the bytes the first one begins that is not in it. */
function takeHead(part: Part, lines: readonly PlainLine[]): number {
  for (const line of lines) {
    if (part.take(line.text)) continue
    const kept = prefixThatFits(line.text, part.room())
    if (part.bytes > Buffer.byteLength(line.text.slice(0, kept))) return line.start // not much is lost
    part.take(line.text.slice(0, kept))
    return droppedStart(line, kept)
  }
  return lines.at(-1)?.end ?? 0
}

/** Takes lines from the end; returns where among the bytes the last one ends that is not in it. */
function takeTail(part: Part, lines: readonly PlainLine[]): number {
  for (const line of lines.toReversed()) {
    if (part.take(line.text)) continue
    const dropped = suffixThatFits(line.text, part.room())
    if (part.bytes > Buffer.byteLength(line.text.slice(dropped))) return line.end
    part.take(line.text.slice(dropped))
    return droppedEnd(line, dropped)
  }
  return lines[0]?.start ?? 0
}

/** What is kept of one end of the output. */
class Part {
  readonly #limits: Limits
  readonly #pieces: string[] = []
  bytes = 0
  #tokens = 0

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** False, and nothing is taken, when it does not fit. */
  take(text: string): boolean {
    const { bytes, tokens } = costOf(text)
    const room = this.room()
    if (bytes > room.bytes || tokens > room.tokens) return false
    this.#pieces.push(text)
    this.bytes += bytes
    this.#tokens += tokens
    return true
  }

  room(): Limits {
    return { bytes: this.#limits.bytes - this.bytes, tokens: this.#limits.tokens - this.#tokens }
  }

  toBuffer(end: 'head' | 'tail'): Buffer {
    return Buffer.from((end === 'head' ? this.#pieces : this.#pieces.toReversed()).join(''))
  }
}

function costOf(text: string): Limits {
  const bytes = Buffer.byteLength(text)
  if (bytes === text.length) return { bytes, tokens: bytes * TOKENS_PER_ASCII }
  let tokens = 0
  for (const character of text) tokens += character < '\x80' ? TOKENS_PER_ASCII : TOKENS_PER_OTHER
  return { bytes, tokens }
}

/** How much of a text, from its start, fits into the room that is left. */
function prefixThatFits(text: string, room: Limits): number {
  let { bytes, tokens } = room
  let end = 0
  for (const character of text) {
    const cost = costOf(character)
    bytes -= cost.bytes
    tokens -= cost.tokens
    if (bytes < 0 || tokens < 0) break
    end += character.length
  }
  while (end > 0 && !cutsBetween(text, end)) end -= lengthBefore(text, end)
  return end
}

/** Where the part of a text begins, up to its end, that fits into the room that is left. */
function suffixThatFits(text: string, room: Limits): number {
  let { bytes, tokens } = room
  let start = text.length
  while (start > 0) {
    const length = lengthBefore(text, start)
    const cost = costOf(text.slice(start - length, start))
    bytes -= cost.bytes
    tokens -= cost.tokens
    if (bytes < 0 || tokens < 0) break
    start -= length
  }
  while (start < text.length && !cutsBetween(text, start)) start += lengthAt(text, start)
  return start
}

function lengthAt(text: string, index: number): number {
  return (text.codePointAt(index) ?? 0) > 0xffff ? 2 : 1
}

function lengthBefore(text: string, index: number): number {
  return index > 1 && (text.codePointAt(index - 2) ?? 0) > 0xffff ? 2 : 1
}

/** Whether a character ends in front of this one: no cut within a letter and its marks, or a joined emoji. */
function cutsBetween(text: string, index: number): boolean {
  const next = String.fromCodePoint(text.codePointAt(index) ?? 0)
  return !/[\p{M}\p{Emoji_Modifier}\u200d]/u.test(next) && text[index - 1] !== '\u200d'
}

/** Where among the bytes the part of a line begins that is left out, its first `kept` being in the head. */
function droppedStart({ text, start, end, origins }: PlainLine, kept: number): number {
  if (origins === null) return start + Buffer.byteLength(text.slice(0, kept))
  let from = end
  for (const origin of origins.slice(codePoints(text.slice(0, kept)))) from = Math.min(from, origin)
  return from
}

/** Where among the bytes the part of a line ends that is left out, what follows `dropped` being in the tail. */
function droppedEnd({ text, start, end, origins }: PlainLine, dropped: number): number {
  if (origins === null) return start + Buffer.byteLength(text.slice(0, dropped))
  if (dropped === text.length) return end
  // A character goes on to where the next begins, with whatever of escape sequences lies between them.
  let to = origins[codePoints(text.slice(0, dropped))] ?? end
  let index = 0
  for (const character of text.slice(0, dropped)) {
    to = Math.max(to, (origins[index] ?? start) + Buffer.byteLength(character))
    index++
  }
  return Math.min(to, end)
}

function codePoints(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; index += lengthAt(text, index)) count++
  return count
}

function fitRaw(bytes: Uint8Array, options: BudgetOptions): BudgetedOutput {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (buffer.length <= rawBudget(options)) {
    return { head: buffer, tail: Buffer.alloc(0), bytes: buffer.length, omitted: null }
  }
  const all = { bytes: buffer, cursor: options.fromCursor ?? 0 }
  return endsBudget({ head: all, tail: all, bytes: buffer.length }, options)
}

function rawBudget({ maxBytes, maxTokens }: BudgetOptions): number {
  return Math.floor(Math.min(maxBytes ?? Infinity, (maxTokens ?? Infinity) / TOKENS_PER_RAW_BYTE))
}

/** A character has at most this many bytes after its first. */
const CONTINUATIONS_MAX = 3

function boundaryBefore(bytes: Uint8Array, at: number): number {
  for (let start = Math.max(0, at - CONTINUATIONS_MAX); start < at; start++) {
    if (start + characterBytes(bytes, start) > at) return start
  }
  return at
}

function boundaryAfter(bytes: Uint8Array, at: number): number {
  for (let start = Math.max(0, at - CONTINUATIONS_MAX); start < at; start++) {
    const end = start + characterBytes(bytes, start)
    if (end > at) return end
  }
  return at
}
