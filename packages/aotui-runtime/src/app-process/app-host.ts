import { AotuiError, errorText, toWireError } from '../contract/aotui-error.ts'
import type {
  AppData,
  AppSpec,
  FromApp,
  LogLevel,
  OperationRequest,
  Outcome,
} from '../contract/app-message.ts'
import type { AotuiApi, AppModule } from './app-api.ts'
import { collectAppData } from './app-data.ts'
import { AppViews } from './app-views.ts'
import { DocumentWatch } from './document-watch.ts'
import type { DomWindow } from './dom-engine.ts'
import { FragmentPusher } from './fragment-pusher.ts'
import { loadView } from './load-view.ts'
import { handlerError, runOperation, settle } from './run-operation.ts'

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
  #module: AppModule = {}
  #lastJson: string | undefined
  /** Errors that nobody caught while an operation ran: they are the operation's. */
  #uncaught: unknown[] | undefined

  constructor(options: AppHostOptions) {
    this.#options = options
    const { window, spec, app, send } = options
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
      log: (text) => this.log('info', text),
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
      this.#module = (await runAs(() => import(spec.entryUrl))) as AppModule
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
      send({ type: 'failed', app, error: toWireError(loadError(error)) })
    }
  }

  /** Preact runs effects after a frame. Before that a component listens neither to operations nor to its own store. */
  async #firstFrame(): Promise<void> {
    await new Promise<void>((painted) => {
      this.#options.window.requestAnimationFrame(() => setTimeout(painted, 0))
    })
    await settle(this.#watch, [], this.#options.spec.settleMs)
  }

  async execute(seq: number, request: OperationRequest): Promise<void> {
    await this.#answer(seq, async () => {
      const view = this.#views.mounted().find((one) => one.handle === request.view)
      if (view === undefined)
        throw new AotuiError('E_NOT_FOUND', `the app shows no view "${request.view}" now`, {
          reason: 'view_gone',
        })
      this.#watch.flush()
      const { window, spec, runAs } = this.#options
      const place = { window, watch: this.#watch, root: view.root, settleMs: spec.settleMs }
      const { warnings, waits } = await runAs(() => runOperation(place, request))
      const settled = await settle(this.#watch, waits, spec.settleMs)
      return { settled, warnings }
    })
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

  credit(): void {
    this.#pusher.credit()
  }

  log(level: LogLevel, text: string): void {
    this.#options.send({ type: 'log', app: this.#options.app, level, text: text.slice(0, LOG_CHARS_MAX) })
  }

  noteUncaught(error: unknown): void {
    if (this.#uncaught !== undefined) this.#uncaught.push(error)
    else this.log('error', `uncaught: ${errorText(error)}`)
  }

  /** Runs one request. Whatever it changed is pushed before the answer, on the same channel. */
  async #answer(seq: number, work: () => Promise<{ settled: boolean; warnings: string[] }>): Promise<void> {
    const { app, send } = this.#options
    this.#pusher.hold()
    this.#uncaught = []
    let outcome: Outcome
    try {
      const done = await work()
      const [failure] = this.#uncaught
      if (failure !== undefined) throw failure
      outcome = { ok: true, ...done, appData: await this.#collectAppData() }
    } catch (error) {
      outcome = { ok: false, error: toWireError(handlerError(error)), appData: await this.#collectAppData() }
    }
    for (const error of this.#uncaught.slice(1)) this.log('error', `uncaught: ${errorText(error)}`)
    this.#uncaught = undefined
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

const LOG_CHARS_MAX = 2000 // a line that an agent is to read

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
