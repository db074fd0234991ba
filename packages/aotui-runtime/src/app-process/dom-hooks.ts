import type { DomElement, DomShadowRoot } from '../transform/dom-node.ts'
import type { DomDocument, EventTargetMethods } from './dom-engine.ts'

/**
 * Two things that a document does not tell: closed shadow roots, and who listens. happy-dom shares its classes between
 * all windows of a process, so the hooks and what they record are the process's too; a document subscribes for itself.
 */
const shadowRoots = new WeakMap<object, DomShadowRoot>()
const listenerCounts = new WeakMap<object, number>()
const subscribers = new WeakMap<object, (root: DomShadowRoot) => void>()
const hooked = new WeakSet<object>()

const OPERATION_EVENT = 'aotui:operation'

export function hookDocument(document: DomDocument, onShadowRoot: (root: DomShadowRoot) => void): void {
  subscribers.set(document, onShadowRoot)
  hookListeners(owner<EventTargetMethods>(document, 'addEventListener'))
  hookShadowRoots(owner<ShadowMethods>(document.body, 'attachShadow'))
}

export function shadowRootOf(element: DomElement): DomShadowRoot | null {
  return shadowRoots.get(element) ?? null
}

export function operationListenerCount(target: object): number {
  return listenerCounts.get(target) ?? 0
}

interface ShadowMethods {
  attachShadow: (this: DomElement & { ownerDocument: object }, init: unknown) => DomShadowRoot
}

function hookShadowRoots(prototype: ShadowMethods): void {
  if (hooked.has(prototype)) return
  hooked.add(prototype)
  const attach = prototype.attachShadow
  prototype.attachShadow = function attachShadow(
    this: DomElement & { ownerDocument: object },
    init: unknown,
  ) {
    const root = attach.call(this, init)
    shadowRoots.set(this, root)
    subscribers.get(this.ownerDocument)?.(root)
    return root
  }
}

function hookListeners(prototype: EventTargetMethods): void {
  if (hooked.has(prototype)) return
  hooked.add(prototype)
  const { addEventListener, removeEventListener } = prototype
  prototype.addEventListener = function add(
    this: object,
    type: string,
    listener: unknown,
    options?: unknown,
  ) {
    if (type === OPERATION_EVENT) listenerCounts.set(this, operationListenerCount(this) + 1)
    addEventListener.call(this, type, listener, options)
  }
  prototype.removeEventListener = function remove(
    this: object,
    type: string,
    listener: unknown,
    options?: unknown,
  ) {
    if (type === OPERATION_EVENT) listenerCounts.set(this, Math.max(0, operationListenerCount(this) - 1))
    removeEventListener.call(this, type, listener, options)
  }
}

/** The prototype that a method really lives on: happy-dom's `window.EventTarget` is not the one documents inherit. */
function owner<T extends object>(from: object, method: keyof T & string): T {
  let at: object | null = from
  while (at !== null) {
    if (Object.hasOwn(at, method)) return at as T
    at = Object.getPrototypeOf(at) as object | null
  }
  throw new Error(`the DOM engine has no ${method}`)
}
