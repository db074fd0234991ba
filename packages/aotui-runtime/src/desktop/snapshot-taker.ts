import { randomBytes } from 'node:crypto'
import type { AppInstance } from './app-instance.ts'
import {
  composeSections,
  joinSections,
  type DesktopContent,
  type InstalledApp,
  type OpenApp,
} from './compose-desktop.ts'
import type { Snapshot, SnapshotOptions } from './desktop.ts'
import { deltaSections, fitSections } from './fit-sections.ts'
import type { OperationLog } from './operation-log.ts'
import { SnapshotRegistry, type SnapshotRecord } from './snapshot-registry.ts'

export interface SnapshotTakerOptions {
  readonly apps: () => readonly AppInstance[]
  readonly log: OperationLog
  readonly now: () => number
}

/** Takes snapshots of a desktop and keeps them. While nothing changes, it is the same snapshot. */
export class SnapshotTaker {
  readonly #options: SnapshotTakerOptions
  readonly #registry: SnapshotRegistry
  /** Part of every id, so that no other desktop, and no earlier life of this one, has the same. */
  readonly #nonce = randomBytes(4).toString('hex')
  #count = 0
  #current: SnapshotRecord | undefined
  #previous: SnapshotRecord | undefined

  constructor(options: SnapshotTakerOptions) {
    this.#options = options
    this.#registry = new SnapshotRegistry(options.now)
  }

  markDirty(): void {
    if (this.#current === undefined) return
    this.#previous = this.#current
    this.#current = undefined
  }

  markDirtyAndTakeId(): string {
    this.markDirty()
    return this.#take().id
  }

  get(id: string): SnapshotRecord {
    return this.#registry.get(id)
  }

  take(options: SnapshotOptions): Snapshot {
    const full = this.#take()
    const before = options.since === undefined ? this.#previous : this.#registry.get(options.since)
    const views = full.content.apps.flatMap((app) => app.views.map((view) => view.id))
    const changed = changedViews(full, before)
    let { sections, id } = full
    if (options.max_chars !== undefined) {
      sections = fitSections(sections, options.max_chars)
      // What was cut was not seen: its refs must not resolve, so it is a snapshot of its own.
      if (sections.some((section, index) => section !== full.sections[index]))
        id = this.#record(full.content, sections).id
    }
    const shown =
      options.since === undefined
        ? sections
        : deltaSections(sections, this.#registry.get(options.since).sections)
    return { markup: joinSections(shown), snapshot_id: id, views, changed }
  }

  #take(): SnapshotRecord {
    if (this.#current !== undefined) return this.#current
    const content = collectContent(this.#options.apps(), this.#options.log)
    const sections = composeSections(content)
    const previous = this.#previous
    // The desktop was touched, and yet shows what it showed: the agent's refs still mean the same.
    if (previous !== undefined && sameSections(previous, sections)) {
      this.#current = previous
      return previous
    }
    this.#current = this.#record(content, sections)
    return this.#current
  }

  #record(content: DesktopContent, sections: SnapshotRecord['sections']): SnapshotRecord {
    const record = {
      id: `snap_${this.#nonce}_${++this.#count}`,
      takenAt: this.#options.now(),
      content,
      sections,
    }
    this.#registry.add(record)
    return record
  }
}

function sameSections(record: SnapshotRecord, sections: SnapshotRecord['sections']): boolean {
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

type SectionPiece = SnapshotRecord['sections'][number]['pieces'][number]

function samePiece(a: SectionPiece, b: SectionPiece | undefined): boolean {
  return a === b || (a.text === b?.text && a.ref?.key === b.ref?.key && a.ref?.value === b.ref?.value)
}

function changedViews(now: SnapshotRecord, before: SnapshotRecord | undefined): string[] {
  const old = new Map(
    before?.content.apps.flatMap((app) => app.views.map((view) => [view.id, view.fragment])),
  )
  return now.content.apps.flatMap((app) =>
    app.views.flatMap((view) => (old.get(view.id) === view.fragment ? [] : [view.id])),
  )
}

function collectContent(apps: readonly AppInstance[], log: OperationLog): DesktopContent {
  return {
    installed: apps.map(installedApp),
    log: log.lines,
    apps: apps.flatMap((app) => (app.isOpen ? [openApp(app)] : [])),
  }
}

function installedApp(app: AppInstance): InstalledApp {
  const { manifest } = app.options
  return {
    instance: app.instance,
    appId: manifest.id,
    name: manifest.name,
    status: app.isOpen ? statusOf(app) : 'not open',
    views: app.views.flatMap(({ id, name, presence, hidden }) =>
      presence === 'absent'
        ? []
        : [{ id, name, state: presence === 'dismounted' ? 'not mounted' : hidden ? 'hidden' : 'shown' }],
    ),
  }
}

function openApp(app: AppInstance): OpenApp {
  const visible = app.collapsed ? [] : app.views.filter((view) => view.presence === 'mounted' && !view.hidden)
  return {
    instance: app.instance,
    name: app.options.manifest.name,
    status: statusOf(app),
    log: app.options.log.lines,
    views: visible.map(({ id, name, fragment }) => ({ id, name, fragment })),
  }
}

function statusOf(app: AppInstance): OpenApp['status'] {
  switch (app.status.kind) {
    case 'running':
      return app.collapsed ? 'collapsed' : 'running'
    case 'starting':
    case 'failed':
      return app.status.kind
    case 'closed':
      return 'failed'
    default:
      return app.status satisfies never
  }
}
