import { randomUUID } from 'node:crypto'
import { AotuiError, toAotuiError } from '../contract/aotui-error.ts'
import type { AppState, DesktopState, InstalledState } from '../contract/command.ts'
import { EMPTY_FRAGMENT } from '../contract/fragment.ts'
import { readManifest, type AppManifest } from '../manifest/app-manifest.ts'
import type { AppInstance } from './app-instance.ts'
import type { Desktop } from './desktop.ts'
import { parseDesktopState, toDesktopState } from './desktop-state.ts'
import { findAppDir, findOwnSystemApp, isTrusted, trust } from './find-app.ts'
import { LiveDesktop, type InstallOptions } from './live-desktop.ts'
import { makeSettings, type SettingsInput } from './runtime-settings.ts'

export interface DesktopConfig extends SettingsInput {
  /** System apps to start: folders, ids that are looked up in `appDirs`, or ids of the apps in `@aotui/apps`. */
  systemApps?: string[]
  /** Apps to install without starting them: folders, or ids that are looked up in `appDirs`. */
  apps?: string[]
  /** Folders whose sub-folders are apps. */
  appDirs?: string[]
  /** Each app gets a folder of its own below this one that it may write to. */
  dataRoot?: string
  /** Milliseconds since 1970; for tests. */
  now?: () => number
}

const live = new Map<string, LiveDesktop>()

/** Returns at once; `desktop.ready` tells when its apps are up. A manifest that cannot be used throws here. */
export function createDesktop(config: DesktopConfig = {}): Desktop {
  const now = config.now ?? Date.now
  const desktop = new LiveDesktop({
    id: `desktop_${randomUUID()}`,
    createdAt: now(),
    settings: makeSettings(config),
    dataRoot: config.dataRoot,
    now,
  })
  for (const name of config.systemApps ?? []) {
    const dir = findSystemApp(name, config)
    const manifest = readManifest(dir)
    if (!manifest.system) {
      throw new AotuiError(
        'E_INVALID_CMD',
        `${manifest.id} is not a system app: its aoapp.json lacks "system": true`,
        { reason: 'not_system', field: 'system' },
      )
    }
    trust(dir)
    desktop.install({ dir, tier: 'trusted', manifest })
  }
  for (const name of config.apps ?? []) {
    const dir = findAppDir(name, config.appDirs ?? [])
    const manifest = readManifest(dir)
    // An app cannot make itself trusted: whoever configures the desktop does.
    if (manifest.system) {
      throw new AotuiError('E_INVALID_CMD', `${manifest.id} is a system app and belongs into systemApps`, {
        reason: 'system_app',
        field: 'system',
      })
    }
    desktop.install({ dir, tier: manifest.tier, manifest })
  }
  desktop.log.add('Desktop initialized.')
  live.set(desktop.id, desktop)
  for (const app of desktop.instances) if (app.options.tier === 'trusted') desktop.start(app)
  return desktop
}

/** Ends every process of the desktop. Settles when they are gone. */
export async function destroyDesktop(id: string): Promise<void> {
  const desktop = live.get(id)
  if (desktop === undefined)
    throw new AotuiError('E_NOT_FOUND', `no desktop "${id}"`, { reason: 'no_desktop' })
  live.delete(id)
  await desktop.destroy()
}

/** The text alone. A bridge that has to name the snapshot in commands takes `desktop.snapshot()`. */
export function getSnapshot(desktop: Desktop): string {
  return requireLive(desktop).markup()
}

/** What is known now: app data is as of each app's last ack or push. */
export function serialize(desktop: Desktop): DesktopState {
  return toDesktopState(requireLive(desktop))
}

/** Asks every running app for its data first. */
export async function serializeFresh(desktop: Desktop): Promise<DesktopState> {
  const own = requireLive(desktop)
  await Promise.all(own.instances.map((app) => app.refreshData()))
  return toDesktopState(own)
}

/**
 * A desktop as it was: same ids, same views, apps with their data. `ready` names every app that could not be. In a
 * process that has not made a desktop with them, `systemApps` names the system apps: a state cannot make an app trusted.
 */
export function restore(state: DesktopState, config: Omit<DesktopConfig, 'apps'> = {}): Desktop {
  for (const name of config.systemApps ?? []) trust(findSystemApp(name, config))
  const { id, createdAt, nextView, apps, installed, log } = parseDesktopState(state)
  if (live.has(id))
    throw new AotuiError('E_INVALID_CMD', `desktop ${id} is alive; destroy it before it is restored`, {
      reason: 'desktop_exists',
    })
  const now = config.now ?? Date.now
  const desktop = new LiveDesktop({
    id,
    createdAt,
    settings: makeSettings(config),
    dataRoot: config.dataRoot,
    nextView,
    log,
    now,
  })
  const saved = [
    ...apps.map((app) => ({ app, running: app })),
    ...installed.map((app) => ({ app, running: undefined })),
  ]
  saved.sort((a, b) => instanceNumber(a.app.instance) - instanceNumber(b.app.instance))
  const starts: (() => void)[] = []
  for (const { app: one, running } of saved) {
    const { instance, dir } = one
    const { manifest, error } = readSavedManifest(one)
    const app = desktop.install({
      instance,
      dir,
      // From the manifest, not from the state.
      tier: manifest.system ? 'trusted' : manifest.tier,
      manifest,
      ...savedLogs(running),
    })
    if (running === undefined) continue
    const pages = prepare(app, running)
    starts.push(() => (error === undefined ? desktop.startRestored(app, pages) : app.fail(error)))
  }
  live.set(id, desktop)
  for (const start of starts) start()
  return desktop
}

function savedLogs(saved: AppState | undefined): Pick<InstallOptions, 'log' | 'appLog'> {
  if (saved === undefined) return {}
  return { log: saved.log, ...(saved.appLog === undefined ? {} : { appLog: saved.appLog }) }
}

/** An app whose folder is gone or changed its nature is restored as failed: it and its data stay in the state. */
function readSavedManifest(saved: InstalledState): { manifest: AppManifest; error?: AotuiError } {
  const { appId, dir, tier } = saved
  try {
    const manifest = readManifest(dir)
    if (manifest.system && !isTrusted(dir)) {
      throw new AotuiError(
        'E_PERMISSION',
        `${dir} holds a system app that systemApps does not name; a saved state cannot make an app trusted`,
        { reason: 'not_trusted' },
      )
    }
    if (manifest.id === appId && manifest.system === (tier === 'trusted')) return { manifest }
    throw new AotuiError(
      'E_INVALID_CMD',
      `${dir} holds ${manifest.id}, which is not the app that was saved`,
      { reason: 'app_changed' },
    )
  } catch (error) {
    const rest = {
      version: '0.0.0',
      entry: '',
      system: false,
      permissions: [],
      dom: 'happy-dom',
      tier: 'standard',
      views: [],
      warnings: [],
    } as const
    return { manifest: { id: appId, name: appId, ...rest }, error: toAotuiError(error) }
  }
}

/** Puts the saved views and data into the app before it starts; returns the list windows to set once it is up. */
function prepare(app: AppInstance, saved: AppState): { view: string; list: string; from: number }[] {
  app.collapsed = saved.status === 'minimized'
  app.json = saved.appData === undefined ? undefined : JSON.stringify(saved.appData)
  for (const { id, handle, name, presence, hidden } of saved.views) {
    app.views.push({ id, handle, name, presence, hidden, fragment: EMPTY_FRAGMENT })
  }
  return saved.views.flatMap((view) =>
    Object.entries(view.pages).map(([list, from]) => ({ view: view.id, list, from })),
  )
}

function findSystemApp(name: string, { appDirs = [] }: DesktopConfig): string {
  return findOwnSystemApp(name) ?? findAppDir(name, appDirs)
}

function requireLive(desktop: Desktop): LiveDesktop {
  const own = live.get(desktop.id)
  if (own === undefined)
    throw new AotuiError('E_NOT_FOUND', `desktop ${desktop.id} is destroyed`, { reason: 'desktop_destroyed' })
  return own
}

function instanceNumber(instance: string): number {
  return Number(instance.replace(/\D+/g, ''))
}
