import type { DomWindow } from './dom-engine.ts'

/**
 * Puts a window's names on the process's global object, so that an app that Node loaded as an ES module finds a
 * browser around it. Node's own globals stay, except where a document needs its own kind.
 */
const FROM_WINDOW = new Set([
  'Event',
  'EventTarget',
  'CustomEvent',
  'FormData',
  'Storage',
  'localStorage',
  'sessionStorage',
  'navigator',
  'Navigator',
])
const NEVER = new Set([
  'globalThis',
  'global',
  'undefined',
  'NaN',
  'Infinity',
  'constructor',
  'eval',
  'process',
  'Buffer',
  'require',
])

/** The window at the moment of the access: one for the whole process, or the one of the app that is running. */
export type CurrentWindow = () => DomWindow | undefined

export function installBrowserGlobals(window: DomWindow, current: CurrentWindow): void {
  for (const name of windowNames(window)) {
    if (NEVER.has(name) || (name in globalThis && !FROM_WINDOW.has(name))) continue
    let replaced: { value: unknown } | undefined
    Object.defineProperty(globalThis, name, {
      configurable: true,
      enumerable: false,
      get: () => (replaced === undefined ? readFrom(current() ?? window, name) : replaced.value),
      set: (value: unknown) => {
        replaced = { value }
      },
    })
  }
  for (const name of ['window', 'self', 'top', 'parent']) {
    Object.defineProperty(globalThis, name, { configurable: true, get: () => current() ?? window })
  }
}

const bound = new WeakMap<DomWindow, Map<string, unknown>>()

/** Methods are called without a receiver (`requestAnimationFrame(f)`), so they are bound; classes are not. */
function readFrom(window: DomWindow, name: string): unknown {
  const value = (window as unknown as Record<string, unknown>)[name]
  if (typeof value !== 'function' || /^[A-Z]/.test(name)) return value
  let methods = bound.get(window)
  if (methods === undefined) bound.set(window, (methods = new Map()))
  let method = methods.get(name)
  if (method === undefined) methods.set(name, (method = value.bind(window)))
  return method
}

function windowNames(window: DomWindow): Set<string> {
  const names = new Set<string>()
  let at: object | null = window
  while (at !== null && at !== Object.prototype) {
    for (const name of Object.getOwnPropertyNames(at)) names.add(name)
    at = Object.getPrototypeOf(at) as object | null
  }
  return names
}
