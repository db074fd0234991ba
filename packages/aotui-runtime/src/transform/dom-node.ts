/**
 * The part of the DOM that the transform reads, written out so that happy-dom and jsdom both fit and neither's
 * types are needed: the transform sees whatever engine the app runs on.
 */
export interface DomNode {
  readonly nodeType: number
  readonly parentNode: DomNode | null
  readonly childNodes: Iterable<DomNode>
  readonly textContent: string | null
}

export interface DomElement extends DomNode {
  readonly localName: string
  getAttribute(name: string): string | null
  hasAttribute(name: string): boolean
  hasAttributes(): boolean
}

/** Form controls: none of these is reported by a MutationObserver when it changes. */
export interface DomControl extends DomElement {
  readonly value?: unknown
  readonly checked?: unknown
  readonly selected?: unknown
}

export interface DomShadowRoot extends DomNode {
  readonly host: DomElement
}

const ELEMENT = 1
export const TEXT = 3
export const DOCUMENT_FRAGMENT = 11

export function isElement(node: DomNode): node is DomElement {
  return node.nodeType === ELEMENT
}
