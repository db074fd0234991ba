import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { GlobalWindow } from 'happy-dom'
import type { DomElement } from '../transform/dom-node.ts'
import type { MutationLike } from '../transform/changed-nodes.ts'

/** The part of a window that the runtime itself uses; apps get the whole of it. */
export interface DomWindow {
  readonly document: DomDocument
  readonly MutationObserver: new (callback: (records: MutationLike[]) => void) => DomObserver
  readonly CustomEvent: new (
    type: string,
    init: { detail?: unknown; bubbles?: boolean; cancelable?: boolean },
  ) => DomEvent
  readonly Event: new (type: string, init?: EventInit) => DomEvent
  readonly MouseEvent: new (type: string, init: EventInit & { detail: number }) => DomEvent
  readonly KeyboardEvent: new (
    type: string,
    init: EventInit & { key: string; code: string; keyCode: number; which: number },
  ) => DomEvent
  readonly DOMParser: new () => { parseFromString(text: string, type: 'text/html'): DomDocument }
  readonly PopStateEvent: new (type: string, init: { state: unknown }) => DomEvent
  addEventListener(type: string, listener: (event: never) => void, capture?: boolean): void
  removeEventListener(type: string, listener: () => void): void
  readonly location: { readonly href: string }
  dispatchEvent(event: DomEvent): boolean
  requestAnimationFrame(callback: () => void): unknown
}

interface EventInit {
  readonly bubbles?: boolean
  readonly cancelable?: boolean
  readonly composed?: boolean
}

export interface EventTargetMethods {
  addEventListener: ListenerMethod
  removeEventListener: ListenerMethod
}

type ListenerMethod = (this: object, type: string, listener: unknown, options?: unknown) => void

export interface DomEvent {
  readonly detail?: unknown
}

export interface DomObserver {
  observe(target: unknown, options: object): void
  takeRecords(): MutationLike[]
}

export interface DomDocument extends DomElement {
  readonly body: LiveElement
  readonly head: LiveElement
  readonly documentElement: LiveElement
  createElement(name: string): LiveElement
  importNode(node: DomElement, deep: boolean): LiveElement
  dispatchEvent(event: DomEvent): boolean
  addEventListener(type: string, listener: (event: never) => void, capture?: boolean): void
}

export interface LiveElement extends DomElement {
  readonly isConnected: boolean
  readonly attributes: Iterable<{ name: string; value: string }>
  setAttribute(name: string, value: string): void
  appendChild(node: unknown): unknown
  remove(): void
  click(): void
  focus(): void
  dispatchEvent(event: DomEvent): boolean
}

export type DomEngine = 'happy-dom' | 'jsdom'

/** An address is needed for history, storage and relative URLs; nothing is ever fetched from it. */
const PAGE_URL = 'http://localhost/'

/** The engine's own remarks, such as that it loads no scripts. Errors of apps are events of the window. */
const QUIET = new Console({ stdout: new Writable({ write: (_chunk, _encoding, done) => done() }) })

export async function createWindow(engine: DomEngine, url?: string): Promise<DomWindow> {
  if (engine === 'happy-dom') {
    // The window that uses this realm's own objects: apps are loaded by Node into the same realm. Scripts inside
    // documents are never evaluated: that would be a second, unguarded way to load code.
    const settings = {
      enableJavaScriptEvaluation: false,
      disableCSSFileLoading: true,
      disableJavaScriptFileLoading: true,
    }
    return new GlobalWindow({ url: PAGE_URL, settings, console: QUIET }) as unknown as DomWindow
  }
  // jsdom cannot be bundled, so the desktop says where it is.
  const { default: jsdom } = (await import(url ?? 'jsdom')) as {
    default: { JSDOM: new (html: string, options: object) => { window: unknown } }
  }
  const { window } = new jsdom.JSDOM('<!doctype html><html><head></head><body></body></html>', {
    url: PAGE_URL,
    pretendToBeVisual: true,
  })
  return window as DomWindow
}
