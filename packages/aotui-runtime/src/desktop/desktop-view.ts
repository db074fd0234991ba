import type { ViewPresence } from '../contract/app-message.ts'
import { EMPTY_FRAGMENT, type Fragment } from '../contract/fragment.ts'

/** One view of one app, under the id that it keeps for the life of the desktop. */
export interface DesktopView {
  readonly id: string
  readonly handle: string
  name: string
  presence: ViewPresence
  hidden: boolean
  fragment: Fragment
}

/** `view_001`, `view_002`, …: never given twice in a desktop, not even after a restore. */
export class ViewIds {
  #next: number

  constructor(next = 1) {
    this.#next = next
  }

  get next(): number {
    return this.#next
  }

  make(handle: string, name: string): DesktopView {
    const id = `view_${String(this.#next++).padStart(3, '0')}`
    return { id, handle, name, presence: 'absent', hidden: false, fragment: EMPTY_FRAGMENT }
  }
}
