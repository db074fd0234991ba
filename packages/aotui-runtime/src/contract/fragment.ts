/**
 * What an app process tells the desktop about one view: a flat sequence of chunks. Numbers and refs are not in it:
 * `composeFragment` assigns them on the desktop's side, so that prepending an item changes one chunk and not all,
 * and so that an app process cannot write a ref into another list, view or app.
 */
export type Chunk = TextChunk | CodeChunk | ListChunk | ItemChunk | EndChunk

/** Whole lines of Markdown. The only ref they may hold is one to an entity of the view. */
export interface TextChunk {
  readonly kind: 'text'
  readonly text: string
}

/** Code, as the app shows it. The desktop puts it into a fence. */
export interface CodeChunk {
  readonly kind: 'code'
  readonly text: string
  readonly language: string
  readonly indent: number
}

/** Opens a list; its items follow, other chunks between them, until the matching `end`. */
export interface ListChunk {
  readonly kind: 'list'
  readonly id: string
  readonly type: string
  readonly title: string
  /** Index of the first item that follows, and how many items the list has in all. */
  readonly from: number
  readonly total: number
  readonly indent: number
}

export interface ItemChunk {
  readonly kind: 'item'
  /** The link text: the item's first line. */
  readonly head: string
  /** Further lines, already indented; empty or beginning with a line feed. */
  readonly rest: string
  readonly indent: number
  /** An item with neither key nor value has nothing to inject, and so no ref. */
  readonly key?: string
  /** The text of `data-value`, known to be JSON. It is parsed when a ref is resolved. */
  readonly value?: string
}

export interface EndChunk {
  readonly kind: 'end'
}

export interface OperationInfo {
  readonly id: string
  readonly label: string
  /** Undefined: the app declared no arguments, and any are passed on. */
  readonly args?: ArgSpecs
  /** Set when the operation sits inside items of this type: the item is an argument of its own. */
  readonly itemType?: string
  /** More than one element claims the id: the operation is refused as ambiguous. */
  readonly ambiguous?: true
}

export interface EntityInfo {
  readonly id: string
  readonly type: string
  readonly key?: string
  readonly value?: string
  readonly ambiguous?: true
}

export type ArgSpecs = Readonly<Record<string, ArgSpec>>

/** One argument, whichever notation the app used for it. */
export interface ArgSpec {
  readonly type: ArgType
  readonly optional: boolean
  readonly short?: string
  readonly description?: string
}

export type ArgType =
  | { readonly kind: 'any' }
  | { readonly kind: 'string'; readonly lengthMin?: number; readonly lengthMax?: number }
  | { readonly kind: 'number'; readonly integer: boolean; readonly min?: number; readonly max?: number }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'enum'; readonly values: readonly (string | number | boolean | null)[] }
  | { readonly kind: 'item'; readonly itemType: string }
  | {
      readonly kind: 'array'
      readonly element: ArgType
      readonly countMin?: number
      readonly countMax?: number
    }
  | { readonly kind: 'object'; readonly fields: ArgSpecs; readonly open: boolean }

/** One version of one view, immutable: snapshots hold on to it for as long as they are kept. */
export interface Fragment {
  readonly chunks: readonly Chunk[]
  readonly operations: readonly OperationInfo[]
  readonly entities: readonly EntityInfo[]
  /** The number that the app process gave it, under which it still knows the elements. */
  readonly version: number
}

export const EMPTY_FRAGMENT: Fragment = { chunks: [], operations: [], entities: [], version: 0 }

/** The change from one fragment to the next: chunks between two equal ends are replaced. */
export interface FragmentSplice {
  readonly from: number
  readonly removeCount: number
  readonly chunks: readonly Chunk[]
}

export function spliceBetween(before: readonly Chunk[], after: readonly Chunk[]): FragmentSplice {
  const lengthMin = Math.min(before.length, after.length)
  let from = 0
  while (from < lengthMin && sameChunk(before[from], after[from])) from++
  let tail = 0
  while (
    tail < lengthMin - from &&
    sameChunk(before[before.length - 1 - tail], after[after.length - 1 - tail])
  )
    tail++
  return {
    from,
    removeCount: before.length - from - tail,
    chunks: after.slice(from, after.length - tail),
  }
}

export function applySplice(before: readonly Chunk[], splice: FragmentSplice): Chunk[] {
  return before.slice(0, splice.from).concat(splice.chunks, before.slice(splice.from + splice.removeCount))
}

/** How much of the desktop's memory a chunk takes. */
export function chunkChars(chunk: Chunk): number {
  switch (chunk.kind) {
    case 'text':
    case 'code':
      return chunk.text.length
    case 'item':
      return chunk.head.length + chunk.rest.length + (chunk.key?.length ?? 0) + (chunk.value?.length ?? 0)
    case 'list':
      return chunk.title.length
    case 'end':
      return 0
    default:
      return chunk satisfies never
  }
}

/** Cached items come back as the same object; the rest is small and is compared by its content. */
function sameChunk(a: Chunk | undefined, b: Chunk | undefined): boolean {
  if (a === b) return true
  if (a === undefined || b === undefined) return false
  switch (a.kind) {
    case 'text':
      return b.kind === 'text' && a.text === b.text
    case 'code':
      return b.kind === 'code' && a.text === b.text && a.language === b.language && a.indent === b.indent
    case 'end':
      return b.kind === 'end'
    case 'item':
      return (
        b.kind === 'item' &&
        a.head === b.head &&
        a.rest === b.rest &&
        a.indent === b.indent &&
        a.key === b.key &&
        a.value === b.value
      )
    case 'list':
      return (
        b.kind === 'list' &&
        a.id === b.id &&
        a.type === b.type &&
        a.title === b.title &&
        a.from === b.from &&
        a.total === b.total &&
        a.indent === b.indent
      )
    default:
      return a satisfies never
  }
}
