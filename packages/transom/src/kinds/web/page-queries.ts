import { callIn, documentsOf } from './page-documents.ts'
import { boxCell, cellWithin } from './page-links.ts'
import type { PageTarget } from './page-target.ts'
import { CELL_HEIGHT_PX, CELL_TEXT, CELL_WIDTH_PX, type WebFrame } from './web-frame.ts'
import type { Cell, PageDetails } from './web-page.ts'

interface FoundDetails {
  readonly scroll: PageDetails['scroll']
  readonly focus: {
    tag: string
    type: string
    name: string
    box: readonly [number, number, number, number]
  } | null
  readonly caret: { x: number; y: number } | null
}

export async function readDetails(target: PageTarget, frame: WebFrame | null): Promise<PageDetails> {
  const [top] = await documentsOf(target, true)
  const found =
    top === undefined
      ? undefined
      : ((await callIn(target, top, { functionDeclaration: DETAILS_FUNCTION })) as FoundDetails | undefined)
  if (found === undefined || top === undefined)
    return { scroll: { x: 0, y: 0, width: 0, height: 0 }, focus: null, caret: null }
  const { focus, caret } = found
  return {
    scroll: found.scroll,
    focus:
      focus === null
        ? null
        : {
            tag: focus.tag,
            type: focus.type,
            name: focus.name,
            cell: frame === null ? null : (cellWithin(frame, top, [focus.box]) ?? boxCell(frame, focus.box)),
          },
    caret: caret === null || frame === null ? null : cellNear(frame, caret),
  }
}

/** The cell at a point: the text there may have been moved by a cell to keep words apart. */
function cellNear(frame: WebFrame, { x, y }: { x: number; y: number }): Cell | null {
  const row = Math.floor((y * frame.scale + CELL_HEIGHT_PX / 2) / CELL_HEIGHT_PX)
  if (row < 0 || row >= frame.grid.rows) return null
  const px = x * frame.scale
  for (let col = 0; col < frame.grid.cols; col++) {
    const index = row * frame.grid.cols + col
    if (frame.kinds[index] !== CELL_TEXT) continue
    const distance = px - (frame.originX[index] ?? 0)
    if (Math.abs(distance) <= CELL_WIDTH_PX / 2) return { row, col }
    if (Math.abs(distance - CELL_WIDTH_PX) <= CELL_WIDTH_PX / 2 && col + 1 < frame.grid.cols) {
      const next = frame.kinds[index + 1] === CELL_TEXT ? frame.originX[index + 1] : undefined
      if (next === undefined || Math.abs(px - next) > CELL_WIDTH_PX / 2) return { row, col: col + 1 }
    }
  }
  const col = Math.round(px / CELL_WIDTH_PX)
  return col >= 0 && col < frame.grid.cols ? { row, col } : null
}

const DETAILS_FUNCTION = `() => {
  const page = document.scrollingElement ?? document.documentElement
  const scroll = { x: scrollX, y: scrollY, width: page?.scrollWidth ?? 0, height: page?.scrollHeight ?? 0 }
  let dx = 0, dy = 0
  let element = document.activeElement
  for (;;) {
    const inner = element?.shadowRoot?.activeElement
    if (inner) { element = inner; continue }
    let other = null
    try { other = element?.localName === 'iframe' ? element.contentDocument?.activeElement : null } catch { other = null }
    if (!other) break
    const box = element.getBoundingClientRect()
    dx += box.left + element.clientLeft
    dy += box.top + element.clientTop
    element = other
  }
  if (!element || element === element.ownerDocument.body) return { scroll, focus: null, caret: null }
  const box = element.getBoundingClientRect()
  const name = element.getAttribute('aria-label') || element.labels?.[0]?.innerText || element.name ||
    element.placeholder || element.innerText || ''
  const focus = { tag: element.localName, type: element.type ?? '', name: String(name).trim().replace(/\\s+/g, ' ').slice(0, 200),
    box: [box.left + dx, box.top + dy, box.right + dx, box.bottom + dy] }
  let caret = null
  const style = element.ownerDocument.defaultView.getComputedStyle(element)
  if ('selectionEnd' in element && typeof element.selectionEnd === 'number') {
    const canvas = element.ownerDocument.createElement('canvas').getContext('2d')
    canvas.font = style.fontSize + ' ' + style.fontFamily
    const before = element.value.slice(0, element.selectionEnd).split('\\n')
    const hidden = element.type === 'password' ? '\\u2022' : null
    const line = hidden === null ? before.at(-1) : hidden.repeat(before.at(-1).length)
    const height = parseFloat(style.lineHeight) || 16
    const top = element.localName === 'textarea'
      ? box.top + element.clientTop + parseFloat(style.paddingTop) - element.scrollTop + (before.length - 1) * height
      : box.top + (box.height - height) / 2
    caret = { x: dx + box.left + element.clientLeft + parseFloat(style.paddingLeft) - element.scrollLeft + canvas.measureText(line).width, y: dy + top }
  } else if (element.isContentEditable) {
    const selection = element.ownerDocument.getSelection()
    const range = selection?.rangeCount ? selection.getRangeAt(0).cloneRange() : null
    range?.collapse(false)
    const at = range?.getClientRects()[0] ?? box
    caret = { x: dx + at.left, y: dy + at.top }
  }
  return { scroll, focus, caret }
}`
