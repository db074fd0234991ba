import type { Chunk, ItemChunk } from '../contract/fragment.ts'
import type { DomElement } from './dom-node.ts'
import type { FoundMarkup } from './found-markup.ts'

/** Where an item comes from: its element, and what was found inside it. */
export interface ItemHome {
  readonly element: DomElement
  readonly found: FoundMarkup
}

/** An item's chunk is made for one element, and is the same object until that element changes. */
const homes = new WeakMap<ItemChunk, ItemHome>()

export function noteItem(chunk: Chunk | undefined, home: ItemHome): void {
  if (chunk?.kind === 'item') homes.set(chunk, home)
}

export interface FoundItem extends ItemHome {
  readonly chunk: ItemChunk
  /** The id of the list around it. */
  readonly list: string
}

/** The items of a rendering, in the order in which they are shown. */
export function* itemsOf(chunks: readonly Chunk[]): Generator<FoundItem> {
  const lists: string[] = []
  for (const chunk of chunks) {
    if (chunk.kind === 'list') lists.push(chunk.id)
    else if (chunk.kind === 'end') lists.pop()
    if (chunk.kind !== 'item') continue
    const home = homes.get(chunk)
    if (home !== undefined) yield { chunk, list: lists.at(-1) ?? '', ...home }
  }
}
