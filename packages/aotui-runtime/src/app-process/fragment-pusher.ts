import { AotuiError } from '../contract/aotui-error.ts'
import type { AppData, FragmentMessage, FromApp, LogLevel, ViewInfo } from '../contract/app-message.ts'
import { chunkChars, EMPTY_FRAGMENT, spliceBetween, type Chunk } from '../contract/fragment.ts'
import { CHUNKS_MAX, ENTITIES_MAX, OPERATIONS_MAX, VIEW_CHARS_MAX } from '../contract/limits.ts'
import { readList } from '../transform/markup-attributes.ts'
import type { ViewRender } from '../transform/render-view.ts'
import { ownTimeout } from './activity.ts'
import type { AppViews } from './app-views.ts'
import type { DocumentWatch } from './document-watch.ts'

export interface PusherOptions {
  readonly app: string
  readonly watch: DocumentWatch
  readonly views: AppViews
  readonly send: (message: FromApp) => void
  readonly log: (level: LogLevel, text: string) => void
  readonly collectAppData: () => Promise<AppData>
}

const PUSH_INTERVAL_MS = 50 // a document that never stops changing costs the desktop at most 20 pushes a second
const WARNINGS_MAX = 200 // distinct warnings kept to log each one once; past this, new ones are not logged

const SEEN_MAX = 64 // fragments of a view whose elements are still known; an agent acts on one of the last few

/** A rendering as it was sent: cut to what the desktop takes. */
interface SentView {
  readonly render: ViewRender
  readonly chunks: readonly Chunk[]
  readonly operations: ViewRender['operations']
  readonly entities: ViewRender['entities']
}

/** Numbers of fragments start elsewhere in every life of an app, so that a ref from an earlier one means nothing. */
const FIRST_VERSION = Math.floor(performance.timeOrigin) * 1000

/**
 * Tells the desktop what changed: at once before an ack, otherwise at most every 50 ms and never again before the
 * desktop has taken the last push. A flood of mutations is thereby folded into the next push.
 */
export class FragmentPusher {
  readonly #options: PusherOptions
  readonly #sent = new Map<string, SentView>()
  /** View → version → chunks that the agent may have seen, the oldest first. */
  readonly #seen = new Map<string, Map<number, readonly Chunk[]>>()
  #version = FIRST_VERSION
  readonly #warned = new Set<string>()
  #sentViews = ''
  #state: 'off' | 'idle' | 'timer' | 'awaiting-credit' = 'off'
  #changedMeanwhile = false
  #heldCount = 0
  #lastPushAt = -Infinity

  constructor(options: PusherOptions) {
    this.#options = options
  }

  start(): void {
    this.#state = 'idle'
    if (this.#changedMeanwhile) this.schedule()
  }

  /** Something may have changed. */
  schedule(): void {
    this.#changedMeanwhile = true
    if (this.#state !== 'idle' || this.#heldCount > 0) return
    this.#state = 'timer'
    const waitMs = Math.max(0, this.#lastPushAt + PUSH_INTERVAL_MS - performance.now())
    ownTimeout(() => void this.#pushUnasked(), waitMs)
  }

  credit(): void {
    if (this.#state !== 'awaiting-credit') return
    this.#state = 'idle'
    if (this.#changedMeanwhile) this.schedule()
  }

  /** While an operation runs, its ack will push. */
  hold(): void {
    this.#heldCount++
  }

  release(): void {
    this.#heldCount--
    if (this.#heldCount === 0 && this.#changedMeanwhile) this.schedule()
  }

  /** Sends every view that is not as it was last sent; true when there was one. */
  pushNow(): boolean {
    const { watch, views, app, send } = this.#options
    this.#changedMeanwhile = false
    this.#lastPushAt = performance.now()
    watch.flush()
    const mounted = views.mounted()
    let changed = this.#pushViewList(views.list())
    for (const { handle, root } of mounted) {
      const before = this.#sent.get(handle)
      const render = watch.transform.render(root)
      if (render === before?.render) continue
      for (const warning of render.found.warnings) this.#warnOnce(warning)
      const view = this.#cut(render)
      this.#sent.set(handle, view)
      const change = fragmentChange(before, view)
      if (change === undefined) continue
      const version = ++this.#version
      this.#remember(handle, version, view.chunks)
      send({ type: 'fragment', app, view: handle, version, ...change })
      changed = true
    }
    if (changed && mounted.length > 1) this.#warnOfDuplicates()
    return changed
  }

  /** What the agent was shown as this version of a view, if it is not too long ago. */
  seen(handle: string, version: number): readonly Chunk[] | undefined {
    return this.#seen.get(handle)?.get(version)
  }

  #remember(handle: string, version: number, chunks: readonly Chunk[]): void {
    let versions = this.#seen.get(handle)
    if (versions === undefined) this.#seen.set(handle, (versions = new Map()))
    versions.set(version, chunks)
    for (const oldest of versions.keys()) {
      if (versions.size <= SEEN_MAX) break
      versions.delete(oldest)
    }
  }

  #cut(render: ViewRender): SentView {
    const chunks = cutChunks(render.chunks)
    if (chunks !== render.chunks) this.#warnOnce('a view is too long and was cut')
    if (render.operations.length > OPERATIONS_MAX)
      this.#warnOnce(`a view has more than ${OPERATIONS_MAX} operations; the others are left out`)
    if (render.entities.length > ENTITIES_MAX)
      this.#warnOnce(`a view has more than ${ENTITIES_MAX} entities; the others cannot be used`)
    return {
      render,
      chunks,
      operations: firstOf(render.operations, OPERATIONS_MAX),
      entities: firstOf(render.entities, ENTITIES_MAX),
    }
  }

  page(handle: string, list: { id: string; ordinal: number; from: number }): void {
    const view = this.#options.views.mounted().find((one) => one.handle === handle)
    const lists = view === undefined ? [] : this.#options.watch.transform.render(view.root).found.lists
    const named = lists.filter((element) => {
      const typed = readList(element)
      return typed !== undefined && 'id' in typed && typed.id === list.id
    })
    const element = named[list.ordinal]
    if (element === undefined)
      throw new AotuiError('E_NOT_FOUND', `the view shows no list "${list.id}" now`, { reason: 'list_gone' })
    this.#options.watch.transform.setWindow(element, list.from)
  }

  #pushViewList(list: ViewInfo[]): boolean {
    for (const handle of this.#sent.keys()) {
      // The desktop drops the fragment of a view that is not mounted; it needs all of it again later.
      if (!list.some((view) => view.handle === handle && view.state === 'mounted')) this.#sent.delete(handle)
    }
    const text = JSON.stringify(list)
    if (text === this.#sentViews) return false
    this.#sentViews = text
    this.#options.send({ type: 'views', app: this.#options.app, views: list })
    return true
  }

  /** Ids are to be unique in an app (spec section 2.2); across views a command must then name the view. */
  #warnOfDuplicates(): void {
    const seen = new Set<string>()
    for (const { operations, entities } of this.#sent.values()) {
      const ids = [
        ...operations.map(({ id }) => `operation "${id}"`),
        ...entities.map(({ id }) => `entity "${id}"`),
      ]
      for (const id of ids) {
        if (seen.has(id)) this.#warnOnce(`${id} is declared in more than one view`)
        seen.add(id)
      }
    }
  }

  async #pushUnasked(): Promise<void> {
    if (this.#heldCount > 0) {
      this.#state = 'idle'
      return
    }
    this.#state = 'awaiting-credit'
    const changed = this.pushNow()
    if (!changed) {
      this.#state = 'idle'
      return
    }
    this.#options.send({
      type: 'pushed',
      app: this.#options.app,
      appData: await this.#options.collectAppData(),
    })
  }

  #warnOnce(warning: string): void {
    if (this.#warned.has(warning) || this.#warned.size >= WARNINGS_MAX) return
    this.#warned.add(warning)
    this.#options.log('warning', warning)
  }
}

function fragmentChange(
  before: SentView | undefined,
  now: SentView,
): Pick<FragmentMessage, 'splice' | 'operations' | 'entities'> | undefined {
  const old = before ?? EMPTY_FRAGMENT
  const splice = spliceBetween(old.chunks, now.chunks)
  const operations = sameJson(old.operations, now.operations) ? undefined : [...now.operations]
  const entities = sameJson(old.entities, now.entities) ? undefined : [...now.entities]
  const isSame =
    splice.removeCount === 0 &&
    splice.chunks.length === 0 &&
    operations === undefined &&
    entities === undefined
  if (isSame && before !== undefined) return undefined
  return {
    splice,
    ...(operations === undefined ? {} : { operations }),
    ...(entities === undefined ? {} : { entities }),
  }
}

/** The first chunks, as many as the desktop takes, with the lists among them closed. */
function cutChunks(chunks: readonly Chunk[]): readonly Chunk[] {
  let chars = 0
  let openCount = 0
  for (const [index, chunk] of chunks.entries()) {
    chars += chunkChars(chunk)
    if (chars > VIEW_CHARS_MAX || index + openCount >= CHUNKS_MAX - CUT_ROOM) {
      const ends = Array.from({ length: openCount }, (): Chunk => ({ kind: 'end' }))
      return [...chunks.slice(0, index), ...ends, { kind: 'text', text: '… (the view is too long)' }]
    }
    if (chunk.kind === 'list') openCount++
    else if (chunk.kind === 'end') openCount--
  }
  return chunks
}

const CUT_ROOM = 100 // for the ends of open lists and the note

function firstOf<T>(all: readonly T[], countMax: number): readonly T[] {
  return all.length <= countMax ? all : all.slice(0, countMax)
}

function sameJson(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
