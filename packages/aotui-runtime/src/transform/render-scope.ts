import type { Chunk } from '../contract/fragment.ts'
import { isElement, type DomElement, type DomNode, type DomShadowRoot } from './dom-node.ts'
import { cutLines } from './escape-text.ts'
import type { FoundMarkup } from './found-markup.ts'

/** Elements that stand on lines of their own. */
export const BLOCKS = new Set(
  (
    'address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form ' +
    'h1 h2 h3 h4 h5 h6 header hgroup hr legend li main menu nav ol p pre search section summary table tbody tfoot ' +
    'thead tr ul'
  ).split(' '),
)

/** What stays the same for one rendering of one view. */
export interface RenderEnv {
  /** Parts that have not changed since they were last rendered; absent for a full transform. */
  readonly cache?: PartCache
  /** Also closed ones: the app process sees every `attachShadow`. */
  readonly shadowRootOf: (element: DomElement) => DomShadowRoot | null
  /** Where the window on a long list begins, and how many of its items are shown. */
  readonly windowFrom: (list: DomElement) => number
  readonly windowSize: number
}

export interface PartCache {
  getItem(element: DomElement, depth: number, type: string): ItemRender | undefined
  setItem(element: DomElement, depth: number, type: string, render: ItemRender): void
  getChild(element: DomElement): ChildRender | undefined
  setChild(element: DomElement, render: ChildRender): void
}

interface PartRender {
  readonly chunks: readonly Chunk[]
  readonly found: FoundMarkup
}

export interface ItemRender extends PartRender {
  /** What is wrong with it. Its list says so, because it knows its own name. */
  readonly problem?: string | undefined
}

/** An element outside lists, items, forms and shadow trees: chunks of its own, or text for the line around it. */
export interface ChildRender extends PartRender {
  readonly text?: string
}

/** How the inside of lists and tables is rendered: they hold blocks again. */
export interface Renderers {
  readonly block: (element: DomElement, scope: Scope) => void
  readonly children: (element: DomElement, scope: Scope) => void
}

/** What changes on the way down. */
export interface Scope {
  readonly env: RenderEnv
  readonly render: Renderers
  readonly out: BlockOut
  readonly found: FoundMarkup
  readonly root: DomElement
  /** How many items lie around this place. */
  readonly depth: number
  /** The list whose items are looked for here. */
  readonly list?: ListScope
  /** The type of the item around this place. */
  readonly itemType?: string
  /** Entities of an item, which cannot be links inside the item's own link. */
  readonly entityLines?: string[]
  readonly form?: DomElement
  readonly shadow?: ShadowScope
}

export interface ListScope {
  readonly element: DomElement
  readonly type: string
  readonly id: string
  readonly from: number
  count: number
}

/** Inside a shadow tree: whose it is, and what was around the host. */
export interface ShadowScope {
  readonly host: DomElement
  readonly outer?: ShadowScope
}

/** Gathers lines into text chunks; other chunks end the text before them. */
export class BlockOut {
  readonly chunks: Chunk[] = []
  #lines: string[] = []

  line(text: string): void {
    this.#lines.push(text)
  }

  lines(texts: readonly string[]): void {
    for (const text of texts) this.#lines.push(text)
  }

  /** Ends a block. Blocks are chunks of their own, so that a change resends no more than it must. */
  break(): void {
    if (this.#lines.length === 0) return
    this.chunks.push({ kind: 'text', text: cutLines(this.#lines.join('\n')) })
    this.#lines = []
  }

  push(chunks: readonly Chunk[]): void {
    this.break()
    for (const chunk of chunks) this.chunks.push(chunk)
  }
}

/** The children as they are shown: a shadow tree replaces them, and its slots show them again. */
export function flatChildren(element: DomElement, scope: Scope): { nodes: Iterable<DomNode>; scope: Scope } {
  const shadow = scope.env.shadowRootOf(element)
  if (shadow !== null) {
    const inner: ShadowScope =
      scope.shadow === undefined ? { host: element } : { host: element, outer: scope.shadow }
    return { nodes: shadow.childNodes, scope: { ...scope, shadow: inner } }
  }
  if (element.localName === 'slot' && scope.shadow !== undefined) return slotted(element, scope, scope.shadow)
  return { nodes: element.childNodes, scope }
}

function slotted(
  slot: DomElement,
  scope: Scope,
  shadow: ShadowScope,
): { nodes: Iterable<DomNode>; scope: Scope } {
  scope.found.cacheable = false
  const name = slot.getAttribute('name') ?? ''
  const assigned = [...shadow.host.childNodes].filter((node) =>
    isElement(node) ? (node.getAttribute('slot') ?? '') === name : name === '',
  )
  if (assigned.length === 0) return { nodes: slot.childNodes, scope }
  const { shadow: _, ...outside } = scope
  return {
    nodes: assigned,
    scope: shadow.outer === undefined ? outside : { ...outside, shadow: shadow.outer },
  }
}
