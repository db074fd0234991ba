/** Composables for Vue, and the runtime's attributes in its templates. */
import { onScopeDispose, ref, type Ref } from 'vue'
import type { AotuiAttributes } from './attributes.ts'
import { takeUntil } from './operation.ts'
import { persistSlot } from './persistent.ts'

export * from './index.ts'

/** Takes an operation while the component is there; bind what it returns to the element that offers it. */
export const useOperation = takeUntil(onScopeDispose)

const refs = new Map<string, Ref<unknown>>()

/** As `ref`, with a value that is part of the app's data; the same one for everyone who asks for its key. */
export function usePersistentRef<T>(key: string, initial: T): Ref<T> {
  const known = refs.get(key)
  // What is under a key has one type: its users agree on it.
  if (known !== undefined) return known as Ref<T>
  const own: Ref<unknown> = ref<unknown>(initial)
  persistSlot(key, {
    read: () => own.value,
    write: (value) => {
      own.value = value
    },
  })
  refs.set(key, own)
  return own as Ref<T>
}

declare module 'vue' {
  interface HTMLAttributes extends AotuiAttributes {}
}
