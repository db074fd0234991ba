import type { ItemRef } from '../contract/app-message.ts'
import type { Chunk } from '../contract/fragment.ts'
import type { DomElement } from '../transform/dom-node.ts'
import type { IncrementalTransform } from '../transform/incremental-transform.ts'
import { itemsOf, type FoundItem } from '../transform/item-element.ts'

export type ItemSearch =
  | { readonly kind: 'found'; readonly item: FoundItem }
  /** It is gone. */
  | { readonly kind: 'unmounted' }
  /** Its element is gone, and several others claim to be it. */
  | { readonly kind: 'ambiguous' }

export interface ItemSearchPlace {
  readonly root: DomElement
  readonly transform: IncrementalTransform
  /** The chunks that the agent was shown, when they are still known. */
  readonly seen: readonly Chunk[] | undefined
}

/**
 * The item that the agent saw: its very element if that still shows the same item, else the only item of the list with
 * the same key (or, without a key, the same data). Elements come from the transform alone: what it does not show cannot
 * be found.
 */
export function findItem({ root, transform, seen }: ItemSearchPlace, ref: ItemRef): ItemSearch {
  const element = seenElement(seen, ref)
  if (element !== undefined) {
    for (const item of itemsOf(transform.render(root).chunks))
      if (item.element === element && isSame(item, ref)) return { kind: 'found', item }
  }
  const same: FoundItem[] = []
  for (const item of itemsOf(transform.renderWhole(root).chunks)) {
    if (!isSame(item, ref)) continue
    if (item.element === element) return { kind: 'found', item }
    if (item.list === ref.list) same.push(item)
  }
  const [item] = same
  if (item === undefined) return { kind: 'unmounted' }
  return same.length === 1 ? { kind: 'found', item } : { kind: 'ambiguous' }
}

function seenElement(seen: readonly Chunk[] | undefined, { position }: ItemRef): DomElement | undefined {
  if (seen === undefined) return undefined
  let index = 0
  for (const { element } of itemsOf(seen)) if (index++ === position) return element
  return undefined
}

function isSame({ chunk }: FoundItem, { key, value }: ItemRef): boolean {
  return key === undefined ? chunk.key === undefined && chunk.value === value : chunk.key === key
}
