import type { Chunk, ItemChunk } from '../contract/fragment.ts'
import type { DomElement } from './dom-node.ts'
import { cutText, escapeInline } from './escape-text.ts'
import { FoundMarkup } from './found-markup.ts'
import { readPayload, titleCase, type TypedId } from './markup-attributes.ts'
import { noteOperation } from './note-operation.ts'
import { renderChildren } from './render-block.ts'
import { childrenText, toLines, withEntity } from './render-inline.ts'
import { BlockOut, type ItemRender, type ListScope, type Scope } from './render-scope.ts'
import { collectCells } from './render-table.ts'

const HEAD_CHARS_MAX = 2000
const TITLE_CHARS_MAX = 200

export function renderList(element: DomElement, { type, id }: TypedId, scope: Scope): void {
  scope.found.lists.push(element)
  const from = scope.env.windowFrom(element)
  const list: ListScope = { element, type, id, from, count: 0, shown: 0 }
  const out = new BlockOut()
  // The items of an inner list are its own: they do not belong to the item around the list.
  renderChildren(element, { ...scope, out, list })
  out.break()
  const title = element.getAttribute('aria-label') ?? element.getAttribute('title') ?? titleCase(id)
  scope.out.push([
    {
      kind: 'list',
      id,
      type,
      title: cutText(escapeInline(title).trim(), TITLE_CHARS_MAX) || titleCase(id),
      from,
      total: list.count,
      shown: list.shown,
      indent: scope.depth,
    },
  ])
  scope.out.push(out.chunks)
  scope.out.push([{ kind: 'end' }])
}

/** Counts every item of the list and renders those in its window. */
export function renderItem(element: DomElement, scope: Scope, list: ListScope): void {
  const index = list.count++
  if (index < list.from || index >= list.from + scope.env.windowSize) return
  list.shown++
  const { cache } = scope.env
  let render = cache?.get(element, scope.depth, list.type)
  if (render === undefined) {
    render = renderItemAfresh(element, scope, list)
    if (render.found.cacheable) cache?.set(element, scope.depth, list.type, render)
  }
  scope.out.push(render.chunks)
  scope.found.addItem(render.found)
}

function renderItemAfresh(element: DomElement, outer: Scope, list: ListScope): ItemRender {
  const out = new BlockOut()
  const found = new FoundMarkup()
  const entityLines: string[] = []
  // Nothing from around the item may shape it, or the cached item would be wrong when that changes.
  const { form: _form, list: _list, ...around } = outer
  const scope: Scope = { ...around, out, found, entityLines, itemType: list.type, depth: outer.depth + 1 }
  noteOperation(element, scope)
  if (element.localName === 'tr') renderCells(element, scope)
  else renderChildren(element, scope)
  out.lines(entityLines)
  out.break()
  const { problem, key, value } = readPayload(element)
  if (problem !== undefined) found.warnings.push(`list "${list.id}": ${problem}`)
  const base = {
    kind: 'item',
    indent: outer.depth,
    ...(key === undefined ? {} : { key }),
    ...(value === undefined ? {} : { value }),
  } as const
  return { chunks: assemble(base, out.chunks, key), found }
}

/** A row's cells stand side by side; in a line of text something has to part them. */
function renderCells(row: DomElement, scope: Scope): void {
  const cells = collectCells(row, scope).map((cell) =>
    toLines(withEntity(cell, scope, childrenText(cell, scope))).join(' '),
  )
  scope.out.lines(toLines(cells.filter((cell) => cell !== '').join('; ')))
}

/** The first line becomes the item's link; what follows is indented below it. */
function assemble(
  base: Omit<ItemChunk, 'head' | 'rest'>,
  inside: readonly Chunk[],
  key: string | undefined,
): Chunk[] {
  const pad = '    '.repeat(base.indent + 1)
  const chunks: Chunk[] = []
  const leading: string[] = []
  let at = 0
  for (; at < inside.length; at++) {
    const chunk = inside[at]
    if (chunk?.kind !== 'text') break
    leading.push(...chunk.text.split('\n'))
  }
  const fenced = leading[0]?.startsWith('```') === true
  const head = fenced
    ? 'Code'
    : (leading.shift()?.replace(/^- /, '') ?? (escapeInline(key ?? '').trim() || '(empty)'))
  const rest = leading.map((line) => `\n${pad}${line}`).join('')
  chunks.push({ ...base, head: cutText(head, HEAD_CHARS_MAX), rest })
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

function indent(text: string, pad: string): string {
  return pad + text.replaceAll('\n', `\n${pad}`)
}
