/** Hooks for React, and the runtime's attributes in its JSX. */
import * as React from 'react'
import type { AotuiAttributes } from './attributes.ts'
import { makeHooks, type Hooks } from './hooks.ts'

export * from './index.ts'

const hooks = makeHooks(React)

export const useOperation: Hooks['useOperation'] = hooks.useOperation
export const usePersistentState: Hooks['usePersistentState'] = hooks.usePersistentState

declare module 'react' {
  // eslint-disable-next-line @typescript-eslint/no-unused-vars -- has to be declared as React declares it
  interface HTMLAttributes<T> extends AotuiAttributes {}
}
