import {
  BREAKS,
  CLUSTER_BASE,
  CLUSTER_CODE_POINTS_MAX,
  codePointTable,
  firstState,
  joinedState,
  joinedWidth,
  widthOf,
  type ValueTable,
} from '@transom/grid'

/** A text has few clusters that are new to it; each takes 12 bytes. */
const RECENT_JOINS = 256
const RECENT_SHIFT = 24 // 32 bits of hash, of which eight are the place

/** Texts of several code points that share a cell, by number. */
export class ClusterTable implements ValueTable<string> {
  readonly #texts: string[] = []
  readonly #codePoints: number[] = []
  readonly #states: number[] = []
  readonly #widths: number[] = []
  readonly #ids = new Map<string, number>()
  /** Which clusters followed last from a cell code and one more code point: three numbers each, by hash. */
  readonly #recent = new Uint32Array(RECENT_JOINS * 3)

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
    const recent = this.#recent
    const place = ((Math.imul(code, 0x9e37_79b1) + Math.imul(codePoint, 0x85eb_ca6b)) >>> RECENT_SHIFT) * 3
    if (recent[place] === code && recent[place + 1] === codePoint) return recent[place + 2] ?? 0
    const joined = this.#append(code, codePoint)
    recent[place] = code
    recent[place + 1] = codePoint
    recent[place + 2] = joined
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
    this.#widths.push(joinedWidth(this.textOf(code), this.widthOf(code), codePoint))
    return CLUSTER_BASE + id
  }

  #stateOf(code: number): number {
    if (code >= CLUSTER_BASE) return this.#states[code - CLUSTER_BASE] ?? 0
    return firstState(codePointTable()[code] ?? 0)
  }
}
