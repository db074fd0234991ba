import type { Chunk, Fragment, ItemChunk, ListChunk } from '../contract/fragment.ts'
import { codeBlock, safeLine, safeMarkdown } from '../transform/escape-text.ts'
import { composeOperations } from './compose-operations.ts'
import type { Piece, ShownItem, ShownList } from './shown-piece.ts'

export interface ComposedFragment {
  readonly body: readonly Piece[]
  readonly operations: readonly Piece[]
  readonly lists: readonly ShownList[]
}

const composed = new WeakMap<Fragment, ComposedFragment>()

/** Numbers the items and writes the refs. The result is kept with the fragment, which never changes. */
export function composeFragment(fragment: Fragment): ComposedFragment {
  let result = composed.get(fragment)
  if (result === undefined) composed.set(fragment, (result = compose(fragment)))
  return result
}

interface OpenList {
  readonly shown: ShownList
  readonly indent: number
  index: number
}

interface ComposeState {
  readonly body: Piece[]
  readonly lists: ShownList[]
  readonly open: OpenList[]
  readonly seen: Map<string, number>
  itemCount: number
}

function compose(fragment: Fragment): ComposedFragment {
  const state: ComposeState = { body: [], lists: [], open: [], seen: new Map(), itemCount: 0 }
  for (const chunk of fragment.chunks) composeChunk(chunk, state)
  while (state.open.length > 0) closeList(state)
  const { body, lists } = state
  return { body, lists, operations: composeOperations(fragment.operations, lists, fragment.entities) }
}

function composeChunk(chunk: Chunk, state: ComposeState): void {
  const { body, open } = state
  const gap = open.length === 0 && body.length > 0 ? '\n' : ''
  switch (chunk.kind) {
    case 'text':
      body.push({ text: gap + safeChunkText(chunk) })
      return
    case 'code': {
      const pad = '    '.repeat(chunk.indent)
      body.push({
        text:
          gap +
          codeBlock(chunk.text, chunk.language)
            .map((line) => pad + line)
            .join('\n'),
      })
      return
    }
    case 'list':
      return composeListHead(chunk, state, gap)
    case 'item': {
      const list = open.at(-1)
      if (list !== undefined) body.push(composeItem(chunk, list, state.itemCount))
      state.itemCount++
      return
    }
    case 'end':
      return closeList(state)
    default:
      chunk satisfies never
  }
}

const safeTexts = new WeakMap<Chunk, string>()

function safeChunkText(chunk: Chunk & { kind: 'text' }): string {
  let text = safeTexts.get(chunk)
  if (text === undefined) safeTexts.set(chunk, (text = safeMarkdown(chunk.text)))
  return text
}

/** The heading of a list names the type of its items: arguments ask for items by their type. */
function composeListHead(chunk: ListChunk, state: ComposeState, gap: string): void {
  const { body, open } = state
  const list = openList(chunk, state)
  const title = safeLine(chunk.title)
  const before = open.length === 0 ? headingOf(body.at(-1), title) : undefined
  // A heading that says the same stands for the list already, and only lacks the ref.
  if (before !== undefined) body.pop()
  const pad = '    '.repeat(chunk.indent)
  const mark = chunk.indent === 0 ? `${before?.mark ?? '#'} ` : ''
  const empty = chunk.total === 0 ? `\n${pad}(empty)` : ''
  body.push({
    text: `${before?.gap ?? gap}${pad}${mark}[${title}](list:${list.shown.name}): ${chunk.type}[]${empty}`,
  })
  open.push(list)
}

function headingOf(piece: Piece | undefined, title: string): { mark: string; gap: string } | undefined {
  const [, gap = '', mark = '', text = ''] = /^(\n?)(#{1,6}) ([^\n]+)$/.exec(piece?.text ?? '') ?? []
  return mark !== '' && text.toLowerCase() === title.toLowerCase() ? { mark, gap } : undefined
}

function openList(chunk: ListChunk, { seen, lists }: ComposeState): OpenList {
  const ordinal = seen.get(chunk.id) ?? 0
  seen.set(chunk.id, ordinal + 1)
  const name = ordinal === 0 ? chunk.id : `${chunk.id}~${ordinal + 1}`
  const { id, type, from, total } = chunk
  const shown: ShownList = { name, id, type, ordinal, from, total }
  lists.push(shown)
  return { shown, indent: chunk.indent, index: from }
}

/** Chunks that did not change are the same objects from fragment to fragment; most keep their place as well. */
const pieces = new WeakMap<ItemChunk, { list: string; type: string; piece: Piece & { item: ShownItem } }>()

function composeItem(item: ItemChunk, list: OpenList, position: number): Piece {
  const index = list.index++
  const { name, type } = list.shown
  const kept = pieces.get(item)
  const isSameList = kept?.list === name && kept.type === type
  if (isSameList && kept.piece.item.index === index && kept.piece.item.position === position)
    return kept.piece
  const piece = writeItem(item, list, { index, position, body: kept?.piece.item.body })
  pieces.set(item, { list: name, type, piece })
  return piece
}

function writeItem(
  item: ItemChunk,
  list: OpenList,
  place: { index: number; position: number; body: string | undefined },
): Piece & { item: ShownItem } {
  const { index, position } = place
  const pad = '    '.repeat(item.indent)
  const body = place.body ?? `${safeLine(item.head)}\n${safeMarkdown(item.rest)}`
  const split = body.indexOf('\n')
  const head = body.slice(0, split)
  const rest = body.slice(split + 1)
  const listName = list.shown.name
  const name = `${listName}[${index}]`
  const hasRef = item.key !== undefined || item.value !== undefined
  const line = hasRef ? `[${head}](item:${name})` : head
  return {
    text: `${pad}${index + 1}. ${line}${rest}`,
    item: {
      name,
      listName,
      index,
      list: list.shown.id,
      type: list.shown.type,
      position,
      body,
      ...(item.key === undefined ? {} : { key: item.key }),
      ...(item.value === undefined ? {} : { value: item.value }),
    },
  }
}

function closeList({ open, body }: ComposeState): void {
  const list = open.pop()
  if (list === undefined) return
  const { from, total, name } = list.shown
  const shown = list.index - from
  if (shown >= total) return
  const next = from + shown < total ? from + shown : 0
  const range = shown === 0 ? 'no items' : `items ${from} to ${from + shown - 1}`
  body.push({
    text: `${'    '.repeat(list.indent)}(${range} of ${total}; \`page --list ${name} --from ${next}\` shows others)`,
  })
}
