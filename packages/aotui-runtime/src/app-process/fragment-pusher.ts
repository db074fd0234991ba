import { AotuiError } from '../contract/aotui-error.ts'
import type { AppData, FromApp, LogLevel, ViewInfo } from '../contract/app-message.ts'
import { EMPTY_FRAGMENT, spliceBetween } from '../contract/fragment.ts'
import { readList } from '../transform/markup-attributes.ts'
import type { ViewRender } from '../transform/render-view.ts'
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

/**
 * Tells the desktop what changed: at once before an ack, otherwise at most every 50 ms and never again before the
 * desktop has taken the last push. A flood of mutations is thereby folded into the next push.
 */
export class FragmentPusher {
  readonly #options: PusherOptions
  readonly #sent = new Map<string, ViewRender>()
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
    setTimeout(() => void this.#pushUnasked(), waitMs)
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
      if (render === before) continue
      this.#sent.set(handle, render)
      for (const warning of render.found.warnings) this.#warnOnce(warning)
      const message = fragmentMessage(app, handle, before, render)
      if (message === undefined) continue
      send(message)
      changed = true
    }
    if (changed && mounted.length > 1) this.#warnOfDuplicates()
    return changed
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

function fragmentMessage(
  app: string,
  view: string,
  before: ViewRender | undefined,
  render: ViewRender,
): FromApp | undefined {
  const old = before ?? EMPTY_FRAGMENT
  const splice = spliceBetween(old.chunks, render.chunks)
  const operations = sameJson(old.operations, render.operations) ? undefined : [...render.operations]
  const entities = sameJson(old.entities, render.entities) ? undefined : [...render.entities]
  const isSame =
    splice.removeCount === 0 &&
    splice.chunks.length === 0 &&
    operations === undefined &&
    entities === undefined
  if (isSame && before !== undefined) return undefined
  return {
    type: 'fragment',
    app,
    view,
    splice,
    ...(operations === undefined ? {} : { operations }),
    ...(entities === undefined ? {} : { entities }),
  }
}

function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
