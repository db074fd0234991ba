import {
  isElement,
  DOCUMENT_FRAGMENT,
  type DomElement,
  type DomNode,
  type DomShadowRoot,
} from './dom-node.ts'
import { controlState } from './form-control.ts'
import type { ItemCache, ItemRender, RenderEnv } from './render-scope.ts'
import { renderView, type ViewRender } from './render-view.ts'

export interface MutationLike {
  readonly type: string
  readonly target: DomNode
  readonly addedNodes: Iterable<DomNode>
  readonly attributeName?: string | null
}

export interface TransformOptions {
  readonly shadowRootOf: (element: DomElement) => DomShadowRoot | null
  readonly windowSize: number
}

/**
 * Renders the views of one document and keeps what did not change: whole views, and items inside changed views.
 *
 * A cached item may depend on nothing but its own subtree, its depth and its list's type. What no MutationObserver
 * reports, the state of form controls, is read again before each rendering; what depends on nodes elsewhere, slotted
 * content, is not cached. A property test compares every step with a full transform.
 */
export class IncrementalTransform {
  readonly #options: TransformOptions
  readonly #items = new WeakMap<DomElement, { depth: number; type: string; render: ItemRender }>()
  readonly #views = new Map<DomElement, { render?: ViewRender; dirty: boolean }>()
  readonly #windows = new WeakMap<DomElement, number>()
  readonly #env: RenderEnv

  constructor(options: TransformOptions) {
    this.#options = options
    const cache: ItemCache = {
      get: (element, depth, type) => {
        const entry = this.#items.get(element)
        return entry?.depth === depth && entry.type === type ? entry.render : undefined
      },
      set: (element, depth, type, render) => {
        this.#items.set(element, { depth, type, render })
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
      // Nothing of the output depends on a class, and frameworks change it a lot.
      if (record.type === 'attributes' && record.attributeName === 'class') continue
      this.invalidate(record.target)
      for (const node of record.addedNodes) if (isElement(node)) this.#forgetInside(node, onAdded)
    }
  }

  /** Marks every item and view around a node as changed. */
  invalidate(node: DomNode): void {
    let at: DomNode | null = node
    while (at !== null) {
      if (isElement(at)) {
        this.#items.delete(at)
        const view = this.#views.get(at)
        if (view !== undefined) view.dirty = true
      }
      at = at.parentNode ?? (at.nodeType === DOCUMENT_FRAGMENT ? shadowHost(at) : null)
    }
  }

  /** A node that comes back may have been changed while it was out of the document, where nothing is observed. */
  #forgetInside(element: DomElement, onAdded?: (element: DomElement) => void): void {
    this.#items.delete(element)
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

function shadowHost(node: DomNode): DomNode | null {
  return 'host' in node ? (node as DomShadowRoot).host : null
}
