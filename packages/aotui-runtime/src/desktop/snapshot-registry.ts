import { AotuiError } from '../contract/aotui-error.ts'
import type { EntityInfo } from '../contract/fragment.ts'
import type { ShownItem } from './shown-piece.ts'
import type { DesktopContent, Section } from './compose-desktop.ts'

/** What an agent was shown at one time. It holds on to immutable fragments, so keeping it costs little. */
export interface SnapshotRecord {
  readonly id: string
  readonly takenAt: number
  /** Characters that apps had ever sent when it was taken. */
  readonly charsReceived: number
  readonly content: DesktopContent
  readonly sections: readonly Section[]
}

// An agent may share a reader with an observer that pulls at every signal: four minutes of twenty a second.
const SNAPSHOTS_MAX = 5000 // of one reader; about 6 KB each
const PIECES_MAX = 500_000 // of all snapshots of one reader: fewer are kept of a desktop that shows long lists
// What came between the first and the last snapshot of a reader: an app that shows ever new text must not fill the
// memory of the desktop through those who look at it.
const CHARS_MAX = 32 << 20
const SNAPSHOTS_MIN = 4 // kept whatever their age: an agent may think for long
const AGE_MS_MAX = 10 * 60_000
const READERS_MAX = 100 // agents, loggers, debuggers of one desktop

interface Reader {
  readonly records: Map<string, SnapshotRecord>
  pieceCount: number
  /** The last two that the reader took, to say what changed. */
  last?: SnapshotRecord
  beforeLast?: SnapshotRecord
}

/** Keeps snapshots for each reader by itself: one that pulls often drops none of another's. */
export class SnapshotRegistry {
  readonly #now: () => number
  readonly #readers = new Map<string, Reader>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Keeps a snapshot for a reader, and returns the one that the reader took before it. */
  add(name: string, record: SnapshotRecord): SnapshotRecord | undefined {
    const reader = this.#reader(name)
    if (reader.last?.id !== record.id) {
      if (reader.last !== undefined) reader.beforeLast = reader.last
      reader.last = record
    }
    this.#keep(reader, record)
    return reader.beforeLast
  }

  /** Keeps a snapshot that a reader's command names: it is the reader's, whoever took it. */
  pin(name: string, record: SnapshotRecord): void {
    this.#keep(this.#reader(name), record)
  }

  #keep(reader: Reader, record: SnapshotRecord): void {
    const { records } = reader
    if (!records.has(record.id)) reader.pieceCount += pieceCount(record)
    // The newest is the last in the map.
    records.delete(record.id)
    records.set(record.id, record)
    for (const old of records.values()) {
      if (records.size <= SNAPSHOTS_MIN) break
      const isTooOld = this.#now() - old.takenAt > AGE_MS_MAX
      const isTooMuch = record.charsReceived - old.charsReceived > CHARS_MAX
      if (records.size <= SNAPSHOTS_MAX && reader.pieceCount <= PIECES_MAX && !isTooOld && !isTooMuch) break
      records.delete(old.id)
      reader.pieceCount -= pieceCount(old)
    }
  }

  #reader(name: string): Reader {
    let reader = this.#readers.get(name)
    if (reader !== undefined) return reader
    if (this.#readers.size >= READERS_MAX)
      throw new AotuiError('E_INVALID_CMD', `a desktop has at most ${READERS_MAX} readers`, {
        reason: 'too_many_readers',
      })
    reader = { records: new Map(), pieceCount: 0 }
    this.#readers.set(name, reader)
    return reader
  }

  get(id: string): SnapshotRecord {
    for (const { records } of this.#readers.values()) {
      const record = records.get(id)
      if (record !== undefined) return record
    }
    throw new AotuiError(
      'E_NOT_FOUND',
      `snapshot "${id}" is not kept any more; take a new one and look again`,
      { reason: 'snapshot_expired', snapshot_id: id },
    )
  }

  /** The item that a name stood for, in the view that the agent meant or else in the only one that has it. */
  static findItem(record: SnapshotRecord, ref: string, place: RefPlace): SeenItem {
    const name = ref.replace(/^item:/, '')
    const found = record.sections.flatMap(({ viewId, pieces }) =>
      viewId !== undefined && place.viewIds.includes(viewId)
        ? pieces.flatMap(({ item }) => (item?.name === name && hasPayload(item) ? [{ item, viewId }] : []))
        : [],
    )
    const own =
      found.find((one) => one.viewId === place.viewId) ?? (found.length === 1 ? found[0] : undefined)
    if (own !== undefined) return { ...own, version: versionOf(record, own.viewId) }
    const isAmbiguous = found.length > 1
    throw new AotuiError(
      'E_NOT_FOUND',
      `"${name}" ${isAmbiguous ? 'is in more than one view; name the view' : 'was not shown in the snapshot'}`,
      { reason: isAmbiguous ? 'ref_ambiguous' : 'ref_not_shown', ref: name, snapshot_id: record.id },
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

export interface SeenItem {
  readonly item: ShownItem
  readonly viewId: string
  /** Of the fragment that showed it. */
  readonly version: number
}

/** Refs mean the views of one app; the view of the command comes first. */
export interface RefPlace {
  readonly viewIds: readonly string[]
  readonly viewId: string
}

/** An item with neither key nor data has nothing to inject, and so no ref. */
function hasPayload({ key, value }: ShownItem): boolean {
  return key !== undefined || value !== undefined
}

function versionOf({ content }: SnapshotRecord, viewId: string): number {
  for (const app of content.apps)
    for (const view of app.views) if (view.id === viewId) return view.fragment.version
  return 0
}

function pieceCount({ sections }: SnapshotRecord): number {
  return sections.reduce((sum, { pieces }) => sum + pieces.length, 1)
}
