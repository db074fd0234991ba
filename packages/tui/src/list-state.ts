/** Which row of a list is selected, and which rows are in view. */
export class ListState {
  #count = 0
  #height = 1
  #selected = 0
  #top = 0

  /** The index of the selected row; -1 in an empty list. */
  get selected(): number {
    return this.#count === 0 ? -1 : this.#selected
  }

  /** The index of the first row in view. */
  get top(): number {
    return this.#top
  }

  /** Takes the number of rows that there are and that are in view. The selection stays on a row that there is. */
  resize(count: number, height: number): void {
    this.#count = count
    this.#height = Math.max(1, height)
    this.select(this.#selected)
  }

  select(index: number): void {
    this.#selected = Math.max(0, Math.min(index, this.#count - 1))
    this.#top = Math.min(this.#top, this.#selected, Math.max(0, this.#count - this.#height))
    this.#top = Math.max(this.#top, this.#selected - this.#height + 1)
  }

  /** Does what a key does in a list; false for a key that means nothing to it. */
  handleKey(name: string): boolean {
    switch (name) {
      case 'Up':
        this.select(this.#selected - 1)
        return true
      case 'Down':
        this.select(this.#selected + 1)
        return true
      case 'PageUp':
        this.select(this.#selected - this.#height)
        return true
      case 'PageDown':
        this.select(this.#selected + this.#height)
        return true
      case 'Home':
        this.select(0)
        return true
      case 'End':
        this.select(this.#count - 1)
        return true
      default:
        return false
    }
  }
}
