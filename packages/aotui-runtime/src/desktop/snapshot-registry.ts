import { AotuiError } from '../contract/aotui-error.ts'
import type { EntityInfo } from '../contract/fragment.ts'
import type { ShownRef } from './compose-fragment.ts'
import type { DesktopContent, Section } from './compose-desktop.ts'

/** What an agent was shown at one time. It holds on to immutable fragments, so keeping it costs little. */
export interface SnapshotRecord {
  readonly id: string
  readonly takenAt: number
  readonly content: DesktopContent
  readonly sections: readonly Section[]
}

const SNAPSHOTS_MAX = 32 // an agent acts on the last one; the others are for slow turns and several observers
const SNAPSHOTS_MIN = 4 // kept whatever their age: an agent may think for long
const AGE_MS_MAX = 10 * 60_000

export class SnapshotRegistry {
  readonly #now: () => number
  readonly #records = new Map<string, SnapshotRecord>()

  constructor(now: () => number) {
    this.#now = now
  }

  add(record: SnapshotRecord): void {
    this.#records.set(record.id, record)
    for (const old of this.#records.values()) {
      const tooOld = this.#now() - old.takenAt > AGE_MS_MAX && this.#records.size > SNAPSHOTS_MIN
      if (this.#records.size <= SNAPSHOTS_MAX && !tooOld) break
      this.#records.delete(old.id)
    }
  }

  get(id: string): SnapshotRecord {
    const record = this.#records.get(id)
    if (record === undefined) {
      throw new AotuiError(
        'E_NOT_FOUND',
        `snapshot "${id}" is not kept any more; take a new one and look again`,
        { reason: 'snapshot_expired', snapshot_id: id },
      )
    }
    return record
  }

  /** The items that a list's name stood for, in the view that the agent meant or else in the only one that has it. */
  static findItem(record: SnapshotRecord, ref: string, place: RefPlace): ShownRef {
    const name = ref.replace(/^item:/, '')
    const found = record.sections.flatMap((section) =>
      section.viewId !== undefined && place.viewIds.includes(section.viewId)
        ? section.pieces.flatMap((piece) =>
            piece.ref?.name === name ? [{ ref: piece.ref, viewId: section.viewId }] : [],
          )
        : [],
    )
    const own =
      found.find((one) => one.viewId === place.viewId) ?? (found.length === 1 ? found[0] : undefined)
    if (own !== undefined) return own.ref
    const reason = found.length > 1 ? 'ref_ambiguous' : 'ref_not_shown'
    throw new AotuiError(
      'E_NOT_FOUND',
      `"${name}" ${found.length > 1 ? 'is in more than one view; name the view' : 'was not shown in the snapshot'}`,
      {
        reason,
        ref: name,
        snapshot_id: record.id,
      },
    )
  }

  static findEntity(record: SnapshotRecord, ref: string, place: RefPlace): EntityInfo {
    const id = ref.replace(/^entity:/, '')
    const found = record.content.apps.flatMap((app) =>
      app.views.flatMap((view) =>
        place.viewIds.includes(view.id) ? view.fragment.entities.filter((entity) => entity.id === id) : [],
      ),
    )
    const [entity] = found
    if (entity === undefined)
      throw new AotuiError('E_NOT_FOUND', `entity "${id}" was not shown in the snapshot`, {
        reason: 'ref_not_shown',
        ref,
      })
    if (found.length > 1 || entity.ambiguous === true) {
      throw new AotuiError('E_NOT_FOUND', `entity "${id}" is declared more than once`, {
        reason: 'ambiguous',
        ref,
      })
    }
    return entity
  }
}

/** Refs mean the views of one app; the view of the command comes first. */
export interface RefPlace {
  readonly viewIds: readonly string[]
  readonly viewId: string
}
