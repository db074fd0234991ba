const STACK_DEPTH_MAX = 16 // as kitty itself has it; a deeper push drops the oldest entry

/**
 * The state of the kitty keyboard protocol: a stack of flags for each of the two screens.
 * https://sw.kovidgoyal.net/kitty/keyboard-protocol/
 */
export class KittyKeyboard {
  readonly #stacks: { main: number[]; alt: number[] } = { main: [], alt: [] }

  flags(altScreen: boolean): number {
    return this.#stack(altScreen).at(-1) ?? 0
  }

  push(altScreen: boolean, flags: number): void {
    const stack = this.#stack(altScreen)
    stack.push(flags)
    if (stack.length > STACK_DEPTH_MAX) stack.shift()
  }

  pop(altScreen: boolean, count: number): void {
    const stack = this.#stack(altScreen)
    stack.splice(Math.max(0, stack.length - count))
  }

  /** Mode 1 replaces the flags, 2 adds to them, 3 takes from them. */
  set(altScreen: boolean, flags: number, mode: number): void {
    const stack = this.#stack(altScreen)
    const current = stack.pop() ?? 0
    if (mode === 2) stack.push(current | flags)
    else if (mode === 3) stack.push(current & ~flags)
    else stack.push(flags)
  }

  /** The flags of each screen, the oldest first. */
  get stacks(): { readonly main: readonly number[]; readonly alt: readonly number[] } {
    return this.#stacks
  }

  reset(): void {
    this.#stacks.main.length = 0
    this.#stacks.alt.length = 0
  }

  #stack(altScreen: boolean): number[] {
    return altScreen ? this.#stacks.alt : this.#stacks.main
  }
}
