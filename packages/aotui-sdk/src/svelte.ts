/** The runtime's attributes in Svelte's templates; `persistent` is a store there, and attributes are spread. */
import { onDestroy } from 'svelte'
import type { HTMLAttributes as SvelteAttributes } from 'svelte/elements'
import type { ArgSpecs } from './argument-types.ts'
import type { AotuiAttributes, Attributes } from './attributes.ts'
import { createOperation, type OperationHandler } from './operation.ts'

export * from './index.ts'

/** Takes an operation while the component is there; spread what it returns onto the element that offers it. */
export function useOperation<const S extends ArgSpecs>(
  id: string,
  specs: S,
  handler: OperationHandler<S>,
): Attributes {
  const { attributes, listen } = createOperation(id, specs, handler)
  onDestroy(listen())
  return attributes
}

declare module 'svelte/elements' {
  interface HTMLAttributes<T extends EventTarget> extends AotuiAttributes {
    key?: string | undefined
  }
}

/** The attributes of an element in a template. */
export type ElementAttributes = SvelteAttributes<HTMLElement>
