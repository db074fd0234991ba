import type { DomElement, DomShadowRoot } from '../transform/dom-node.ts'
import type { DomDocument, EventTargetMethods } from './dom-engine.ts'

/**
 * Two things that a document does not tell: closed shadow roots, and who listens. happy-dom shares its classes between
 * all windows of a process, so the hooks and what they record are the process's too; a document subscribes for itself.
 */
const shadowRoots = new WeakMap<object, DomShadowRoot>()
const listeners = new WeakMap<object, Map<string, Set<unknown>>>()
const subscribers = new WeakMap<object, (root: DomShadowRoot) => void>()
const hooked = new WeakSet<object>()

/** Listeners of the runtime itself: they handle nothing. */
const own = new WeakSet<object>()

export function ownListener<T extends object>(listener: T): T {
  own.add(listener)
  return listener
}

export const OPERATION_EVENT = 'aotui:operation'
/** What a press causes. */
const PRESS_EVENTS = [
  'click',
  'submit',
  'change',
  'input',
  'mousedown',
  'pointerdown',
  'mouseup',
  'pointerup',
  'dblclick',
]
const KEY_EVENTS = ['keydown', 'keypress', 'keyup']
const WATCHED = new Set([OPERATION_EVENT, ...PRESS_EVENTS, ...KEY_EVENTS])

export function hookDocument(document: DomDocument, onShadowRoot: (root: DomShadowRoot) => void): void {
  subscribers.set(document, onShadowRoot)
  hookListeners(owner<EventTargetMethods>(document, 'addEventListener'))
  hookShadowRoots(owner<ShadowMethods>(document.body, 'attachShadow'))
}

export function shadowRootOf(element: DomElement): DomShadowRoot | null {
  return shadowRoots.get(element) ?? null
}

export function listensForOperations(target: object): boolean {
  return (listeners.get(target)?.get(OPERATION_EVENT)?.size ?? 0) > 0
}

export function listensForPresses(target: object): boolean {
  return listensFor(target, PRESS_EVENTS)
}

export function listensForKeys(target: object): boolean {
  return listensFor(target, KEY_EVENTS)
}

export function listensForDoubleClicks(target: object): boolean {
  return listensFor(target, ['dblclick'])
}

function listensFor(target: object, events: readonly string[]): boolean {
  const types = listeners.get(target)
  return events.some(
    (type) => (types?.get(type)?.size ?? 0) > 0 || typeof Reflect.get(target, `on${type}`) === 'function',
  )
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
    if (WATCHED.has(type) && isAppListener(listener)) listenersOf(this, type).add(listener)
    addEventListener.call(this, type, listener, options)
  }
  prototype.removeEventListener = function remove(
    this: object,
    type: string,
    listener: unknown,
    options?: unknown,
  ) {
    if (WATCHED.has(type)) listenersOf(this, type).delete(listener)
    removeEventListener.call(this, type, listener, options)
  }
}

function isAppListener(listener: unknown): boolean {
  if (typeof listener !== 'function' && (typeof listener !== 'object' || listener === null)) return false
  return !own.has(listener)
}

function listenersOf(target: object, type: string): Set<unknown> {
  let types = listeners.get(target)
  if (types === undefined) listeners.set(target, (types = new Map()))
  let found = types.get(type)
  if (found === undefined) types.set(type, (found = new Set()))
  return found
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
