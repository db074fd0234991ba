import { framesOf, type PageTarget } from './page-target.ts'
import { CELL_HEIGHT_PX, CELL_TEXT, CELL_WIDTH_PX, type WebFrame } from './web-frame.ts'
import type { Cell, PageDetails, PageLink } from './web-page.ts'

/** A world of our own in each document: what a page has changed of its own objects does not reach it. */
const WORLD_NAME = 'transom'

const LINKS_MAX = 5000 // more than any page that is read; the rest is cut

interface FoundLink {
  readonly text: string
  readonly url: string
  /** Left, top, right and bottom of its parts, in CSS pixels of its document. */
  readonly boxes: readonly (readonly [number, number, number, number])[]
}

/** The links of the page and its iframes, in the order of the documents, each with a cell where it is seen. */
export async function readLinks(target: PageTarget, frame: WebFrame | null): Promise<PageLink[]> {
  const links: PageLink[] = []
  for (const place of await documentsOf(target)) {
    const found = (await evaluateIn(target, place, LINKS_EXPRESSION)) as FoundLink[] | undefined
    for (const { text, url, boxes } of found ?? []) {
      links.push({ text, url, cell: frame === null ? null : cellWithin(frame, place, boxes) })
      if (links.length >= LINKS_MAX) return links
    }
  }
  return links
}

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
      : ((await evaluateIn(target, top, DETAILS_EXPRESSION)) as FoundDetails | undefined)
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

interface DocumentPlace {
  readonly session: string
  readonly frameId: string
  /** Of its upper left corner in the tab, in CSS pixels. */
  readonly x: number
  readonly y: number
}

async function documentsOf(target: PageTarget, topOnly = false): Promise<DocumentPlace[]> {
  const places: DocumentPlace[] = []
  for (const session of target.sessions) {
    const { frameTree } = await target.cdp.call('Page.getFrameTree', undefined, { session })
    const iframe = target.iframes.get(session)
    const parent = places.find((place) => place.session === iframe?.parent)
    const origin =
      iframe === undefined ? { x: 0, y: 0 } : await ownerOffset(target, iframe.parent, iframe.frameId)
    const base = { x: origin.x + (parent?.x ?? 0), y: origin.y + (parent?.y ?? 0) }
    for (const frame of framesOf(frameTree)) {
      const isRoot = frame.id === frameTree.frame.id
      const inside = isRoot ? { x: 0, y: 0 } : await ownerOffset(target, session, frame.id)
      places.push({ session, frameId: frame.id, x: base.x + inside.x, y: base.y + inside.y })
      if (topOnly) return places
    }
  }
  return places
}

/** Where the content of an iframe begins in the viewport of the process that holds its element. */
async function ownerOffset(
  target: PageTarget,
  session: string,
  frameId: string,
): Promise<{ x: number; y: number }> {
  try {
    const { backendNodeId } = await target.cdp.call('DOM.getFrameOwner', { frameId }, { session })
    const { model } = await target.cdp.call('DOM.getBoxModel', { backendNodeId }, { session })
    return { x: model.content[0] ?? 0, y: model.content[1] ?? 0 }
  } catch {
    return { x: OFF_SCREEN, y: OFF_SCREEN } // not shown, or gone
  }
}

const OFF_SCREEN = -1e6

async function evaluateIn(target: PageTarget, place: DocumentPlace, expression: string): Promise<unknown> {
  const { session, frameId } = place
  try {
    const { executionContextId: contextId } = await target.cdp.call(
      'Page.createIsolatedWorld',
      { frameId, worldName: WORLD_NAME },
      { session },
    )
    const { result } = await target.cdp.call(
      'Runtime.evaluate',
      { expression, contextId, returnByValue: true },
      { session },
    )
    return result.value
  } catch (error) {
    if (frameId === target.targetId) throw error
    return undefined // an iframe that has gone meanwhile
  }
}

/** The first text cell whose middle lies in one of the boxes. */
function cellWithin(frame: WebFrame, { x, y }: DocumentPlace, boxes: FoundLink['boxes']): Cell | null {
  const { grid, kinds, originX, originY, scale } = frame
  for (const [left, top, right, bottom] of boxes) {
    for (let index = 0; index < kinds.length; index++) {
      if (kinds[index] !== CELL_TEXT) continue
      const middleX = ((originX[index] ?? 0) + CELL_WIDTH_PX / 2) / scale - x
      const middleY = ((originY[index] ?? 0) + CELL_HEIGHT_PX / 2) / scale - y
      if (middleX >= left && middleX < right && middleY >= top && middleY < bottom) {
        return { row: Math.floor(index / grid.cols), col: index % grid.cols }
      }
    }
  }
  const shown = boxes.find((box) => boxCell(frame, [box[0] + x, box[1] + y, box[2] + x, box[3] + y]) !== null)
  return shown === undefined ? null : boxCell(frame, [shown[0] + x, shown[1] + y, shown[2] + x, shown[3] + y])
}

function boxCell(
  frame: WebFrame,
  [left, top, right, bottom]: readonly [number, number, number, number],
): Cell | null {
  const row = Math.floor((((top + bottom) / 2) * frame.scale) / CELL_HEIGHT_PX)
  const col = Math.floor((((left + right) / 2) * frame.scale) / CELL_WIDTH_PX)
  const isInside = row >= 0 && row < frame.grid.rows && col >= 0 && col < frame.grid.cols
  return isInside && right > left && bottom > top ? { row, col } : null
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

const LINKS_EXPRESSION = `(() => {
  const found = []
  const nameOf = (element) =>
    (element.innerText || element.getAttribute('aria-label') || element.title || element.alt ||
      element.querySelector?.('img[alt]')?.alt || '').trim().replace(/\\s+/g, ' ').slice(0, 500)
  const visit = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if ((element.localName === 'a' || element.localName === 'area') && element.href) {
        const url = typeof element.href === 'string' ? element.href : new URL(element.href.baseVal, document.baseURI).href
        const boxes = []
        for (const part of [element, ...element.querySelectorAll('*')]) {
          for (const { left, top, right, bottom } of part.getClientRects()) boxes.push([left, top, right, bottom])
        }
        found.push({ text: nameOf(element), url, boxes })
      }
      if (element.shadowRoot) visit(element.shadowRoot)
    }
  }
  visit(document)
  return found
})()`

const DETAILS_EXPRESSION = `(() => {
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
})()`
