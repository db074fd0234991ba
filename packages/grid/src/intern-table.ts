/**
 * Values by small number, each stored once: the styles and grapheme clusters that the cells of a Grid refer to.
 * Append-only, so that Grids of different moments can share one.
 */
export class InternTable<T> {
  readonly #keyOf: (value: T) => string
  readonly #ids = new Map<string, number>()
  readonly #values: T[] = []

  constructor(keyOf: (value: T) => string, first?: T) {
    this.#keyOf = keyOf
    if (first !== undefined) this.idOf(first)
  }

  get size(): number {
    return this.#values.length
  }

  idOf(value: T): number {
    const key = this.#keyOf(value)
    const known = this.#ids.get(key)
    if (known !== undefined) return known
    const id = this.#values.push(value) - 1
    this.#ids.set(key, id)
    return id
  }

  valueOf(id: number): T {
    const value = this.#values[id]
    if (value === undefined) throw new RangeError(`no interned value has id ${id}`)
    return value
  }
}
