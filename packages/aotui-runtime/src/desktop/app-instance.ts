import { pathToFileURL } from 'node:url'
import { join } from 'node:path'
import { AotuiError, fromWireError, toAotuiError } from '../contract/aotui-error.ts'
import type { AppData, AppSpec, FromApp, OperationRequest, Outcome } from '../contract/app-message.ts'
import type { Tier, UpdateSignal } from '../contract/command.ts'
import { applySplice, chunkChars, EMPTY_FRAGMENT, type Chunk, type Fragment } from '../contract/fragment.ts'
import { CHUNKS_MAX, HELD_CHARS_MAX, VIEWS_MAX } from '../contract/limits.ts'
import type { AppManifest } from '../manifest/app-manifest.ts'
import { composeFragment } from './compose-fragment.ts'
import { deferred, type Deferred } from './deferred.ts'
import type { DesktopView, ViewIds } from './desktop-view.ts'
import type { DeveloperLog } from './developer-log.ts'
import type { OperationLog } from './operation-log.ts'
import { VIOLATION, type ProcessClient } from './process-client.ts'
import type { RuntimeSettings } from './runtime-settings.ts'

export interface AppInstanceOptions {
  readonly instance: string
  readonly dir: string
  readonly manifest: AppManifest
  readonly tier: Tier
  readonly viewIds: ViewIds
  readonly settings: RuntimeSettings
  readonly dataDir: string | undefined
  /** What the agent did. Only the desktop writes to it. */
  readonly log: OperationLog
  /** What the app says to the agent. */
  readonly appLog: OperationLog
  /** What the app's author should know. */
  readonly developerLog: DeveloperLog
  /** The process that the app is to live in: its own, or the one that the system apps share. */
  openProcess(): ProcessClient
  /** Something that a snapshot shows is different; the signal about it may come later. */
  onDirty(): void
  onChange(reason: UpdateSignal['reason']): void
  systemLog(text: string): void
  readonly now: () => number
}

export type AppStatus =
  | { readonly kind: 'closed' }
  | { readonly kind: 'starting'; readonly loaded: Deferred<void> }
  | { readonly kind: 'running' }
  | { readonly kind: 'failed'; readonly error: AotuiError }

const CRASHES_MAX = 3 // within a minute: an app that keeps dying is not started for ever
const CRASH_WINDOW_MS = 60_000
const ANSWER_GRACE_MS = 100 // the app process ends an operation that takes too long, and says so, a little earlier

/** One installed app of a desktop: its process while it is open, its views, and what is known of its data. */
export class AppInstance {
  readonly options: AppInstanceOptions
  readonly views: DesktopView[] = []
  collapsed = false
  status: AppStatus = { kind: 'closed' }
  /** JSON text of the app's data as it last pushed it. */
  json: string | undefined
  dataError: AotuiError | undefined
  /** When it was started last, how long it took to be ready then, and how often it was started. */
  readonly runs = { startedAt: 0, readyMs: 0, count: 0 }
  /** Characters of all that it ever showed: what snapshots hold of it grows by no more. */
  charsReceived = 0
  #process: ProcessClient | undefined
  #crashTimes: number[] = []
  #pushedSinceSignal = false
  readonly #heldChars = new WeakMap<DesktopView, number>()

  constructor(options: AppInstanceOptions) {
    this.options = options
  }

  get instance(): string {
    return this.options.instance
  }

  get pid(): number | undefined {
    return this.#process?.pid
  }

  get isOpen(): boolean {
    return this.status.kind !== 'closed'
  }

  /** Settles when the app is ready; rejects, and leaves the app visible as failed, when it cannot be. */
  async open(): Promise<void> {
    if (this.status.kind === 'running') return
    await (this.status.kind === 'starting' ? this.status.loaded.promise : this.#start())
  }

  async close(reason: string): Promise<void> {
    const process = this.#process
    this.#process = undefined
    const before = this.status
    this.status = { kind: 'closed' }
    this.json = undefined
    this.dataError = undefined
    this.#dropViews()
    if (before.kind === 'starting')
      before.loaded.reject(new AotuiError('E_INTERNAL', reason, { reason: 'closed' }))
    process?.leave(this.instance)
    if (this.options.tier !== 'trusted')
      await process?.kill(new AotuiError('E_INTERNAL', reason, { reason: 'closed' }))
  }

  async execute(request: OperationRequest): Promise<Outcome & { ok: true }> {
    const timeoutMs = request.timeoutMs || this.options.settings.requestMs
    return this.#running().request(
      { type: 'execute', app: this.instance, request: { ...request, timeoutMs } },
      timeoutMs + ANSWER_GRACE_MS,
    )
  }

  /** Calls a function that the app exposes to the product. */
  async call(name: string, args: unknown): Promise<unknown> {
    const timeoutMs = this.options.settings.requestMs
    const { result } = await this.#running().request(
      { type: 'call', app: this.instance, name, json: JSON.stringify(args), timeoutMs },
      timeoutMs + ANSWER_GRACE_MS,
    )
    return result === undefined ? undefined : (JSON.parse(result) as unknown)
  }

  async setMounted(view: DesktopView, mounted: boolean): Promise<void> {
    await this.#running().request(
      { type: 'mount', app: this.instance, view: view.handle, mounted },
      this.options.settings.requestMs,
    )
  }

  async page(view: DesktopView, list: string, from: number): Promise<void> {
    const shown = composeFragment(view.fragment).lists.find((one) => one.name === list)
    if (shown === undefined)
      throw new AotuiError('E_NOT_FOUND', `${view.id} shows no list "${list}"`, { reason: 'list_gone', list })
    const { id, ordinal } = shown
    await this.#running().request(
      { type: 'page', app: this.instance, view: view.handle, list: id, ordinal, from },
      this.options.settings.requestMs,
    )
  }

  /** Asks the app for its data now. A failure is kept in `dataError`. */
  async refreshData(): Promise<void> {
    if (this.status.kind !== 'running') return
    try {
      await this.#running().request(
        { type: 'serialize', app: this.instance },
        this.options.settings.requestMs,
      )
    } catch (error) {
      this.dataError = toAotuiError(error)
    }
  }

  #running(): ProcessClient {
    if (this.status.kind !== 'running' || this.#process === undefined) {
      throw new AotuiError('E_NOT_FOUND', `${this.instance} is not running`, { reason: 'app_not_running' })
    }
    return this.#process
  }

  #start(): Promise<void> {
    const loaded = deferred<void>()
    // Whoever waits for the load sees the rejection; when nobody does, the failed status is the report.
    loaded.promise.catch(() => undefined)
    this.status = { kind: 'starting', loaded }
    this.runs.startedAt = this.options.now()
    this.runs.count++
    const mounted = Object.fromEntries(
      this.views.flatMap(({ handle, presence }) =>
        presence === 'absent' ? [] : [[handle, presence === 'mounted']],
      ),
    )
    this.#dropViews()
    try {
      const process = this.options.openProcess()
      this.#process = process
      process.join(this.instance, {
        onMessage: (message) => this.#receive(message),
        onExit: (cause) => this.#onExit(cause),
      })
      process.send({ type: 'load', app: this.instance, spec: this.#spec(mounted) })
    } catch (error) {
      this.fail(toAotuiError(error))
      return loaded.promise
    }
    const { loadMs } = this.options.settings
    const timer = setTimeout(() => {
      void this.#process?.kill(
        new AotuiError('E_TIMEOUT', `the app was not ready within ${loadMs} ms`, { reason: 'load_timeout' }),
      )
    }, loadMs)
    const stop = () => clearTimeout(timer)
    loaded.promise.then(stop, stop)
    return loaded.promise
  }

  #spec(mounted: Record<string, boolean>): AppSpec {
    const { manifest, dir, settings, dataDir } = this.options
    const url = (file: string) => pathToFileURL(join(dir, file)).href
    return {
      appId: manifest.id,
      name: manifest.name,
      dir,
      entryUrl: url(manifest.entry),
      dom: manifest.dom,
      ...(manifest.dom === 'jsdom' && settings.jsdom !== undefined ? { domUrl: settings.jsdom.url } : {}),
      views: manifest.views.map((view) => ({ name: view.name, url: url(view.entry), mount: view.mount })),
      ...(dataDir === undefined ? {} : { dataDir }),
      listWindow: settings.listWindow,
      settleMs: settings.settleMs,
      serializeMs: settings.serializeMs,
      restored: { mounted, ...(this.json === undefined ? {} : { json: this.json }) },
    }
  }

  #receive(message: FromApp): void {
    switch (message.type) {
      case 'views':
        return this.#onViews(message)
      case 'fragment':
        return this.#onFragment(message)
      case 'pushed':
        this.#onData(message.appData)
        this.#process?.send({ type: 'credit', app: this.instance })
        return this.#signalMutation()
      case 'ready':
        return this.#onReady(message.hooks, message.appData)
      case 'failed':
        return this.fail(fromWireError(message.error))
      case 'ack':
        this.#onData(message.outcome.appData)
        if (this.#pushedSinceSignal) this.#signalMutation()
        return
      case 'log':
        return this.#onLog(message)
      case 'up':
      case 'pong':
      case 'net':
        return
      default:
        message satisfies never
    }
  }

  #onLog({ log, level, text, at }: FromApp & { type: 'log' }): void {
    if (log === 'app') {
      this.options.appLog.add(text)
      return this.options.onChange('dom_mutation')
    }
    this.options.developerLog.add({ app: this.instance, level, text, ...(at === undefined ? {} : { at }) })
  }

  #signalMutation(): void {
    this.#pushedSinceSignal = false
    this.options.onChange('dom_mutation')
  }

  #onViews(message: FromApp & { type: 'views' }): void {
    this.#notePush()
    for (const view of this.views) view.presence = 'absent'
    for (const info of message.views) {
      let view = this.views.find((one) => one.handle === info.handle)
      if (view === undefined) this.views.push((view = this.options.viewIds.make(info.handle, info.name)))
      view.name = info.name
      view.presence = info.state
      if (info.state === 'mounted') continue
      view.fragment = EMPTY_FRAGMENT
      this.#heldChars.delete(view)
    }
    this.#forgetAbsentViews()
  }

  /** An app may show ever new views; those that are long gone are not kept for ever. */
  #forgetAbsentViews(): void {
    for (let index = 0; index < this.views.length && this.views.length > VIEWS_MAX;) {
      if (this.views[index]?.presence === 'absent') this.views.splice(index, 1)
      else index++
    }
  }

  #onFragment(message: FromApp & { type: 'fragment' }): void {
    const view = this.views.find((one) => one.handle === message.view)
    if (view === undefined) return
    this.#notePush()
    const before = view.fragment
    const { splice, version } = message
    const removed = before.chunks.slice(splice.from, splice.from + splice.removeCount)
    const declared = message.operations !== undefined || message.entities !== undefined
    const addedChars = charsOf(splice.chunks)
    const operationChars = declared ? declaredChars({ ...before, ...message }) : 0
    const chars =
      (this.#heldChars.get(view) ?? 0) +
      addedChars -
      charsOf(removed) +
      (declared ? operationChars - declaredChars(before) : 0)
    this.#heldChars.set(view, chars)
    this.charsReceived += addedChars + operationChars
    const chunks = applySplice(before.chunks, splice)
    this.#requireBounded(chunks)
    view.fragment = {
      chunks,
      operations: message.operations ?? before.operations,
      entities: message.entities ?? before.entities,
      version,
    }
  }

  /** Throws for an app that sends more than an honest one would: it is ended. */
  #requireBounded(chunks: readonly Chunk[]): void {
    if (chunks.length > CHUNKS_MAX) throw new Error(`a view has more than ${CHUNKS_MAX} chunks`)
    let total = 0
    for (const view of this.views) if (view.presence === 'mounted') total += this.#heldChars.get(view) ?? 0
    if (total > HELD_CHARS_MAX) throw new Error(`its views hold more than ${HELD_CHARS_MAX} characters`)
  }

  #notePush(): void {
    this.#pushedSinceSignal = true
    this.options.onDirty()
  }

  #onData(data: AppData): void {
    if (data.kind === 'data') this.json = data.json
    this.dataError = data.kind === 'failed' ? fromWireError(data.error) : undefined
  }

  #onReady(hooks: boolean, appData: AppData): void {
    if (this.status.kind !== 'starting') return
    if (this.options.tier === 'trusted' && !hooks) {
      return this.fail(
        new AotuiError('E_INTERNAL', 'a system app must export serialize() and restore()', {
          reason: 'no_hooks',
        }),
      )
    }
    this.#onData(appData)
    const { loaded } = this.status
    this.status = { kind: 'running' }
    this.runs.readyMs = this.options.now() - this.runs.startedAt
    this.options.onChange('app_opened')
    loaded.resolve()
  }

  /** The app stays on the desktop as failed, with the reason, until it is opened again or closed. */
  fail(error: AotuiError): void {
    const before = this.status
    const process = this.#process
    this.#process = undefined
    this.status = { kind: 'failed', error }
    this.#dropViews()
    process?.leave(this.instance)
    if (this.options.tier !== 'trusted') void process?.kill(error)
    const { name } = this.options.manifest
    this.#noteError(error)
    this.options.systemLog(`${this.instance} (${name}) failed: ${error.message}`)
    this.options.onChange('app_closed')
    if (before.kind === 'starting') before.loaded.reject(error)
  }

  #onExit(cause: AotuiError): void {
    this.#process = undefined
    if (this.status.kind === 'starting') return this.fail(cause)
    if (this.status.kind !== 'running') return
    // What broke the contract would break it again.
    if (cause.data['reason'] === VIOLATION && this.options.tier !== 'trusted') return this.fail(cause)
    const now = this.options.now()
    this.#crashTimes = [...this.#crashTimes.filter((time) => now - time < CRASH_WINDOW_MS), now]
    if (this.#crashTimes.length >= CRASHES_MAX) {
      const text = `it ended ${CRASHES_MAX} times within a minute, the last time because ${cause.message}`
      return this.fail(new AotuiError('E_INTERNAL', text, { reason: 'crash_loop' }))
    }
    this.#noteError(cause)
    this.options.systemLog(
      `${this.instance} (${this.options.manifest.name}) ended unexpectedly and was started again: ${cause.message}`,
    )
    this.options.onChange('app_closed')
    this.#start().catch(() => undefined) // as in `fail`: the status tells
  }

  #noteError(error: AotuiError): void {
    this.options.developerLog.add({ app: this.instance, level: 'error', text: error.message })
  }

  #dropViews(): void {
    for (const view of this.views) {
      view.fragment = EMPTY_FRAGMENT
      view.presence = 'absent'
      this.#heldChars.delete(view)
    }
  }
}

function declaredChars({ operations, entities }: Pick<Fragment, 'operations' | 'entities'>): number {
  return JSON.stringify([operations, entities]).length
}

function charsOf(chunks: readonly Chunk[]): number {
  return chunks.reduce((sum, chunk) => sum + chunkChars(chunk), 0)
}
