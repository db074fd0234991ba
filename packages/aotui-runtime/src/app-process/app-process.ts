import { AsyncLocalStorage } from 'node:async_hooks'
import { errorText, toWireError } from '../contract/aotui-error.ts'
import type { AppSpec, FromApp, LogLevel, ProcessPolicy, ToApp } from '../contract/app-message.ts'
import { AppHost } from './app-host.ts'
import { installBrowserGlobals, installSharedGlobals } from './browser-globals.ts'
import { createWindow, type DomWindow } from './dom-engine.ts'

export interface AppProcessOptions {
  readonly send: (message: FromApp) => void
  /** Closes what the policy does not open; called once, before any app code is loaded. */
  readonly guard: (policy: ProcessPolicy, report: (text: string) => void) => NetAnswers
}

/** Where the desktop's answers about connections go. */
export interface NetAnswers {
  onNetAnswer(message: ToApp & { type: 'net' }): void
}

/** Routes what the desktop says to the apps of this process. */
export class AppProcess {
  readonly #options: AppProcessOptions
  readonly #hosts = new Map<string, AppHost>()
  readonly #running = new AsyncLocalStorage<{ app: string; window: DomWindow }>()
  #policy: ProcessPolicy | undefined
  #net: NetAnswers | undefined
  #windowCount = 0
  /** A process makes its first window before it is told what for: that is most of an app's start-up time. */
  #firstWindow: Promise<DomWindow> | undefined = createWindow('happy-dom')

  constructor(options: AppProcessOptions) {
    this.#options = options
  }

  receive(message: ToApp): void {
    switch (message.type) {
      case 'policy':
        this.#policy = message.policy
        this.#net = this.#options.guard(message.policy, (text) => this.#current()?.log('warning', text))
        return
      case 'load':
        void this.#load(message.app, message.spec)
        return
      case 'ping':
        return this.#options.send({ type: 'pong', seq: message.seq })
      case 'net':
        return this.#net?.onNetAnswer(message)
      case 'credit':
        return this.#hosts.get(message.app)?.credit()
      case 'execute':
        return void this.#hosts.get(message.app)?.execute(message.seq, message.request)
      case 'mount':
        return void this.#hosts.get(message.app)?.setMounted(message.seq, message.view, message.mounted)
      case 'page': {
        const { list: id, ordinal, from } = message
        return void this.#hosts.get(message.app)?.page(message.seq, message.view, { id, ordinal, from })
      }
      case 'call':
        return void this.#hosts.get(message.app)?.call(message)
      case 'serialize':
        return void this.#hosts.get(message.app)?.serialize(message.seq)
      default:
        return message satisfies never
    }
  }

  /** As in a page: an error that nobody catches is reported, and the app goes on. */
  noteUncaught(error: unknown): void {
    this.#current()?.noteUncaught(error)
  }

  /** What app code prints is for its author. */
  noteConsole(level: LogLevel, text: string, at: string | undefined): void {
    this.#current()?.log(level, text, at)
  }

  #current(): AppHost | undefined {
    const running = this.#running.getStore()?.app
    return this.#hosts.get(running ?? '') ?? [...this.#hosts.values()][0]
  }

  async #load(app: string, spec: AppSpec): Promise<void> {
    const { send } = this.#options
    try {
      const bundled = this.#firstWindow
      this.#firstWindow = undefined
      const window =
        spec.dom === 'happy-dom' && bundled !== undefined
          ? await bundled
          : await createWindow(spec.dom, spec.domUrl)
      // Following the running app costs every promise a little; alone there is nobody else to follow.
      const runAs = <T>(work: () => T): T =>
        this.#isShared ? this.#running.run({ app, window }, work) : work()
      const host = new AppHost({ app, spec, window, send, runAs })
      this.#hosts.set(app, host)
      this.#installGlobals(window)
      await runAs(() => host.load())
    } catch (error) {
      send({
        type: 'failed',
        app,
        error: toWireError(new Error(`no window for the app: ${errorText(error)}`, { cause: error })),
      })
    }
  }

  #installGlobals(window: DomWindow): void {
    this.#windowCount++
    if (this.#isShared) installSharedGlobals(window, () => this.#running.getStore()?.window)
    else if (this.#windowCount === 1) installBrowserGlobals(window)
    else throw new Error('a second app in a process of its own')
    Object.defineProperty(globalThis, 'aotui', { configurable: true, get: () => this.#current()?.api })
  }

  get #isShared(): boolean {
    return this.#policy?.shared === true
  }
}
