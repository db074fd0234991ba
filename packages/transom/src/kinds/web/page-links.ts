import { callIn, linksInClosedRoots, documentsOf, type DocumentPlace } from './page-documents.ts'
import type { PageTarget } from './page-target.ts'
import { CELL_HEIGHT_PX, CELL_TEXT, CELL_WIDTH_PX, type WebFrame } from './web-frame.ts'
import type { Cell, PageLink } from './web-page.ts'

const LINKS_MAX = 5000 // more than any page that is read; the rest is cut

/** Left, top, right and bottom, in CSS pixels. */
type Box = readonly [number, number, number, number]

interface FoundLink {
  readonly text: string
  readonly url: string
  /** Pieces of its boxes that a click would hit, in pixels of its document. */
  readonly boxes: readonly Box[]
}

/** The links of the page and its iframes, in the order of the documents, each with a cell where it can be clicked. */
export async function readLinks(target: PageTarget, frame: WebFrame | null): Promise<PageLink[]> {
  const links: PageLink[] = []
  const inClosedRoots = new Map<string, Awaited<ReturnType<typeof linksInClosedRoots>>>()
  for (const place of await documentsOf(target)) {
    const { session, frameId } = place
    const known = inClosedRoots.get(session) ?? (await linksInClosedRoots(target, session))
    inClosedRoots.set(session, known)
    const call = { functionDeclaration: LINKS_FUNCTION, nodes: known.get(frameId) }
    const found = (await callIn(target, place, call)) as FoundLink[] | undefined
    for (const { text, url, boxes } of found ?? []) {
      links.push({ text, url, cell: frame === null ? null : cellWithin(frame, place, boxes) })
      if (links.length >= LINKS_MAX) return links
    }
  }
  return links
}

/** The first text cell whose middle lies in one of the boxes; without text, a cell whose own middle does. */
export function cellWithin(
  frame: WebFrame,
  place: Pick<DocumentPlace, 'x' | 'y'>,
  boxes: readonly Box[],
): Cell | null {
  const { grid, kinds, originX, originY, scale } = frame
  const onPage = boxes.map(([left, top, right, bottom]): Box => [
    left + place.x,
    top + place.y,
    right + place.x,
    bottom + place.y,
  ])
  const isIn = (x: number, y: number) =>
    onPage.some(([left, top, right, bottom]) => x >= left && x < right && y >= top && y < bottom)
  const lowest = Math.max(...onPage.map(([, , , bottom]) => bottom))
  const highest = Math.min(...onPage.map(([, top]) => top))
  for (let index = 0; index < kinds.length; index++) {
    const middleY = ((originY[index] ?? 0) + CELL_HEIGHT_PX / 2) / scale
    if (kinds[index] !== CELL_TEXT || middleY < highest || middleY >= lowest) continue
    const middleX = ((originX[index] ?? 0) + CELL_WIDTH_PX / 2) / scale
    if (isIn(middleX, middleY)) return { row: Math.floor(index / grid.cols), col: index % grid.cols }
  }
  const cells = onPage.flatMap((box) => boxCell(frame, box) ?? [])
  const isClickable = ({ row, col }: Cell) => {
    if (kinds[row * grid.cols + col] === CELL_TEXT) return false // a click would go to that text
    return isIn(((col + 0.5) * CELL_WIDTH_PX) / scale, ((row + 0.5) * CELL_HEIGHT_PX) / scale)
  }
  return cells.find(isClickable) ?? null
}

/** The cell in which the middle of a box lies. */
export function boxCell(frame: WebFrame, [left, top, right, bottom]: Box): Cell | null {
  const row = Math.floor((((top + bottom) / 2) * frame.scale) / CELL_HEIGHT_PX)
  const col = Math.floor((((left + right) / 2) * frame.scale) / CELL_WIDTH_PX)
  const isInside = row >= 0 && row < frame.grid.rows && col >= 0 && col < frame.grid.cols
  return isInside && right > left && bottom > top ? { row, col } : null
}

/**
 * Given the links inside closed shadow roots, which lead to these. A link's boxes are looked at in pieces of a cell, each by a hit test:
 * one that is covered is no place for a click. After PIECES pieces that hit, and TESTS that did not, a link has had its
 * chance: large pictures have thousands.
 */
const LINKS_FUNCTION = `(...inClosedRoots) => {
  const PIECES = 200, TESTS = 1000
  const found = []
  const closed = new Map()
  for (const link of inClosedRoots) {
    for (let root = link.getRootNode(); root.host; root = root.host.getRootNode()) closed.set(root.host, root)
  }
  const shadowOf = (element) => element.shadowRoot ?? closed.get(element)
  const nameOf = (element) =>
    (element.innerText || element.getAttribute('aria-label') || element.title || element.alt ||
      element.querySelector?.('img[alt]')?.alt || '').trim().replace(/\\s+/g, ' ').slice(0, 500)
  const hitAt = (x, y) => {
    let hit = document.elementFromPoint(x, y)
    for (;;) {
      const inner = hit && shadowOf(hit)?.elementFromPoint(x, y)
      if (!inner || inner === hit) return hit
      hit = inner
    }
  }
  const belongs = (node, link) => {
    while (node && node !== link) node = node.assignedSlot ?? node.parentNode ?? node.host
    return node === link
  }
  const piecesOf = (link) => {
    const pieces = []
    let tests = 0
    const picture = link.localName === 'area' && document.querySelector('img[usemap="#' + CSS.escape(link.closest('map')?.name ?? '') + '"]')
    for (const part of picture ? [picture] : [link, ...link.querySelectorAll('*')]) {
      for (const box of part.getClientRects()) {
        const [left, right] = [Math.max(0, box.left), Math.min(innerWidth, box.right)]
        const [top, bottom] = [Math.max(0, box.top), Math.min(innerHeight, box.bottom)]
        for (let y = top; y < bottom; y += 16) {
          for (let x = left; x < right; x += 8) {
            const [endX, endY] = [Math.min(x + 8, right), Math.min(y + 16, bottom)]
            if (belongs(hitAt((x + endX) / 2, (y + endY) / 2), link)) pieces.push([x, y, endX, endY])
            if (++tests >= TESTS || pieces.length >= PIECES) return pieces
          }
        }
      }
    }
    return pieces
  }
  const visit = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if ((element.localName === 'a' || element.localName === 'area') && element.href) {
        const url = typeof element.href === 'string' ? element.href : new URL(element.href.baseVal, document.baseURI).href
        found.push({ text: nameOf(element), url, boxes: piecesOf(element) })
      }
      const shadow = shadowOf(element)
      if (shadow) visit(shadow)
    }
  }
  visit(document)
  return found
}`
