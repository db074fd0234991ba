/** Hooks for Preact, and the runtime's attributes in its JSX. */
import * as library from 'preact/hooks'
import type { AotuiAttributes } from './attributes.ts'
import { makeHooks, type Hooks } from './hooks.ts'

export * from './index.ts'

const hooks = makeHooks(library)

export const useOperation: Hooks['useOperation'] = hooks.useOperation
export const usePersistentState: Hooks['usePersistentState'] = hooks.usePersistentState

declare module 'preact' {
  interface HTMLAttributes<RefType extends EventTarget = EventTarget> extends AotuiAttributes {}
}
