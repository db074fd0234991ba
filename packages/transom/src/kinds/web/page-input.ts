import type { Protocol } from 'devtools-protocol'
import { parseKeys, type KeyPress } from '../../terminal/key-names.ts'
import { keyEvents } from './dom-keys.ts'
import type { PageTarget } from './page-target.ts'
import { CELL_HEIGHT_PX, CELL_TEXT, CELL_WIDTH_PX, type WebFrame } from './web-frame.ts'
import type { Cell, MouseButtonOptions } from './web-page.ts'

type MouseEvent = Protocol.Input.DispatchMouseEventRequest

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' })
const ENTER = parseKeys(['Enter'])
const TAB = parseKeys(['Tab'])

export async function pressKeys(target: PageTarget, keys: readonly KeyPress[]): Promise<void> {
  for (const press of keys) {
    const { down, up } = keyEvents(press)
    await target.call('Input.dispatchKeyEvent', down)
    await target.call('Input.dispatchKeyEvent', up)
  }
}

/** Types a text key by key; line breaks are Enter and tabs are Tab, as on a keyboard. */
export async function typeText(target: PageTarget, text: string): Promise<void> {
  for (const { segment } of GRAPHEMES.segment(text)) {
    if (/^\r?\n$|^\r$/.test(segment)) await pressKeys(target, ENTER)
    else if (segment === '\t') await pressKeys(target, TAB)
    else if (/\p{Cc}/u.test(segment))
      continue // no key types a control character
    else if (segment.length <= 2) await pressKeys(target, [characterPress(segment)])
    else await target.call('Input.insertText', { text: segment }) // no key types a cluster of several
  }
}

function characterPress(character: string): KeyPress {
  const shift = /^[A-Z~!@#$%^&*()_+{}|:"<>?]$/.test(character)
  return { kind: 'character', character, ctrl: false, alt: false, shift, super: false }
}

/** Inserts a text in one piece. The page's own handlers of a paste come first, and may take it instead. */
export async function pasteText(target: PageTarget, text: string): Promise<void> {
  const expression = `(() => {
    let element = document.activeElement ?? document.body
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement
    const data = new DataTransfer()
    data.setData('text/plain', ${JSON.stringify(text)})
    const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true, composed: true })
    return element.dispatchEvent(event)
  })()`
  const { result } = await target.call('Runtime.evaluate', { expression, returnByValue: true })
  if (result.value !== false) await target.call('Input.insertText', { text })
}

/** Where a click at a cell goes, in CSS pixels: the middle of what was really painted for its text. */
export function pointOf(cell: Cell, frame: WebFrame): { x: number; y: number } {
  const index = cell.row * frame.grid.cols + cell.col
  const isText = frame.kinds[index] === CELL_TEXT
  const left = isText ? (frame.originX[index] ?? 0) : cell.col * CELL_WIDTH_PX
  const top = isText ? (frame.originY[index] ?? 0) : cell.row * CELL_HEIGHT_PX
  return { x: (left + CELL_WIDTH_PX / 2) / frame.scale, y: (top + CELL_HEIGHT_PX / 2) / frame.scale }
}

const BUTTON_BITS = { left: 1, right: 2, middle: 4 } as const

/** The mouse of one page: what is held down while it moves makes a drag. */
export class PageMouse {
  #held: 'left' | 'middle' | 'right' | null = null

  async move(target: PageTarget, at: Point, options: MouseButtonOptions): Promise<void> {
    await send(target, 'mouseMoved', at, {
      button: this.#held ?? 'none',
      buttons: this.#held === null ? 0 : BUTTON_BITS[this.#held],
      modifiers: modifierBits(options),
    })
  }

  async down(target: PageTarget, at: Point, options: MouseButtonOptions, clickCount = 1): Promise<void> {
    const button = options.button ?? 'left'
    this.#held = button
    const buttons = BUTTON_BITS[button]
    await send(target, 'mousePressed', at, { button, buttons, clickCount, modifiers: modifierBits(options) })
  }

  async up(target: PageTarget, at: Point, options: MouseButtonOptions, clickCount = 1): Promise<void> {
    const button = options.button ?? this.#held ?? 'left'
    this.#held = null
    await send(target, 'mouseReleased', at, {
      button,
      buttons: 0,
      clickCount,
      modifiers: modifierBits(options),
    })
  }

  async click(target: PageTarget, at: Point, options: MouseButtonOptions): Promise<void> {
    await this.move(target, at, options)
    for (let count = 1; count <= (options.clicks ?? 1); count++) {
      await this.down(target, at, options, count)
      await this.up(target, at, options, count)
    }
  }

  async scroll(target: PageTarget, at: Point, deltaY: number): Promise<void> {
    await send(target, 'mouseWheel', at, { deltaX: 0, deltaY })
  }
}

interface Point {
  readonly x: number
  readonly y: number
}

async function send(
  target: PageTarget,
  type: MouseEvent['type'],
  at: Point,
  rest: Partial<MouseEvent>,
): Promise<void> {
  await target.call('Input.dispatchMouseEvent', { type, ...at, ...rest })
}

function modifierBits({ modifiers }: MouseButtonOptions): number {
  return (
    (modifiers?.alt ? 1 : 0) |
    (modifiers?.ctrl ? 2 : 0) |
    (modifiers?.meta ? 4 : 0) |
    (modifiers?.shift ? 8 : 0)
  )
}
