import type { Chunk, ItemChunk } from '../contract/fragment.ts'
import type { DomElement } from './dom-node.ts'
import { HEAD_CHARS_MAX, TITLE_CHARS_MAX } from '../contract/limits.ts'
import { cutLines, cutText, escapeInline } from './escape-text.ts'
import { FoundMarkup } from './found-markup.ts'
import { noteItem } from './item-element.ts'
import { readPayload, titleCase, type Payload, type TypedId } from './markup-attributes.ts'
import { noteOperation } from './note-operation.ts'
import { childrenText, toLines, withEntity } from './render-inline.ts'
import { BlockOut, type ItemRender, type ListScope, type Scope } from './render-scope.ts'
import { collectCells } from './render-table.ts'

export function renderList(element: DomElement, { type, id }: TypedId, scope: Scope): void {
  scope.found.lists.push(element)
  let { list, out } = renderItems(element, { type, id }, scope, scope.env.windowFrom(element))
  // A list that shrank shows its last page, not an empty one past its end.
  if (list.count > 0 && list.count <= list.from) {
    const { windowSize } = scope.env
    const lastPage = Math.floor((list.count - 1) / windowSize) * windowSize
    ;({ list, out } = renderItems(element, { type, id }, scope, lastPage))
  }
  const title = element.getAttribute('aria-label') ?? element.getAttribute('title') ?? titleCase(id)
  scope.out.push([
    {
      kind: 'list',
      id,
      type,
      title: cutText(escapeInline(title).trim(), TITLE_CHARS_MAX) || titleCase(id),
      from: list.from,
      total: list.count,
      indent: scope.depth,
    },
  ])
  scope.out.push(out.chunks)
  scope.out.push([{ kind: 'end' }])
}

function renderItems(
  element: DomElement,
  { type, id }: TypedId,
  scope: Scope,
  from: number,
): { list: ListScope; out: BlockOut } {
  const list: ListScope = { element, type, id, from, count: 0 }
  const out = new BlockOut()
  // The items of an inner list are its own: they do not belong to the item around the list.
  scope.render.children(element, { ...scope, out, list })
  out.break()
  return { list, out }
}

/** Renders an item when it is in the list's window; it is counted either way. */
export function renderItem(element: DomElement, scope: Scope, list: ListScope): void {
  const render = inWindow(list, scope) ? renderItemAfresh(element, scope, list) : UNSEEN
  if (render.found.cacheable) scope.env.cache?.setItem(element, scope.depth, list.type, render)
  takeItem(render, scope, list)
}

/**
 * An item that has not changed, without looking at it again. That it is cached says that it is an item of such a list
 * and is not hidden: a change of its own attributes would have dropped it.
 */
export function findCachedItem(element: DomElement, scope: Scope, list: ListScope): ItemRender | undefined {
  const render = scope.env.cache?.getItem(element, scope.depth, list.type)
  return render === UNSEEN && inWindow(list, scope) ? undefined : render
}

export function takeItem(render: ItemRender, scope: Scope, list: ListScope): void {
  const isShown = inWindow(list, scope)
  list.count++
  if (!isShown) return
  scope.out.push(render.chunks)
  scope.found.addPart(render.found)
  if (render.problem !== undefined) scope.found.warnings.push(`list "${list.id}": ${render.problem}`)
}

function inWindow(list: ListScope, { env }: Scope): boolean {
  return list.count >= list.from && list.count < list.from + env.windowSize
}

/** Stands for an item outside the window: in the cache it says that the element is an item, and no more. */
const UNSEEN: ItemRender = { chunks: [], found: new FoundMarkup() }

function renderItemAfresh(element: DomElement, outer: Scope, list: ListScope): ItemRender {
  const out = new BlockOut()
  const found = new FoundMarkup()
  const entityLines: string[] = []
  // Nothing else from around the item may shape it, or the cached item would be wrong when that changes.
  const { env, render, root, shadow } = outer
  const base = { env, render, root, out, found, entityLines, itemType: list.type, depth: outer.depth + 1 }
  const scope: Scope = shadow === undefined ? base : { ...base, shadow }
  noteOperation(element, scope)
  if (element.localName === 'tr') renderCells(element, scope)
  else scope.render.children(element, scope)
  out.lines(entityLines)
  out.break()
  const payload = readPayload(element)
  const chunks = assemble(out.chunks, payload, outer.depth)
  noteItem(chunks[0], { element, found })
  return { chunks, found, problem: payload.problem }
}

/** A row's cells stand side by side; in a line of text something has to part them. */
function renderCells(row: DomElement, scope: Scope): void {
  const cells = collectCells(row, scope).map((cell) =>
    toLines(withEntity(cell, scope, childrenText(cell, scope))).join(' '),
  )
  scope.out.lines(toLines(cells.filter((cell) => cell !== '').join('; ')))
}

/** The first line becomes the item's link; what follows is indented below it. */
function assemble(inside: readonly Chunk[], payload: Payload, depth: number): Chunk[] {
  const [first] = inside
  // The usual item is one line of text.
  if (
    inside.length === 1 &&
    first?.kind === 'text' &&
    !first.text.includes('\n') &&
    !first.text.startsWith('- ')
  ) {
    return [itemChunk(first.text, '', payload, depth)]
  }
  const pad = '    '.repeat(depth + 1)
  const leading: string[] = []
  let at = 0
  for (; at < inside.length; at++) {
    const chunk = inside[at]
    if (chunk?.kind !== 'text') break
    leading.push(...chunk.text.split('\n'))
  }
  const named = first?.kind === 'code' ? 'Code' : escapeInline(payload.key ?? '').trim() || '(empty)'
  const head = leading.shift()?.replace(/^- /, '') ?? named
  const rest = cutLines(leading.map((line) => `\n${pad}${line}`).join(''))
  const chunks: Chunk[] = [itemChunk(head, rest, payload, depth)]
  let nested = 0
  for (const chunk of inside.slice(at)) {
    if (chunk.kind === 'list') nested++
    if (chunk.kind === 'end') nested--
    // Text inside an inner list was indented by that list's items.
    chunks.push(
      chunk.kind === 'text' && nested === 0 ? { kind: 'text', text: indent(chunk.text, pad) } : chunk,
    )
  }
  return chunks
}

function itemChunk(head: string, rest: string, { key, value }: Payload, depth: number): ItemChunk {
  const line = { kind: 'item', head: cutText(head, HEAD_CHARS_MAX), rest, indent: depth } as const
  if (key === undefined) return value === undefined ? line : { ...line, value }
  return value === undefined ? { ...line, key } : { ...line, key, value }
}

function indent(text: string, pad: string): string {
  return pad + text.replaceAll('\n', `\n${pad}`)
}
