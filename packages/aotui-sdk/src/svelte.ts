/** The runtime's attributes in Svelte's templates; `persistent` is a store there, and attributes are spread. */
import { onDestroy } from 'svelte'
import type { HTMLAttributes as SvelteAttributes } from 'svelte/elements'
import type { AotuiAttributes } from './attributes.ts'
import { takeUntil } from './operation.ts'

export * from './index.ts'

/** Takes an operation while the component is there; spread what it returns onto the element that offers it. */
export const useOperation = takeUntil(onDestroy)

declare module 'svelte/elements' {
  interface HTMLAttributes<T extends EventTarget> extends AotuiAttributes {
    key?: string | undefined
  }
}

/** The attributes of an element in a template. */
export type ElementAttributes = SvelteAttributes<HTMLElement>
