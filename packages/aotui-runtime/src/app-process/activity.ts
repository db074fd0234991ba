/**
 * Counts what code starts without changing its document: timers and requests. A handler that did so has taken the
 * operation, even if nothing is to be seen yet.
 */
let activity = 0

export function activityCount(): number {
  return activity
}

export function noteActivity(): void {
  activity++
}

/** The runtime's own timers: what it waits for is no activity of the app. */
export const ownTimeout = setTimeout
export const ownImmediate = setImmediate

const STARTERS = ['setTimeout', 'setInterval', 'setImmediate', 'fetch'] as const

/** Wraps the globals once, before any app code runs. */
export function countActivity(): void {
  for (const name of STARTERS) {
    const original = globalThis[name] as (...args: unknown[]) => unknown
    const counted = function counted(this: unknown, ...args: unknown[]): unknown {
      activity++
      return original.apply(this, args)
    }
    // `util.promisify(setTimeout)` looks for a symbol on the function.
    Object.defineProperties(counted, Object.getOwnPropertyDescriptors(original))
    Object.defineProperty(globalThis, name, { configurable: true, writable: true, value: counted })
  }
}
