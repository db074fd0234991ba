/** The targets of hyperlinks (OSC 8) by number; 0 is no link. Links with the same id and target are one. */
export class LinkTable {
  readonly #links: { readonly id: string; readonly uri: string }[] = [{ id: '', uri: '' }]
  readonly #numbers = new Map<string, number>()

  get size(): number {
    return this.#links.length
  }

  intern(id: string, uri: string): number {
    const key = `${id}\n${uri}`
    const known = this.#numbers.get(key)
    if (known !== undefined) return known
    const number = this.#links.push({ id, uri }) - 1
    this.#numbers.set(key, number)
    return number
  }

  uriOf(link: number): string {
    return this.#links[link]?.uri ?? ''
  }

  idOf(link: number): string {
    return this.#links[link]?.id ?? ''
  }
}
