import { AotuiError, errorText, toWireError } from '../contract/aotui-error.ts'
import type {
  AppData,
  AppSpec,
  FromApp,
  ItemRef,
  LogLevel,
  OperationRequest,
  Outcome,
  ToApp,
} from '../contract/app-message.ts'
import { ownTimeout, timersStarted } from './activity.ts'
import type { AotuiApi, AppModule } from './app-api.ts'
import { collectAppData, toJsonText } from './app-data.ts'
import { AppViews } from './app-views.ts'
import { fillBrowserGaps } from './browser-gaps.ts'
import { DocumentWatch } from './document-watch.ts'
import type { DomWindow } from './dom-engine.ts'
import { errorPosition } from './error-position.ts'
import { findItem, type ItemSearch } from './find-item.ts'
import { FragmentPusher } from './fragment-pusher.ts'
import { loadPage } from './load-page.ts'
import { loadView } from './load-view.ts'
import { LogPacer } from './log-pacer.ts'
import { handlerError, runOperation, settle } from './run-operation.ts'
import { withinTime } from './within-time.ts'

export interface AppHostOptions {
  readonly app: string
  readonly spec: AppSpec
  readonly window: DomWindow
  readonly send: (message: FromApp) => void
  /** Runs code as this app: in a process that several apps share, globals follow it. */
  readonly runAs: <T>(work: () => T) => T
}

/** One app in its process: its window, its views, and the operations that reach it. */
export class AppHost {
  readonly #options: AppHostOptions
  readonly #watch: DocumentWatch
  readonly #views: AppViews
  readonly #pusher: FragmentPusher
  readonly #logs: LogPacer
  #module: AppModule = {}
  #lastJson: string | undefined
  readonly #exposed = new Map<string, (args: unknown) => unknown>()
  /** Errors that nobody caught while requests ran, the newest request last: they are that request's. */
  readonly #uncaught: unknown[][] = []

  constructor(options: AppHostOptions) {
    this.#options = options
    const { window, spec, app, send } = options
    this.#logs = new LogPacer(app, send)
    this.#watch = new DocumentWatch(window, {
      windowSize: spec.listWindow,
      onChange: () => this.#pusher.schedule(),
    })
    this.#views = new AppViews(window, this.#watch)
    this.#pusher = new FragmentPusher({
      app,
      send,
      watch: this.#watch,
      views: this.#views,
      log: (level, text) => this.log(level, text),
      collectAppData: () => this.#collectAppData(),
    })
    fillBrowserGaps(window, (text) => this.#logs.add('app', 'info', text))
    window.addEventListener('error', (event: { error?: unknown; message?: string }) =>
      this.noteUncaught(event.error ?? event.message),
    )
  }

  get api(): AotuiApi {
    const { spec } = this.#options
    return {
      appId: spec.appId,
      dataDir: spec.dataDir,
      defineView: (definition) => {
        this.#views.define(definition, spec.restored?.mounted)
        const { name } = definition
        return {
          name,
          mount: () => this.#views.mountDefined(name),
          dismount: () => this.#views.dismountDefined(name),
        }
      },
      expose: (name, work) => void this.#exposed.set(name, work as (args: unknown) => unknown),
      // Apps written in JavaScript pass anything.
      log: (text: unknown) => this.#logs.add('app', 'info', String(text)),
    }
  }

  /** Loads the app, gives it back its data, and takes operations once it has come to rest. */
  async load(): Promise<void> {
    const { app, spec, send, runAs, window } = this.#options
    try {
      const { restored } = spec
      this.#views.wantDismounted(
        Object.entries(restored?.mounted ?? {}).flatMap(([handle, mounted]) => (mounted ? [] : [handle])),
      )
      this.#module = await runAs(() => this.#loadEntry())
      await this.#firstFrame()
      this.#views.mounted() // the app's own views come first in the order of ids
      if (restored?.json !== undefined) await this.#restore(restored.json)
      for (const view of spec.views) {
        const definition = await runAs(() => loadView(view, window, (text) => this.log('error', text)))
        runAs(() => this.#views.define(definition, restored?.mounted))
      }
      await this.#module.ready
      await settle(this.#watch, [], spec.settleMs)
      const appData = await this.#collectAppData()
      this.#pusher.pushNow()
      const hooks = typeof this.#module.serialize === 'function' && typeof this.#module.restore === 'function'
      send({ type: 'ready', app, hooks, appData })
      this.#pusher.start()
    } catch (error) {
      this.log('error', errorText(error), errorPosition(error))
      send({ type: 'failed', app, error: toWireError(loadError(error)) })
    }
  }

  async #loadEntry(): Promise<AppModule> {
    const { spec, window } = this.#options
    if (/\.html?$/i.test(spec.entryUrl))
      return loadPage(spec.entryUrl, window, (text, at) => this.log('error', text, at))
    return (await import(spec.entryUrl)) as AppModule
  }

  /** Preact runs effects after a frame. Before that a component listens neither to operations nor to its own store. */
  async #firstFrame(): Promise<void> {
    await new Promise<void>((painted) => {
      this.#options.window.requestAnimationFrame(() => ownTimeout(painted, 0))
    })
    await settle(this.#watch, [], this.#options.spec.settleMs)
  }

  async execute(seq: number, request: OperationRequest): Promise<void> {
    const run = async () => {
      const view = this.#views.mounted().find((one) => one.handle === request.view)
      if (view === undefined)
        throw new AotuiError('E_NOT_FOUND', `the app shows no view "${request.view}" now`, {
          reason: 'view_gone',
        })
      this.#watch.flush()
      const { window, spec, runAs } = this.#options
      const place = {
        window,
        watch: this.#watch,
        root: view.root,
        settleMs: spec.settleMs,
        timersBefore: timersStarted(),
        findItem: (ref: ItemRef) => this.#findItem(ref),
      }
      return runAs(() => runOperation(place, request))
    }
    // The view is not held for longer than anyone waits for it.
    const { timeoutMs } = request
    await this.#answer(seq, () => withinTime(run(), timeoutMs, () => tooLong(timeoutMs)))
  }

  #findItem(ref: ItemRef): ItemSearch {
    const view = this.#views.mounted().find((one) => one.handle === ref.view)
    if (view === undefined) return { kind: 'unmounted' }
    const { transform } = this.#watch
    return findItem({ root: view.root, transform, seen: this.#pusher.seen(ref.view, ref.version) }, ref)
  }

  async setMounted(seq: number, handle: string, mounted: boolean): Promise<void> {
    await this.#answer(seq, async () => {
      const done = this.#options.runAs(() => this.#views.setMounted(handle, mounted))
      if (!done)
        throw new AotuiError('E_NOT_FOUND', `the app has no view "${handle}" to show`, {
          reason: 'view_gone',
        })
      return { settled: await settle(this.#watch, [], this.#options.spec.settleMs), warnings: [] }
    })
  }

  async page(
    seq: number,
    handle: string,
    list: { id: string; ordinal: number; from: number },
  ): Promise<void> {
    await this.#answer(seq, () => {
      this.#pusher.page(handle, list)
      return Promise.resolve({ settled: true, warnings: [] })
    })
  }

  async serialize(seq: number): Promise<void> {
    await this.#answer(seq, () => Promise.resolve({ settled: true, warnings: [] }))
  }

  /** Runs a function that the app offers to the product. */
  async call({ seq, name, json, timeoutMs }: ToApp & { type: 'call' }): Promise<void> {
    const run = async () => {
      const work = this.#exposed.get(name)
      if (work === undefined)
        throw new AotuiError('E_NOT_FOUND', `the app exposes no "${name}"`, { reason: 'no_call', name })
      const result: unknown = await this.#options.runAs(() => work(JSON.parse(json)))
      const settled = await settle(this.#watch, [], this.#options.spec.settleMs)
      return { settled, warnings: [], ...(result === undefined ? {} : { result: toJsonText(result) }) }
    }
    await this.#answer(seq, () => withinTime(run(), timeoutMs, () => tooLong(timeoutMs)))
  }

  credit(): void {
    this.#pusher.credit()
  }

  /** A line for the app's author. */
  log(level: LogLevel, text: string, at?: string): void {
    this.#logs.add('developer', level, text, at)
  }

  noteUncaught(error: unknown): void {
    const running = this.#uncaught.at(-1)
    if (running === undefined) this.#logUncaught(error)
    else running.push(error)
  }

  #logUncaught(error: unknown): void {
    this.log('error', `uncaught: ${errorText(error)}`, errorPosition(error))
  }

  /** Runs one request. Whatever it changed is pushed before the answer, on the same channel. */
  async #answer(
    seq: number,
    work: () => Promise<{ settled: boolean; warnings: string[]; result?: string }>,
  ): Promise<void> {
    const { app, send } = this.#options
    this.#pusher.hold()
    const uncaught: unknown[] = []
    this.#uncaught.push(uncaught)
    let outcome: Outcome
    try {
      const done = await work()
      const [failure] = uncaught
      if (failure !== undefined) throw failure
      outcome = { ok: true, ...done, appData: await this.#collectAppData() }
    } catch (error) {
      const known = handlerError(error)
      if (known.code === 'E_INTERNAL') this.log('error', known.message, errorPosition(error))
      outcome = { ok: false, error: toWireError(known), appData: await this.#collectAppData() }
    }
    for (const error of uncaught.slice(1)) this.#logUncaught(error)
    this.#uncaught.splice(this.#uncaught.indexOf(uncaught), 1)
    this.#pusher.pushNow()
    send({ type: 'ack', app, seq, outcome })
    this.#pusher.release()
  }

  async #collectAppData(): Promise<AppData> {
    const { serialize } = this.#module
    const data = await collectAppData(
      typeof serialize === 'function' ? () => this.#options.runAs(() => serialize()) : undefined,
      this.#lastJson,
      this.#options.spec.serializeMs,
    )
    if (data.kind === 'data') this.#lastJson = data.json
    return data
  }

  async #restore(json: string): Promise<void> {
    const { restore } = this.#module
    if (typeof restore !== 'function') {
      throw new AotuiError(
        'E_INTERNAL',
        'the state holds data of the app, and the app exports no restore()',
        { reason: 'no_restore_hook' },
      )
    }
    await this.#options.runAs(() => restore(JSON.parse(json)))
  }
}

function tooLong(timeoutMs: number): AotuiError {
  return new AotuiError('E_TIMEOUT', `the operation took longer than ${timeoutMs} ms`, {
    reason: 'operation_timeout',
  })
}

function loadError(error: unknown): AotuiError {
  const known = handlerError(error)
  if (known.data['reason'] !== 'handler_error') return known
  return new AotuiError(
    'E_INTERNAL',
    `the app failed to load: ${errorText(error)}`,
    { reason: 'load_failed' },
    { cause: error },
  )
}
