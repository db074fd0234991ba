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

const SHORT_MS = 20 // "next tick" and debounced renders; what takes longer is work of its own
const SHORT_TIMERS_MAX = 1000 // of those that are waited for; a program with more is not waited for

/** The timers of the app that fire soon, by the order in which they were started. */
const shortTimers = new Map<unknown, number>()
let timerCount = 0

export function timersStarted(): number {
  return timerCount
}

/**
 * Waits for short timers that were started since the mark: apps render in them. Those that these start in turn are not
 * waited for, because some never end. True if there were any.
 */
export async function shortTimersSince(mark: number): Promise<boolean> {
  const end = timerCount
  const isWaiting = () => [...shortTimers.values()].some((number) => number >= mark && number < end)
  if (!isWaiting()) return false
  const giveUpAt = performance.now() + 2 * SHORT_MS
  while (isWaiting() && performance.now() < giveUpAt) await new Promise((resolve) => ownTimeout(resolve, 1))
  return true
}

/** Wraps the globals once, before any app code runs. */
export function countActivity(): void {
  for (const name of ['setInterval', 'setImmediate', 'fetch'] as const) {
    const original = globalThis[name] as AnyFunction
    replace(name, function counted(this: unknown, ...args: unknown[]): unknown {
      activity++
      return original.apply(this, args)
    })
  }
  const { setTimeout: start, clearTimeout: stop } = globalThis as unknown as Record<string, AnyFunction>
  if (start === undefined || stop === undefined) return
  replace('setTimeout', function countedTimeout(callback: unknown, delay: unknown = 0, ...args: unknown[]) {
    activity++
    if (typeof callback !== 'function' || Number(delay) > SHORT_MS || shortTimers.size >= SHORT_TIMERS_MAX)
      return start(callback, delay, ...args)
    const handle = start(() => {
      shortTimers.delete(handle)
      return (callback as AnyFunction)(...args)
    }, delay)
    shortTimers.set(handle, timerCount++)
    return handle
  })
  replace('clearTimeout', (handle) => {
    shortTimers.delete(handle)
    return stop(handle)
  })
}

type AnyFunction = (...args: unknown[]) => unknown

function replace(name: string, value: AnyFunction): void {
  // `util.promisify(setTimeout)` looks for a symbol on the function.
  const original = Reflect.get(globalThis, name) as object
  Object.defineProperties(value, Object.getOwnPropertyDescriptors(original))
  Object.defineProperty(globalThis, name, { configurable: true, writable: true, value })
}
