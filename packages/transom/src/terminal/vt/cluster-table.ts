import { CLUSTER_BASE, type ValueTable } from '@transom/grid'
import { BREAKS, codePointTable, firstState, isEmoji, joinedState, widthOf } from './unicode.ts'

/** A flag of a region has seven code points, a family eleven. What a program stacks above it is not shown. */
const CLUSTER_CODE_POINTS_MAX = 32
const TEXT_SELECTOR = 0xfe0e
const EMOJI_SELECTOR = 0xfe0f

/** Texts of several code points that share a cell, by number. */
export class ClusterTable implements ValueTable<string> {
  readonly #texts: string[] = []
  readonly #codePoints: number[] = []
  readonly #states: number[] = []
  readonly #widths: number[] = []
  readonly #ids = new Map<string, number>()
  /** Which cluster follows from a cell code and one more code point. */
  readonly #joined = new Map<number, number>()

  get size(): number {
    return this.#texts.length
  }

  valueOf(id: number): string {
    const text = this.#texts[id]
    if (text === undefined) throw new RangeError(`no cluster has id ${id}`)
    return text
  }

  /** The text in a cell: of a code point or a cluster. */
  textOf(code: number): string {
    return code < CLUSTER_BASE ? String.fromCodePoint(code) : this.valueOf(code - CLUSTER_BASE)
  }

  widthOf(code: number): number {
    if (code >= CLUSTER_BASE) return this.#widths[code - CLUSTER_BASE] ?? 1
    return widthOf(codePointTable()[code] ?? 0) || 1
  }

  /** Whether a code point belongs to the cluster in a cell, by the rules of UAX #29. */
  joins(code: number, codePoint: number): boolean {
    return joinedState(this.#stateOf(code), codePointTable()[codePoint] ?? 0) !== BREAKS
  }

  /** The cell code of the text in a cell with one more code point; the same when it is full. */
  append(code: number, codePoint: number): number {
    const key = code * 0x20_0000 + codePoint
    const known = this.#joined.get(key)
    if (known !== undefined) return known
    const joined = this.#append(code, codePoint)
    if (joined !== code) this.#joined.set(key, joined) // a full cell would fill the map without end
    return joined
  }

  /** The cell code of a text that was stored. */
  intern(text: string): number {
    let code = 0
    for (const character of text) {
      const codePoint = character.codePointAt(0) ?? 0
      code = code === 0 ? codePoint : this.append(code, codePoint)
    }
    return code
  }

  #append(code: number, codePoint: number): number {
    const length = code < CLUSTER_BASE ? 1 : (this.#codePoints[code - CLUSTER_BASE] ?? 1)
    if (length >= CLUSTER_CODE_POINTS_MAX) return code
    const text = this.textOf(code) + String.fromCodePoint(codePoint)
    const known = this.#ids.get(text)
    if (known !== undefined) return CLUSTER_BASE + known
    const value = codePointTable()[codePoint] ?? 0
    const joined = joinedState(this.#stateOf(code), value)
    const id = this.#texts.push(text) - 1
    this.#ids.set(text, id)
    this.#codePoints.push(length + 1)
    this.#states.push(joined === BREAKS ? firstState(value) : joined)
    this.#widths.push(this.#joinedWidth(code, codePoint))
    return CLUSTER_BASE + id
  }

  #joinedWidth(code: number, codePoint: number): number {
    const width = this.widthOf(code)
    const table = codePointTable()
    if (codePoint === EMOJI_SELECTOR) {
      const first = this.textOf(code).codePointAt(0) ?? 0
      return isEmoji(table[first] ?? 0) ? 2 : width
    }
    if (codePoint === TEXT_SELECTOR) return code < CLUSTER_BASE && isEmoji(table[code] ?? 0) ? 1 : width
    return Math.min(2, width + widthOf(table[codePoint] ?? 0))
  }

  #stateOf(code: number): number {
    if (code >= CLUSTER_BASE) return this.#states[code - CLUSTER_BASE] ?? 0
    return firstState(codePointTable()[code] ?? 0)
  }
}
