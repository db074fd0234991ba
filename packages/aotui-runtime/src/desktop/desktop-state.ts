import { AotuiError, toWireError } from '../contract/aotui-error.ts'
import { wireError } from '../contract/app-message-schema.ts'
import type { AppState, DesktopState, InstalledState, SavedLines, ViewState } from '../contract/command.ts'
import { HANDLE_CHARS_MAX, VIEW_NAME_CHARS_MAX, VIEWS_MAX } from '../contract/limits.ts'
import {
  constant,
  count,
  flag,
  json,
  list,
  object,
  oneOf,
  optional,
  record,
  SchemaError,
  text,
  type Schema,
} from '../contract/schema.ts'
import { APP_ID } from '../manifest/app-manifest.ts'
import type { AppInstance } from './app-instance.ts'
import { composeFragment } from './compose-fragment.ts'
import type { DesktopView } from './desktop-view.ts'
import type { LiveDesktop } from './live-desktop.ts'

const STATE_VERSION = 1 as const

/** A desktop as JSON, from what is known now: apps push their data with every ack (spec section 9.3). */
export function toDesktopState(desktop: LiveDesktop): DesktopState {
  const open = desktop.instances.filter((app) => app.isOpen)
  return {
    version: STATE_VERSION,
    id: desktop.id,
    createdAt: desktop.createdAt,
    nextView: desktop.viewIds.next,
    apps: open.map(toAppState),
    installed: desktop.instances.filter((app) => !app.isOpen).map(toInstalledState),
    log: desktop.log.save(),
  }
}

function toAppState(app: AppInstance): AppState {
  const { manifest, dir, tier, log } = app.options
  const error = app.status.kind === 'failed' ? app.status.error : app.dataError
  return {
    appId: manifest.id,
    status: app.collapsed ? 'minimized' : 'running',
    mountedViews: app.views.filter((view) => view.presence === 'mounted').map((view) => view.id),
    ...(app.json === undefined ? {} : { appData: JSON.parse(app.json) as unknown }),
    instance: app.instance,
    dir,
    system: tier === 'trusted',
    tier,
    views: app.views.map(toViewState),
    log: log.save(),
    appLog: app.options.appLog.save(),
    ...(error === undefined ? {} : { error: toWireError(error) }),
  }
}

function toViewState(view: DesktopView): ViewState {
  const pages = composeFragment(view.fragment).lists.filter((list) => list.from > 0)
  const { id, handle, name, presence, hidden } = view
  return {
    id,
    handle,
    name,
    presence,
    hidden,
    pages: Object.fromEntries(pages.map((list) => [list.name, list.from])),
  }
}

function toInstalledState(app: AppInstance): InstalledState {
  const { manifest, dir, tier } = app.options
  return { instance: app.instance, appId: manifest.id, dir, tier }
}

/** A state comes from someone's storage: it is decoded into fresh objects, and what is wrong with it is named by field. */
export function parseDesktopState(input: unknown): DesktopState {
  let state: DesktopState
  try {
    state = desktopState(input)
  } catch (error) {
    if (error instanceof SchemaError) throw invalid(error.path || 'state', error.problem)
    throw error
  }
  requireUnique(
    [...state.apps, ...state.installed].map(({ instance }) => instance),
    'instance',
  )
  const views = state.apps.flatMap((app) => app.views.map(({ id }) => id))
  requireUnique(views, 'view id')
  // A number that was given already would be given again.
  const next = views.reduce((max, id) => Math.max(max, Number(id.replace('view_', '')) + 1), state.nextView)
  return { ...state, nextView: next }
}

const LINES_MAX = 100
const APPS_MAX = 1000
const PAGES_MAX = 1000
const PATH_CHARS_MAX = 4096

const logLines: Schema<SavedLines> = object({ first: count(), lines: list(text(1000), LINES_MAX) })
const installedFields = {
  instance: text(20, /^app_[1-9]\d{0,8}$/),
  appId: text(200, APP_ID),
  dir: text(PATH_CHARS_MAX),
  tier: oneOf(['trusted', 'standard', 'strict']),
}
const viewState: Schema<ViewState> = object({
  id: text(20, /^view_\d{1,9}$/),
  handle: text(HANDLE_CHARS_MAX),
  name: text(VIEW_NAME_CHARS_MAX),
  presence: oneOf(['mounted', 'dismounted', 'absent']),
  hidden: flag,
  pages: record({ key: /^[A-Za-z_][\w.-]{0,99}(~\d{1,9})?$/, value: count(), countMax: PAGES_MAX }),
})
const appState: Schema<AppState> = object({
  ...installedFields,
  status: oneOf(['running', 'minimized']),
  mountedViews: list(text(20), VIEWS_MAX),
  appData: optional(json),
  system: flag,
  views: list(viewState, VIEWS_MAX),
  log: logLines,
  appLog: optional(logLines),
  error: optional(wireError),
})
const desktopState: Schema<DesktopState> = object({
  version: constant(STATE_VERSION),
  // It is the name of the folder that holds the data of its apps.
  id: text(100, /^[A-Za-z0-9][\w-]*$/),
  createdAt: count(),
  nextView: count(999_999_999),
  apps: list(appState, APPS_MAX),
  installed: list(object(installedFields), APPS_MAX),
  log: logLines,
})

function requireUnique(values: readonly string[], what: string): void {
  const twice = values.find((value, index) => values.indexOf(value) !== index)
  if (twice !== undefined) throw invalid(what, `"${twice}" is there twice`)
}

function invalid(field: string, problem: string): AotuiError {
  return new AotuiError('E_INVALID_CMD', `the desktop state cannot be restored: ${field} ${problem}`, {
    reason: 'invalid_state',
    field,
  })
}
