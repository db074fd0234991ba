import { OpError } from '@transom/protocol/errors'
import type { KeyPress } from '../../terminal/key-names.ts'
import { PageMouse, pasteText, pointOf, pressKeys, typeText } from './page-input.ts'
import type { PageTarget } from './page-target.ts'
import { CELL_HEIGHT_PX, CELL_WIDTH_PX, type WebFrame } from './web-frame.ts'
import type { Cell, MouseButtonOptions } from './web-page.ts'

/** What keyboard and mouse do to a page, by cells. */
export abstract class OperatedPage {
  readonly #mouse = new PageMouse()

  abstract get frame(): WebFrame | null
  abstract get size(): { cols: number; rows: number }
  /** Device pixels for a CSS pixel. */
  abstract get scale(): number
  /** Runs an input on the tab that is there. */
  protected abstract act(run: (target: PageTarget) => Promise<void>): Promise<void>

  async press(keys: readonly KeyPress[]): Promise<void> {
    await this.act(async (target) => pressKeys(target, keys))
  }

  async typeText(text: string): Promise<void> {
    await this.act(async (target) => typeText(target, text))
  }

  async paste(text: string): Promise<void> {
    await this.act(async (target) => pasteText(target, text))
  }

  async click(cell: Cell, options: MouseButtonOptions = {}): Promise<void> {
    await this.act(async (target) => this.#mouse.click(target, this.#pointOf(cell), options))
  }

  async mouseMove(cell: Cell, options: MouseButtonOptions = {}): Promise<void> {
    await this.act(async (target) => this.#mouse.move(target, this.#pointOf(cell), options))
  }

  async mouseDown(cell: Cell, options: MouseButtonOptions = {}): Promise<void> {
    await this.act(async (target) => this.#mouse.down(target, this.#pointOf(cell), options))
  }

  async mouseUp(cell: Cell, options: MouseButtonOptions = {}): Promise<void> {
    await this.act(async (target) => this.#mouse.up(target, this.#pointOf(cell), options))
  }

  async drag(from: Cell, to: Cell, options: MouseButtonOptions = {}): Promise<void> {
    await this.act(async (target) => {
      const [start, end] = [this.#pointOf(from), this.#pointOf(to)]
      await this.#mouse.move(target, start, options)
      await this.#mouse.down(target, start, options)
      // Through the middle: a page does not take a single jump for a drag.
      await this.#mouse.move(target, { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 }, options)
      await this.#mouse.move(target, end, options)
      await this.#mouse.up(target, end, options)
    })
  }

  async scroll(rows: number, at?: Cell): Promise<void> {
    const cell = at ?? { row: Math.floor(this.size.rows / 2), col: Math.floor(this.size.cols / 2) }
    const deltaY = (rows * CELL_HEIGHT_PX) / this.scale
    await this.act(async (target) => this.#mouse.scroll(target, this.#pointOf(cell), deltaY))
  }

  #pointOf(cell: Cell): { x: number; y: number } {
    const { rows, cols } = this.size
    if (cell.row >= rows || cell.col >= cols) {
      const message = `the cell ${cell.row},${cell.col} is outside of the page's ${rows} rows and ${cols} columns`
      throw new OpError('usage', message, { ...cell, rows, cols })
    }
    if (this.frame !== null) return pointOf(cell, this.frame)
    return { x: (cell.col + 0.5) * CELL_WIDTH_PX, y: (cell.row + 0.5) * CELL_HEIGHT_PX }
  }
}
