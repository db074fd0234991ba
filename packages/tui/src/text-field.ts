import { textCells, textWidth } from '@transom/grid'
import type { TerminalEvent } from './persons-terminal.ts'
import { lineText } from './safe-text.ts'

/** A longer line is nothing that a person types; a paste of one is cut off. */
const CHARS_MAX = 1 << 16

/** A line of text that is being edited, cluster by cluster. */
export class TextField {
  #before: string
  #after = ''
  /** The first column of the text that the last view() showed. */
  #firstCol = 0

  constructor(text = '') {
    this.#before = cut(lineText(text))
  }

  get text(): string {
    return this.#before + this.#after
  }

  /** How many columns of the text are left of the cursor. */
  get cursorCol(): number {
    return textWidth(this.#before)
  }

  insert(text: string): void {
    this.#before = cut(this.#before + lineText(text), CHARS_MAX - this.#after.length)
  }

  /** Does what a key or a paste does in a line editor; false for an event that means nothing to it. */
  handle(event: TerminalEvent): boolean {
    if (event.type === 'paste') this.insert(event.text)
    else if (event.type !== 'key') return false
    else if (EDITS[event.name] !== undefined) this.#edit(EDITS[event.name])
    else if (event.text === '') return false
    else this.insert(event.text)
    return true
  }

  /** The part that is visible in so many columns, including the cursor. */
  view(cols: number): { readonly text: string; readonly cursorCol: number } {
    const cursor = this.cursorCol
    const last = Math.max(0, cols - 1)
    if (cursor < this.#firstCol) this.#firstCol = cursor
    if (cursor > this.#firstCol + last) this.#firstCol = cursor - last
    const cells = textCells(this.text)
    let [col, text, start] = [0, '', -1]
    for (const cell of cells) {
      if (col >= this.#firstCol && col + cell.width <= this.#firstCol + cols) {
        if (start < 0) start = col
        text += cell.text
      }
      col += cell.width
    }
    // A wide character that is cut by the left edge leaves a blank.
    const lead = start < 0 ? 0 : start - this.#firstCol
    return { text: ' '.repeat(Math.max(0, lead)) + text, cursorCol: Math.min(last, cursor - this.#firstCol) }
  }

  #edit(edit: Edit | undefined): void {
    const cells = (text: string) => textCells(text).map((cell) => cell.text)
    const [left, right] = [cells(this.#before).at(-1) ?? '', cells(this.#after)[0] ?? '']
    switch (edit) {
      case 'delete_left':
        this.#before = without(this.#before, left)
        return
      case 'delete_right':
        this.#after = this.#after.slice(right.length)
        return
      case 'left':
        this.#split(this.#before.length - left.length)
        return
      case 'right':
        this.#split(this.#before.length + right.length)
        return
      case 'word_left':
        this.#split(wordStart(this.#before))
        return
      case 'word_right':
        this.#split(this.#before.length + (/^\s*\S*/.exec(this.#after)?.[0].length ?? 0))
        return
      case 'delete_word':
        this.#before = this.#before.slice(0, wordStart(this.#before))
        return
      case 'start':
        this.#split(0)
        return
      case 'end':
        this.#split(this.text.length)
        return
      case 'delete_to_start':
        this.#before = ''
        return
      case 'delete_to_end':
        this.#after = ''
        return
      case undefined:
        return
      default:
        edit satisfies never
    }
  }

  #split(at: number): void {
    const { text } = this
    this.#before = text.slice(0, at)
    this.#after = text.slice(at)
  }
}

type Edit =
  | 'delete_left'
  | 'delete_right'
  | 'left'
  | 'right'
  | 'word_left'
  | 'word_right'
  | 'delete_word'
  | 'start'
  | 'end'
  | 'delete_to_start'
  | 'delete_to_end'

const EDITS: Readonly<Record<string, Edit>> = {
  Backspace: 'delete_left',
  'Shift+Backspace': 'delete_left',
  Delete: 'delete_right',
  'Ctrl+d': 'delete_right',
  Left: 'left',
  'Ctrl+b': 'left',
  Right: 'right',
  'Ctrl+f': 'right',
  'Ctrl+Left': 'word_left',
  'Alt+b': 'word_left',
  'Ctrl+Right': 'word_right',
  'Alt+f': 'word_right',
  'Ctrl+w': 'delete_word',
  'Alt+Backspace': 'delete_word',
  Home: 'start',
  'Ctrl+a': 'start',
  End: 'end',
  'Ctrl+e': 'end',
  'Ctrl+u': 'delete_to_start',
  'Ctrl+k': 'delete_to_end',
}

function wordStart(text: string): number {
  return text.length - (/\S*\s*$/.exec(text)?.[0].length ?? 0)
}

function without(text: string, tail: string): string {
  return text.slice(0, text.length - tail.length)
}

function cut(text: string, chars = CHARS_MAX): string {
  return text.length > chars ? text.slice(0, Math.max(0, chars)) : text
}
