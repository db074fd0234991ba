import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { AotuiError } from '../contract/aotui-error.ts'
import type { CommandAck, SavedLines, Tier, UpdateSignal } from '../contract/command.ts'
import { readManifest, type AppManifest } from '../manifest/app-manifest.ts'
import { makeGrants } from '../sandbox/grants.ts'
import { AppInstance } from './app-instance.ts'
import { CommandExecutor } from './command-executor.ts'
import { CommandInput, readerOf } from './command-input.ts'
import type { AppInfo, Desktop, DesktopReady } from './desktop.ts'
import type { Snapshot, SnapshotOptions } from './snapshot.ts'
import { ViewIds } from './desktop-view.ts'
import { DeveloperLog, type DeveloperLine } from './developer-log.ts'
import { OperationLog } from './operation-log.ts'
import { ProcessClient } from './process-client.ts'
import { openProcessLink } from './process-link.ts'
import type { RuntimeSettings } from './runtime-settings.ts'
import { SignalOutput } from './signal-output.ts'
import { SnapshotTaker } from './snapshot-taker.ts'
import { SystemCommands } from './system-commands.ts'

export interface LiveDesktopOptions {
  readonly id: string
  readonly createdAt: number
  readonly settings: RuntimeSettings
  readonly dataRoot: string | undefined
  readonly nextView?: number
  readonly log?: SavedLines
  readonly now: () => number
}

const SYSTEM_LOG_LINES_MAX = 20
const APP_LOG_LINES_MAX = 10
const APPS_MAX = 1000

/** The state behind a Desktop. */
export class LiveDesktop implements Desktop {
  readonly id: string
  readonly createdAt: number
  readonly input: CommandInput
  readonly output = new SignalOutput()
  readonly log: OperationLog
  readonly viewIds: ViewIds
  readonly #options: LiveDesktopOptions
  readonly #developerLog: DeveloperLog
  readonly #apps: AppInstance[] = []
  readonly #snapshots: SnapshotTaker
  #systemProcess: ProcessClient | undefined
  #starting: Promise<void>[] = []
  #isDestroyed = false
  #ready: Promise<DesktopReady> | undefined

  constructor(options: LiveDesktopOptions) {
    this.#options = options
    this.id = options.id
    this.createdAt = options.createdAt
    this.log = new OperationLog(SYSTEM_LOG_LINES_MAX, options.log)
    this.viewIds = new ViewIds(options.nextView)
    this.#developerLog = new DeveloperLog(options.now)
    this.#snapshots = new SnapshotTaker({
      apps: () => this.#apps,
      log: this.log,
      now: options.now,
      charsMax: options.settings.snapshotChars,
    })
    const systemLog = (text: string) => this.log.add(text)
    const onChange = (reason: UpdateSignal['reason']) => this.#onChange(reason)
    const findApp = (name: string) => this.findApp(name)
    const system = new SystemCommands({ apps: () => this.#apps, findApp, onChange, systemLog })
    const executor = new CommandExecutor({
      system,
      findApp,
      snapshot: (id, ownerId) => this.#snapshots.getFor(readerOf(ownerId), id),
    })
    this.input = new CommandInput({
      makeToken: () => randomBytes(24).toString('base64url'),
      snapshot: (snapshotOptions) => this.snapshot(snapshotOptions),
      execute: async (command, executeOptions): Promise<CommandAck> => {
        if (this.#isDestroyed)
          throw new AotuiError('E_NOT_FOUND', `desktop ${this.id} is destroyed`, {
            reason: 'desktop_destroyed',
          })
        try {
          const { settled, warnings, commandCount } = await executor.run(command, executeOptions)
          return {
            ok: true,
            snapshot_id: this.#takeId(executeOptions.ownerId),
            settled,
            warnings,
            command_count: commandCount,
          }
        } catch (error) {
          this.#snapshots.markDirty() // the failure is in a log now
          throw error
        }
      },
    })
  }

  get ready(): Promise<DesktopReady> {
    this.#ready ??= this.#whenReady()
    return this.#ready
  }

  snapshot(options: SnapshotOptions = {}): Snapshot {
    return this.#snapshots.take(options)
  }

  apps(): AppInfo[] {
    return this.#apps.map((app) => ({
      instance: app.instance,
      appId: app.options.manifest.id,
      name: app.options.manifest.name,
      system: app.options.tier === 'trusted',
      tier: app.options.tier,
      permissions: app.options.manifest.permissions,
      ...(app.pid === undefined ? {} : { process: { pid: app.pid, ...app.runs } }),
      status: app.status.kind === 'running' && app.collapsed ? 'collapsed' : app.status.kind,
      ...(app.status.kind === 'failed' ? { error: app.status.error } : {}),
      views: app.views.map(({ id, name, presence, hidden }) => ({
        id,
        name,
        mounted: presence === 'mounted',
        hidden,
      })),
    }))
  }

  async call(app: string, name: string, args: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
    return this.findApp(app).call(name, args)
  }

  markup(): string {
    return this.#snapshots.markup()
  }

  #takeId(ownerId: string): string {
    this.#snapshots.markDirty() // the command is in a log now
    return this.#snapshots.takeId(readerOf(ownerId))
  }

  developerLog(from?: number): DeveloperLine[] {
    return this.#developerLog.read(from)
  }

  followDeveloperLog(listener: (line: DeveloperLine) => void): () => void {
    return this.#developerLog.follow(listener)
  }

  get instances(): readonly AppInstance[] {
    return this.#apps
  }

  /** Adds an app without starting it. The runtime decides the tier of system apps, their manifest that of others. */
  install(install: InstallOptions): AppInstance {
    const manifest = install.manifest ?? readManifest(install.dir)
    if (this.#apps.length >= APPS_MAX)
      throw new AotuiError('E_INVALID_CMD', `more than ${APPS_MAX} apps`, { reason: 'too_many_apps' })
    if (this.#apps.some((app) => app.options.manifest.id === manifest.id)) {
      throw new AotuiError('E_INVALID_CMD', `${manifest.id} is installed twice`, {
        reason: 'app_twice',
        appId: manifest.id,
      })
    }
    const instance = install.instance ?? `app_${this.#apps.length + 1}`
    const { dataRoot, settings, now } = this.#options
    const dataDir = dataRoot === undefined ? undefined : join(dataRoot, this.id, manifest.id)
    const tier = install.tier
    const app: AppInstance = new AppInstance({
      instance,
      dir: install.dir,
      manifest,
      tier,
      viewIds: this.viewIds,
      settings,
      dataDir,
      log: new OperationLog(APP_LOG_LINES_MAX, install.log),
      appLog: new OperationLog(APP_LOG_LINES_MAX, install.appLog),
      developerLog: this.#developerLog,
      openProcess: () => this.#openProcess(app),
      onDirty: () => this.#snapshots.markDirty(),
      onChange: (reason) => this.#onChange(reason),
      systemLog: (text) => this.log.add(text),
      now,
    })
    this.#apps.push(app)
    for (const text of manifest.warnings) this.#developerLog.add({ app: instance, level: 'warning', text })
    this.#snapshots.markDirty()
    return app
  }

  /** Starts an app in the background; `ready` tells how it went. */
  start(app: AppInstance): void {
    this.#starting.push(app.open().catch(() => undefined)) // the app's status holds the error
  }

  /** Starts an app that comes from a state, and turns its long lists to where they stood. */
  startRestored(app: AppInstance, pages: readonly { view: string; list: string; from: number }[]): void {
    const started = app.open().then(async () => {
      for (const { view: viewId, list, from } of pages) {
        const view = app.views.find((one) => one.id === viewId)
        if (view !== undefined) await app.page(view, list, from)
      }
    })
    this.#starting.push(started.catch(() => undefined)) // as above
  }

  findApp(name: string): AppInstance {
    const app = this.#apps.find((one) => one.instance === name || one.options.manifest.id === name)
    if (app !== undefined) return app
    throw new AotuiError('E_NOT_FOUND', `no application "${name}" is installed`, {
      reason: 'no_app',
      app: name,
    })
  }

  async destroy(): Promise<void> {
    this.#isDestroyed = true
    this.output.clear()
    const gone = new AotuiError('E_INTERNAL', 'the desktop was destroyed', { reason: 'desktop_destroyed' })
    await Promise.all([...this.#apps.map((app) => app.close(gone.message)), this.#systemProcess?.kill(gone)])
  }

  async #whenReady(): Promise<DesktopReady> {
    await Promise.all(this.#starting)
    const failures = this.#apps.flatMap(({ status, instance, options }) =>
      status.kind === 'failed' ? [{ instance, appId: options.manifest.id, error: status.error }] : [],
    )
    return { failures }
  }

  #openProcess(app: AppInstance): ProcessClient {
    if (this.#isDestroyed)
      throw new AotuiError('E_NOT_FOUND', `desktop ${this.id} is destroyed`, { reason: 'desktop_destroyed' })
    if (app.options.tier !== 'trusted') return this.#spawn(app)
    // All system apps of a desktop share one process; a second desktop has one of its own.
    if (this.#systemProcess === undefined || this.#systemProcess.isGone)
      this.#systemProcess = this.#spawn(app)
    return this.#systemProcess
  }

  #spawn(app: AppInstance): ProcessClient {
    const { manifest, tier, dir, dataDir } = app.options
    const { settings } = this.#options
    if (manifest.dom === 'jsdom' && settings.jsdom === undefined) {
      throw new AotuiError('E_INTERNAL', `${manifest.id} asks for jsdom, which is not installed`, {
        reason: 'no_jsdom',
      })
    }
    const runtimeDirs = [
      settings.processEntry,
      ...(manifest.dom === 'jsdom' && settings.jsdom !== undefined ? [settings.jsdom.dir] : []),
    ]
    const grants = makeGrants({
      appId: manifest.id,
      tier,
      permissions: manifest.permissions,
      appDir: dir,
      dataDir,
      env: process.env,
      runtimeDirs,
    })
    return new ProcessClient({
      heartbeatMs: settings.heartbeatMs,
      hello: [{ type: 'policy', policy: grants.policy }],
      open: (events) =>
        openProcessLink({ grants, entry: settings.processEntry, heapMb: settings.heapMb }, events),
    })
  }

  #onChange(reason: UpdateSignal['reason']): void {
    this.#snapshots.markDirty()
    this.output.emit({ desktopId: this.id, timestamp: this.#options.now(), reason })
  }
}

export interface InstallOptions {
  readonly dir: string
  readonly tier: Tier
  readonly manifest?: AppManifest
  readonly instance?: string
  readonly log?: SavedLines
  readonly appLog?: SavedLines
}
