import { changedNodes } from '../transform/changed-nodes.ts'
import {
  DOCUMENT_FRAGMENT,
  isElement,
  type DomElement,
  type DomNode,
  type DomShadowRoot,
} from '../transform/dom-node.ts'
import { isTextField } from '../transform/form-control.ts'
import { IncrementalTransform } from '../transform/incremental-transform.ts'
import type { DomObserver, DomWindow, LiveElement } from './dom-engine.ts'
import {
  hookDocument,
  listensForDoubleClicks,
  listensForKeys,
  listensForOperations,
  listensForPresses,
  ownListener,
  shadowRootOf,
} from './dom-hooks.ts'

const EVERYTHING = { subtree: true, childList: true, attributes: true, characterData: true }

/**
 * Watches one app's document: feeds the transform what changed, finds the elements that are views, and knows which
 * elements listen for operations. `onChange` is called when something may have changed.
 */
export class DocumentWatch {
  readonly transform: IncrementalTransform
  readonly #window: DomWindow
  readonly #observer: DomObserver
  readonly #viewElements = new Set<LiveElement>()
  /** Grows with every change that was seen; two equal readings with a turn between them are a quiet turn. */
  changeCount = 0

  constructor(window: DomWindow, options: { windowSize: number; onChange: () => void }) {
    this.#window = window
    this.transform = new IncrementalTransform({
      windowSize: options.windowSize,
      shadowRootOf,
    })
    this.#observer = new window.MutationObserver((records) => {
      this.flush(records)
      options.onChange()
    })
    hookDocument(window.document, (root) => {
      this.#observer.observe(root, EVERYTHING)
      this.transform.invalidate(root.host)
    })
    this.#observer.observe(window.document, EVERYTHING)
    // No engine reports what a person or a script does to a control as a mutation.
    for (const type of ['input', 'change', 'reset']) {
      window.document.addEventListener(
        type,
        ownListener(() => {
          this.changeCount++
          options.onChange()
        }),
        true,
      )
    }
    this.#lookForViews(window.document.documentElement)
  }

  /** Takes in what has changed up to now. */
  flush(records = this.#observer.takeRecords()): void {
    if (records.length === 0) return
    this.changeCount += records.length
    for (const record of records) {
      if (record.type === 'attributes' && record.attributeName === 'view')
        for (const node of changedNodes(record)) this.#noteView(node)
    }
    this.transform.noteRecords(records, (element) => this.#noteView(element))
  }

  /** The elements that are views now, in the order in which they appeared. */
  viewElements(): LiveElement[] {
    for (const element of this.#viewElements) {
      if (element.isConnected && element.hasAttribute('view')) continue
      this.#viewElements.delete(element)
      this.transform.forget(element)
    }
    return [...this.#viewElements]
  }

  /** Whether an `aotui:operation` that is dispatched on the element reaches a listener. */
  hasOperationListener(element: DomElement): boolean {
    return this.#isHeard(element, listensForOperations)
  }

  /** Whether anything listens for what a press on the element causes. */
  hasPressListener(element: DomElement): boolean {
    return (
      this.#isHeard(element, listensForPresses) ||
      (isTextField(element) && this.#isHeard(element, listensForKeys))
    )
  }

  hasDoubleClickListener(element: DomElement): boolean {
    return this.#isHeard(element, listensForDoubleClicks)
  }

  /** Along the way of a composed event: out of shadow roots, up to the window. */
  #isHeard(element: DomElement, listens: (target: object) => boolean): boolean {
    let at: DomNode | null = element
    while (at !== null) {
      if (listens(at)) return true
      at = at.parentNode ?? (at.nodeType === DOCUMENT_FRAGMENT ? ((at as DomShadowRoot).host ?? null) : null)
    }
    return listens(this.#window)
  }

  #noteView(node: DomNode): void {
    if (isElement(node) && node.hasAttribute('view')) this.#viewElements.add(node as LiveElement)
  }

  #lookForViews(element: DomElement): void {
    this.#noteView(element)
    for (const child of element.childNodes) if (isElement(child)) this.#lookForViews(child)
  }
}
