import { typeText } from '../command/args-schema.ts'
import { declaredArgs } from '../command/map-args.ts'
import type { Chunk, Fragment, ItemChunk, ListChunk, OperationInfo } from '../contract/fragment.ts'
import { escapeInline } from '../transform/escape-text.ts'
import { pascalCase } from '../transform/markup-attributes.ts'

/** One or more whole lines of a view, and the ref that they show. */
export interface Piece {
  readonly text: string
  readonly ref?: ShownRef
}

export interface ShownRef {
  /** As the agent writes it: `message_list[0]`. */
  readonly name: string
  readonly list: string
  readonly type: string
  readonly key?: string
  readonly value?: string
}

/** A list as the agent sees it: `replies~2` is the second list called `replies` in the view. */
export interface ShownList {
  readonly name: string
  readonly id: string
  readonly ordinal: number
  readonly from: number
  readonly shown: number
  readonly total: number
}

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
  readonly type: string
  readonly indent: number
  index: number
}

function compose(fragment: Fragment): ComposedFragment {
  const body: Piece[] = []
  const lists: ShownList[] = []
  const open: OpenList[] = []
  const seen = new Map<string, number>()
  for (const chunk of fragment.chunks) composeChunk(chunk, { body, lists, open, seen })
  return { body, lists, operations: composeOperations(fragment.operations) }
}

interface ComposeState {
  readonly body: Piece[]
  readonly lists: ShownList[]
  readonly open: OpenList[]
  readonly seen: Map<string, number>
}

function composeChunk(chunk: Chunk, state: ComposeState): void {
  const { body, open } = state
  const gap = open.length === 0 && body.length > 0 ? '\n' : ''
  switch (chunk.kind) {
    case 'text':
      body.push({ text: gap + chunk.text })
      return
    case 'list': {
      const list = openList(chunk, state)
      const pad = '    '.repeat(chunk.indent)
      const mark = chunk.indent === 0 ? '# ' : ''
      const empty = chunk.total === 0 ? `\n${pad}(empty)` : ''
      body.push({ text: `${gap}${pad}${mark}[${chunk.title}](list:${list.shown.name})${empty}` })
      open.push(list)
      return
    }
    case 'item': {
      const list = open.at(-1)
      if (list !== undefined) body.push(composeItem(chunk, list))
      return
    }
    case 'end': {
      const list = open.pop()
      if (list !== undefined) pushWindowLine(list, body)
      return
    }
    default:
      chunk satisfies never
  }
}

function openList(chunk: ListChunk, { seen, lists }: ComposeState): OpenList {
  const ordinal = seen.get(chunk.id) ?? 0
  seen.set(chunk.id, ordinal + 1)
  const name = ordinal === 0 ? chunk.id : `${chunk.id}~${ordinal + 1}`
  const shown: ShownList = {
    name,
    id: chunk.id,
    ordinal,
    from: chunk.from,
    shown: chunk.shown,
    total: chunk.total,
  }
  lists.push(shown)
  return { shown, type: chunk.type, indent: chunk.indent, index: chunk.from }
}

/** Chunks that did not change are the same objects from fragment to fragment; most keep their place as well. */
const pieces = new WeakMap<ItemChunk, { list: string; index: number; type: string; piece: Piece }>()

function composeItem(item: ItemChunk, list: OpenList): Piece {
  const index = list.index++
  const { type } = list
  const { name } = list.shown
  const kept = pieces.get(item)
  if (kept?.index === index && kept.list === name && kept.type === type) return kept.piece
  const piece = writeItem(item, list, index)
  pieces.set(item, { list: name, index, type, piece })
  return piece
}

function writeItem(item: ItemChunk, list: OpenList, index: number): Piece {
  const pad = '    '.repeat(item.indent)
  if (item.key === undefined && item.value === undefined)
    return { text: `${pad}${index + 1}. ${item.head}${item.rest}` }
  const name = `${list.shown.name}[${index}]`
  return {
    text: `${pad}${index + 1}. [${item.head}](item:${name})${item.rest}`,
    ref: {
      name,
      list: list.shown.id,
      type: list.type,
      ...(item.key === undefined ? {} : { key: item.key }),
      ...(item.value === undefined ? {} : { value: item.value }),
    },
  }
}

function pushWindowLine(list: OpenList, body: Piece[]): void {
  const { from, shown, total, name } = list.shown
  if (shown === total) return
  const next = from + shown < total ? from + shown : 0
  const range = shown === 0 ? 'no items' : `items ${from} to ${from + shown - 1}`
  body.push({
    text: `${'    '.repeat(list.indent)}(${range} of ${total}; \`page --list ${name} --from ${next}\` shows others)`,
  })
}

/** A view's operations change far less often than its text, and until then they are the same array. */
const operationPieces = new WeakMap<readonly OperationInfo[], readonly Piece[]>()

function composeOperations(operations: readonly OperationInfo[]): readonly Piece[] {
  if (operations.length === 0) return []
  const kept = operationPieces.get(operations)
  if (kept !== undefined) return kept
  const texts = ['\n# Operation', ...operations.map(operationText)]
  const written = texts.map((text) => ({ text }))
  operationPieces.set(operations, written)
  return written
}

function operationText(operation: OperationInfo): string {
  const name = pascalCase(operation.id)
  const label = escapeInline(operation.label)
  const same = operation.label.replaceAll(/[\s_]/g, '').toLowerCase() === name.toLowerCase()
  const notes = `${label === '' || same ? '' : `: ${label}`}${operation.ambiguous === true ? ' (declared more than once, cannot be used)' : ''}`
  const lines = [`- [${name}](operation:${operation.id})${notes}`]
  const args = Object.entries(declaredArgs(operation) ?? {})
  if (args.length > 0) lines.push('    - Arguments:')
  for (const [arg, spec] of args) {
    const extra = [
      spec.optional ? 'optional' : '',
      spec.short === undefined ? '' : `short: -${spec.short}`,
    ].filter((text) => text !== '')
    const tail = extra.length === 0 ? '' : ` (${extra.join(', ')})`
    const about = spec.description === undefined ? '' : `: ${escapeInline(spec.description)}`
    lines.push(`        - ${arg}: ${escapeInline(typeText(spec.type))}${tail}${about}`)
  }
  return lines.join('\n')
}
