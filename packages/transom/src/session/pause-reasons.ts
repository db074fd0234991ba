import type { Manifest } from '../home/manifest.ts'

export type PauseReason = NonNullable<Manifest['paused']>

/** The reason that a manifest names when there are several: a full disk comes before a quota. */
const SHOWN_FIRST: readonly PauseReason[] = ['disk', 'quota']

/** Why a source is paused. It resumes when the last reason is removed. */
export class PauseReasons {
  readonly #reasons = new Set<PauseReason>()
  readonly #onChange: (reasons: ReadonlySet<PauseReason>) => void

  constructor(onChange: (reasons: ReadonlySet<PauseReason>) => void) {
    this.#onChange = onChange
  }

  get shown(): PauseReason | null {
    return SHOWN_FIRST.find((reason) => this.#reasons.has(reason)) ?? null
  }

  set(reason: PauseReason, applies: boolean): void {
    if (this.#reasons.has(reason) === applies) return
    if (applies) this.#reasons.add(reason)
    else this.#reasons.delete(reason)
    this.#onChange(this.#reasons)
  }
}
