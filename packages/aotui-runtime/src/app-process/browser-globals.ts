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

/**
 * In a process of its own the global object is the window, as in a browser: `window.x = 1` makes a global `x`, which
 * classic scripts and UMD modules rely on. Values are plain, because looking them up at every access would cost time;
 * handlers such as `onhashchange` and numbers such as `innerWidth` stay the window's own.
 */
export function installBrowserGlobals(window: DomWindow): void {
  const own = window as unknown as Record<string, unknown>
  for (const name of namesToInstall(window)) {
    const value = readFrom(window, name)
    const isFixed = typeof value === 'function' || (typeof value === 'object' && value !== null)
    if (isFixed && !name.startsWith('on')) define(name, { value, writable: true })
    else define(name, { get: () => own[name], set: (given: unknown) => void (own[name] = given) })
  }
  for (const name of SELF) define(name, { value: globalThis, writable: true })
}

/** In a shared process a name means the window of the app that is running at the moment of the access. */
export function installSharedGlobals(window: DomWindow, current: () => DomWindow | undefined): void {
  for (const name of namesToInstall(window)) {
    let replaced: { value: unknown } | undefined
    define(name, {
      get: () => (replaced === undefined ? readFrom(current() ?? window, name) : replaced.value),
      set: (value: unknown) => {
        replaced = { value }
      },
    })
  }
  for (const name of SELF) define(name, { get: () => current() ?? window })
}

const SELF = ['window', 'self', 'top', 'parent', 'frames']

function define(name: string, descriptor: PropertyDescriptor): void {
  Object.defineProperty(globalThis, name, { ...descriptor, configurable: true, enumerable: false })
}

function namesToInstall(window: DomWindow): string[] {
  return [...windowNames(window)].filter(
    (name) => !NEVER.has(name) && !SELF.includes(name) && (!(name in globalThis) || FROM_WINDOW.has(name)),
  )
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
