/** A value that is part of the app's data: `serialize` saves it and `restore` brings it back. */
export interface Persistent<T> {
  readonly get: () => T
  readonly set: (value: T) => void
  readonly update: (change: (value: T) => T) => void
  /** Calls back at once and at every change, as Svelte's stores do; returns the function that ends this. */
  readonly subscribe: (listener: (value: T) => void) => () => void
}

/** How a value is read and written, for frameworks that keep it themselves. */
export interface PersistentSlot {
  readonly read: () => unknown
  readonly write: (value: unknown) => void
}

const slots = new Map<string, PersistentSlot>()
const stores = new Map<string, Persistent<unknown>>()
/** What was restored and is not asked for yet: a component may be made later, and its data must not be lost. */
const waiting = new Map<string, unknown>()

/** The value under this key, the same one for everyone who asks. It has to be JSON. */
export function persistent<T>(key: string, initial: T): Persistent<T> {
  const known = stores.get(key)
  // What is under a key has one type: its users agree on it.
  if (known !== undefined) return known as Persistent<T>
  let value = initial
  const listeners = new Set<(value: T) => void>()
  const store: Persistent<T> = {
    get: () => value,
    set: (next) => {
      if (Object.is(next, value)) return
      value = next
      for (const listener of listeners) listener(value)
    },
    update: (change) => store.set(change(value)),
    subscribe: (listener) => {
      listeners.add(listener)
      listener(value)
      return () => void listeners.delete(listener)
    },
  }
  persistSlot(key, { read: store.get, write: (restored) => store.set(restored as T) })
  stores.set(key, store as Persistent<unknown>)
  return store
}

/** Makes a value that is kept elsewhere part of the app's data. */
export function persistSlot(key: string, slot: PersistentSlot): void {
  if (slots.has(key)) throw new Error(`the persistent value "${key}" is kept twice; give one another key`)
  slots.set(key, slot)
  if (!waiting.has(key)) return
  slot.write(waiting.get(key))
  waiting.delete(key)
}

/** The app's data. The entry module exports it: `export { serialize, restore } from '@aotui/sdk'`. */
export function serialize(): Record<string, unknown> {
  return Object.fromEntries([...waiting, ...[...slots].map(([key, slot]) => [key, slot.read()] as const)])
}

export function restore(data: unknown): void {
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    throw new Error('the saved data is not that of persistent values: it is no object')
  for (const [key, value] of Object.entries(data)) {
    const slot = slots.get(key)
    if (slot === undefined) waiting.set(key, value)
    else slot.write(value)
  }
}
