import type { ArgSpecs } from './argument-types.ts'
import type { Attributes } from './attributes.ts'
import { createOperation, type OperationHandler } from './operation.ts'
import { persistent } from './persistent.ts'

/** What React and Preact have in common. */
interface HookLibrary {
  readonly useState: <T>(initial: () => T) => [T, (next: () => T) => void]
  readonly useLayoutEffect: (effect: () => void | (() => void), dependencies?: readonly unknown[]) => void
}

export interface Hooks {
  /**
   * Takes an operation while the component is there; returns the attributes of the element that offers it. The id and
   * the arguments stay those of the first call, the handler is always the latest.
   */
  readonly useOperation: <const S extends ArgSpecs>(
    id: string,
    specs: S,
    handler: OperationHandler<S>,
  ) => Attributes
  /** As `useState`, with a value that is part of the app's data. */
  readonly usePersistentState: <T>(key: string, initial: T) => [T, (next: T | ((value: T) => T)) => void]
}

export function makeHooks({ useState, useLayoutEffect }: HookLibrary): Hooks {
  return {
    useOperation: <const S extends ArgSpecs>(id: string, specs: S, handler: OperationHandler<S>) => {
      const [own] = useState(() => {
        const latest = { handler }
        return { latest, operation: createOperation(id, specs, (...given) => latest.handler(...given)) }
      })
      useLayoutEffect(() => {
        own.latest.handler = handler
      })
      useLayoutEffect(() => own.operation.listen(), [own])
      return own.operation.attributes
    },
    usePersistentState: <T>(key: string, initial: T) => {
      const store = persistent(key, initial)
      const [value, setValue] = useState(store.get)
      useLayoutEffect(() => store.subscribe((next) => setValue(() => next)), [store])
      const [set] = useState(() => (next: T | ((value: T) => T)) => {
        if (typeof next === 'function') store.update(next as (value: T) => T)
        else store.set(next)
      })
      return [value, set]
    },
  }
}
