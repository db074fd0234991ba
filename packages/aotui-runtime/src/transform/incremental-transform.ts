import { changedNodes, type MutationLike } from './changed-nodes.ts'
import {
  isElement,
  DOCUMENT_FRAGMENT,
  type DomElement,
  type DomNode,
  type DomShadowRoot,
} from './dom-node.ts'
import { controlState } from './form-control.ts'
import type { ChildRender, ItemRender, PartCache, RenderEnv } from './render-scope.ts'
import { renderView, type ViewRender } from './render-view.ts'

interface CachedItem {
  readonly kind: 'item'
  readonly depth: number
  readonly type: string
  readonly render: ItemRender
}

interface CachedChild {
  readonly kind: 'child'
  readonly render: ChildRender
}

export interface TransformOptions {
  readonly shadowRootOf: (element: DomElement) => DomShadowRoot | null
  readonly windowSize: number
}

/**
 * Renders the views of one document and keeps what did not change: whole views, and the parts of changed views, which
 * are the items of lists and the elements that stand alone.
 *
 * A cached item may depend on nothing but its own subtree, its depth and its list's type, an element that stands alone
 * on nothing but its subtree. What no MutationObserver
 * reports, the state of form controls, is read again before each rendering; what depends on nodes elsewhere, slotted
 * content, is not cached. A property test compares every step with a full transform.
 */
export class IncrementalTransform {
  readonly #options: TransformOptions
  readonly #parts = new WeakMap<DomElement, CachedItem | CachedChild>()
  readonly #views = new Map<DomElement, { render?: ViewRender; dirty: boolean }>()
  readonly #windows = new WeakMap<DomElement, number>()
  readonly #env: RenderEnv

  constructor(options: TransformOptions) {
    this.#options = options
    const cache: PartCache = {
      getItem: (element, depth, type) => {
        const part = this.#parts.get(element)
        return part?.kind === 'item' && part.depth === depth && part.type === type ? part.render : undefined
      },
      setItem: (element, depth, type, render) => {
        this.#parts.set(element, { kind: 'item', depth, type, render })
      },
      getChild: (element) => {
        const part = this.#parts.get(element)
        return part?.kind === 'child' ? part.render : undefined
      },
      setChild: (element, render) => {
        this.#parts.set(element, { kind: 'child', render })
      },
    }
    this.#env = { ...this.#baseEnv(), cache }
  }

  /** The same object as before when nothing of the view changed. */
  render(root: DomElement): ViewRender {
    const view = this.#views.get(root) ?? { dirty: true }
    this.#views.set(root, view)
    for (const { control, state } of view.render?.found.controls ?? []) {
      if (controlState(control) !== state) this.invalidate(control)
    }
    if (view.render === undefined || view.dirty) {
      view.dirty = false
      view.render = renderView(root, this.#env)
    }
    return view.render
  }

  /** The view with every item of its lists, those outside the windows too: an item that was seen is found here. */
  renderWhole(root: DomElement): ViewRender {
    // Not from the cache: a cached item shows its inner lists through their windows.
    return renderView(root, {
      ...this.#baseEnv(),
      windowFrom: () => 0,
      windowSize: Number.MAX_SAFE_INTEGER,
    })
  }

  /** What `render` must equal: the same view without any cache. */
  renderFully(root: DomElement): ViewRender {
    return renderView(root, this.#baseEnv())
  }

  forget(root: DomElement): void {
    this.#views.delete(root)
  }

  setWindow(list: DomElement, from: number): void {
    this.#windows.set(list, from)
    this.invalidate(list)
  }

  noteRecords(records: Iterable<MutationLike>, onAdded?: (element: DomElement) => void): void {
    for (const record of records) {
      if (record.type === 'attributes' && record.attributeName === 'class' && !isCode(record.target)) continue
      for (const node of changedNodes(record)) this.invalidate(node)
      for (const node of record.addedNodes) if (isElement(node)) this.#forgetInside(node, onAdded)
    }
  }

  /** Marks every part and view around a node as changed. */
  invalidate(node: DomNode): void {
    let at: DomNode | null = node
    while (at !== null) {
      if (isElement(at)) {
        this.#parts.delete(at)
        const view = this.#views.get(at)
        if (view !== undefined) view.dirty = true
      }
      at = at.parentNode ?? (at.nodeType === DOCUMENT_FRAGMENT ? shadowHost(at) : null)
    }
  }

  /** A node that comes back may have been changed while it was out of the document, where nothing is observed. */
  #forgetInside(element: DomElement, onAdded?: (element: DomElement) => void): void {
    this.#parts.delete(element)
    onAdded?.(element)
    for (const child of element.childNodes) if (isElement(child)) this.#forgetInside(child, onAdded)
    for (const child of this.#options.shadowRootOf(element)?.childNodes ?? []) {
      if (isElement(child)) this.#forgetInside(child, onAdded)
    }
  }

  #baseEnv(): RenderEnv {
    const { shadowRootOf, windowSize } = this.#options
    return { shadowRootOf, windowSize, windowFrom: (list) => this.#windows.get(list) ?? 0 }
  }
}

/** A class says what language code is in. Nothing else depends on one, and frameworks change them a lot. */
function isCode(node: DomNode): boolean {
  return isPre(node) || isPre(node.parentNode)
}

function isPre(node: DomNode | null): boolean {
  return node !== null && isElement(node) && node.localName === 'pre'
}

function shadowHost(node: DomNode): DomNode | null {
  return 'host' in node ? (node as DomShadowRoot).host : null
}
