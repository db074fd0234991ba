import { randomBytes } from 'node:crypto'
import { collectContent } from './collect-content.ts'
import type { AppInstance } from './app-instance.ts'
import { composeSections, joinSections, type Section } from './compose-desktop.ts'
import type { Piece } from './shown-piece.ts'
import { deltaSections } from './delta-sections.ts'
import type { Snapshot, SnapshotOptions } from './snapshot.ts'
import { fitSections, neededChars } from './fit-sections.ts'
import type { OperationLog } from './operation-log.ts'
import { SnapshotRegistry, type SnapshotRecord } from './snapshot-registry.ts'

export interface SnapshotTakerOptions {
  readonly apps: () => readonly AppInstance[]
  readonly log: OperationLog
  readonly now: () => number
  /** How long a snapshot may be when its reader does not say. */
  readonly charsMax: number
}

/** What the desktop shows now, in full and as it was cut for readers that take less. */
interface Current {
  readonly full: SnapshotRecord
  readonly fitted: Map<number, SnapshotRecord>
}

const DEFAULT_READER = ''
const FITTED_MAX = 8 // limits that readers ask for at the same time

/** Takes snapshots of a desktop and keeps them. While nothing changes, it is the same snapshot. */
export class SnapshotTaker {
  readonly #options: SnapshotTakerOptions
  readonly #registry: SnapshotRegistry
  /** Part of every id, so that no other desktop, and no earlier life of this one, has the same. */
  readonly #nonce = randomBytes(4).toString('hex')
  #count = 0
  #current: Current | undefined
  #previous: Current | undefined

  constructor(options: SnapshotTakerOptions) {
    this.#options = options
    this.#registry = new SnapshotRegistry(options.now)
  }

  markDirty(): void {
    if (this.#current === undefined) return
    this.#previous = this.#current
    this.#current = undefined
  }

  /** The id of what the desktop shows now, kept for the reader. */
  takeId(reader: string): string {
    const record = this.#fit(this.#take(), undefined)
    this.#registry.add(reader, record)
    return record.id
  }

  /** A snapshot that a reader's command names; from now on it is kept for that reader. */
  getFor(reader: string, id: string): SnapshotRecord {
    const record = this.#registry.get(id)
    this.#registry.pin(reader, record)
    return record
  }

  take(options: SnapshotOptions): Snapshot {
    const since = options.since === undefined ? undefined : this.#registry.get(options.since)
    const record = this.#fit(this.#take(), options.max_chars)
    const last = this.#registry.add(options.reader ?? DEFAULT_READER, record)
    const shown = since === undefined ? record.sections : deltaSections(record.sections, since.sections)
    return {
      markup: joinSections(shown),
      snapshot_id: record.id,
      views: record.content.apps.flatMap((app) => app.views.map((view) => view.id)),
      changed: changedViews(record, since ?? last),
    }
  }

  /** The text alone. It names no snapshot, so none is kept. */
  markup(): string {
    return joinSections(this.#fit(this.#take(), undefined).sections)
  }

  #fit(current: Current, charsMax: number | undefined): SnapshotRecord {
    const limit = charsMax ?? this.#options.charsMax
    const kept = current.fitted.get(limit)
    if (kept !== undefined) return kept
    const { full } = current
    const sections = this.#fitSections(full.sections, limit, charsMax !== undefined)
    // What was cut was not seen: its refs must not resolve, so it is a snapshot of its own.
    const record = sections === full.sections ? full : this.#record(full.content, sections)
    if (current.fitted.size >= FITTED_MAX) current.fitted.clear()
    current.fitted.set(limit, record)
    return record
  }

  /** A limit that a reader asked for and that cannot be kept is an error; the desktop's own gives way. */
  #fitSections(sections: readonly Section[], limit: number, isAsked: boolean): readonly Section[] {
    try {
      return fitSections(sections, limit)
    } catch (error) {
      const needed = neededChars(error)
      if (isAsked || needed === undefined) throw error
      return fitSections(sections, needed)
    }
  }

  #take(): Current {
    if (this.#current !== undefined) return this.#current
    const content = collectContent(this.#options.apps(), this.#options.log)
    const sections = composeSections(content)
    const previous = this.#previous
    // The desktop was touched, and yet shows what it showed: the agent's refs still mean the same.
    this.#current =
      previous !== undefined && sameSections(previous.full, sections)
        ? previous
        : { full: this.#record(content, sections), fitted: new Map() }
    return this.#current
  }

  #record(content: SnapshotRecord['content'], sections: readonly Section[]): SnapshotRecord {
    return {
      id: `snap_${this.#nonce}_${++this.#count}`,
      takenAt: this.#options.now(),
      charsReceived: this.#options.apps().reduce((sum, app) => sum + app.charsReceived, 0),
      content,
      sections,
    }
  }
}

function sameSections(record: SnapshotRecord, sections: readonly Section[]): boolean {
  if (record.sections.length !== sections.length) return false
  return sections.every((section, index) => {
    const old = record.sections[index]
    if (old === undefined || old.open !== section.open) return false
    const same =
      old.pieces === section.pieces ||
      (old.pieces.length === section.pieces.length &&
        old.pieces.every((piece, at) => samePiece(piece, section.pieces[at])))
    return (
      same &&
      old.last.length === section.last.length &&
      old.last.every((piece, at) => piece.text === section.last[at]?.text)
    )
  })
}

function samePiece(a: Piece, b: Piece | undefined): boolean {
  return a === b || (a.text === b?.text && a.item?.key === b.item?.key && a.item?.value === b.item?.value)
}

function changedViews(now: SnapshotRecord, before: SnapshotRecord | undefined): string[] {
  const old = new Map(
    before?.content.apps.flatMap((app) => app.views.map((view) => [view.id, view.fragment])),
  )
  return now.content.apps.flatMap((app) =>
    app.views.flatMap((view) => (old.get(view.id) === view.fragment ? [] : [view.id])),
  )
}
