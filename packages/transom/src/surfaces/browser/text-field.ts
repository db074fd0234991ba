/** A line of text that is being edited, as code points. */
export class TextField {
  #before: string[]
  #after: string[] = []

  constructor(text: string) {
    this.#before = Array.from(text)
  }

  get text(): string {
    return [...this.#before, ...this.#after].join('')
  }

  /** How many characters are left of the cursor. */
  get cursor(): number {
    return this.#before.length
  }

  insert(text: string): void {
    this.#before.push(...Array.from(text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '')))
  }

  /** Does what a key does in a line editor; false when the key is none of its. */
  edit(name: string): boolean {
    const all = () => [...this.#before, ...this.#after]
    switch (name) {
      case 'Backspace':
        this.#before.pop()
        return true
      case 'Delete':
        this.#after.shift()
        return true
      case 'Left':
        this.#after.unshift(...this.#before.splice(-1))
        return true
      case 'Right':
        this.#before.push(...this.#after.splice(0, 1))
        return true
      case 'Home':
      case 'Ctrl+a':
        this.#after = all()
        this.#before = []
        return true
      case 'End':
      case 'Ctrl+e':
        this.#before = all()
        this.#after = []
        return true
      case 'Ctrl+u':
        this.#before = []
        return true
      default:
        return false
    }
  }
}
