import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  createDesktop,
  destroyDesktop,
  restore,
  serializeFresh,
  type AppInfo,
  type CommandAck,
  type Desktop,
  type DesktopState,
  type DeveloperLine,
  type Lease,
  type UpdateSignal,
} from '@aotui/runtime'
import { applicationText, viewTexts } from './snapshot-text.ts'
import { sourcePlace } from './source-place.ts'

export interface AppDriverOptions {
  /** Called with each line of the developer log; places are those of the sources, if there is a source map. */
  onDeveloperLine?: (line: DeveloperLine) => void
  /** Called when what the app shows may have changed, or it was opened or closed. */
  onSignal?: (reason: UpdateSignal['reason']) => void
}

const APP = 'app_1'
const OWNER = 'aoapp'
/** A build that runs at the same time must not make an app look like one that hangs. */
const PATIENCE = { loadMs: 60_000, heartbeatMs: 10_000 }

/**
 * One app on a desktop of its own, driven as an agent would drive it: by commands, with refs that mean what was looked at
 * last. Its data folder is temporary.
 */
export class AppDriver {
  readonly dir: string
  readonly #options: AppDriverOptions
  readonly #dataRoot: string
  readonly #lines: DeveloperLine[] = []
  #desktop: Desktop
  #lease: Lease
  #seen: string | undefined
  #isClosed = false

  private constructor(dir: string, options: AppDriverOptions) {
    this.dir = resolve(dir)
    this.#options = options
    this.#dataRoot = mkdtempSync(join(tmpdir(), 'aoapp-data-'))
    try {
      this.#desktop = createDesktop({ ...this.#config, apps: [this.dir] })
    } catch (error) {
      rmSync(this.#dataRoot, { recursive: true, force: true })
      throw error
    }
    this.#lease = this.#attach()
  }

  /** Opens the app in a folder with an `aoapp.json`. An app that does not load is there as failed. */
  static async open(dir: string, options: AppDriverOptions = {}): Promise<AppDriver> {
    const driver = new AppDriver(dir, options)
    await driver.execute(`open --application ${APP}`).catch(() => undefined) // `info` holds the error
    driver.look()
    return driver
  }

  get info(): AppInfo {
    const [app] = this.#desktop.apps()
    if (app === undefined) throw new Error('the desktop has lost its app')
    return app
  }

  /** What an agent sees of the app, logs included. Refs of later commands mean this look. */
  look(): string {
    const { markup, snapshot_id } = this.#lease.snapshot({ max_chars: Number.MAX_SAFE_INTEGER })
    this.#seen = snapshot_id
    return applicationText(markup)
  }

  /** The text of a view, by its name; without one, of the only view. */
  view(name?: string): string {
    const views = viewTexts(this.look())
    const found = views.filter((view) => name === undefined || view.name === name)
    const [view] = found
    if (view !== undefined && found.length === 1) return view.text
    const names = views.map((one) => `"${one.name}"`).join(', ') || 'none'
    const which = name === undefined ? 'the only view' : `the view "${name}"`
    throw new Error(`${found.length === 0 ? 'no view is' : 'several views are'} ${which}; shown: ${names}`)
  }

  /**
   * Runs one command of the DSL in the context of the app, `execute add --text hi`, or text with contexts of its own.
   * Rejects with an `AotuiError`.
   */
  execute(command: string): Promise<CommandAck> {
    const text = /^\s*<context/.test(command) ? command : `<context app_id="${APP}">${command}</context>`
    return this.#lease.execute(text, this.#seen === undefined ? {} : { snapshot_id: this.#seen })
  }

  /** Ends the app and starts it again with the data that it serialized, from the files as they are now. */
  async restart(): Promise<void> {
    const state = await serializeFresh(this.#desktop)
    await destroyDesktop(this.#desktop.id)
    this.#desktop = restore(state, this.#config)
    this.#lease = this.#attach()
    await this.#desktop.ready
    this.look()
  }

  /** What the app serialized: undefined if it exports no hooks. */
  async data(): Promise<unknown> {
    const state: DesktopState = await serializeFresh(this.#desktop)
    return state.apps[0]?.appData
  }

  /** What the app's author should know, from a line's number on; numbers go on counting after a restart. */
  developerLog(from = 1): DeveloperLine[] {
    return this.#lines.filter(({ number }) => number >= from)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    try {
      await destroyDesktop(this.#desktop.id)
    } finally {
      rmSync(this.#dataRoot, { recursive: true, force: true })
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  get #config() {
    return { ...PATIENCE, dataRoot: this.#dataRoot }
  }

  #attach(): Lease {
    this.#desktop.output.subscribe(({ reason }) => this.#options.onSignal?.(reason))
    this.#desktop.followDeveloperLog((line) => this.#note(line))
    return this.#desktop.input.acquire(OWNER)
  }

  #note({ at: built, ...line }: DeveloperLine): void {
    const at = sourcePlace(built, this.dir)
    const noted = { ...line, number: this.#lines.length + 1, ...(at === undefined ? {} : { at }) }
    this.#lines.push(noted)
    this.#options.onDeveloperLine?.(noted)
  }
}
