import { isElement, type DomNode } from './dom-node.ts'

export interface MutationLike {
  readonly type: string
  readonly target: DomNode
  readonly addedNodes: Iterable<DomNode>
  readonly attributeName?: string | null
}

/**
 * The nodes that a record is about. happy-dom shows forms and selects as proxies, and the record of a changed attribute
 * names the object behind, which nobody else ever meets. Which of its siblings it is cannot be told, so all are taken.
 */
export function changedNodes({ type, target }: MutationLike): Iterable<DomNode> {
  if (type !== 'attributes' || !isElement(target) || !PROXIED.has(target.localName)) return [target]
  return target.parentNode?.childNodes ?? []
}

const PROXIED = new Set(['form', 'select'])
