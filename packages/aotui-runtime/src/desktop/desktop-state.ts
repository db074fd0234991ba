import { AotuiError, toWireError } from '../contract/aotui-error.ts'
import type { AppState, DesktopState, InstalledState, SavedLines, ViewState } from '../contract/command.ts'
import type { AppInstance } from './app-instance.ts'
import { composeFragment } from './compose-fragment.ts'
import type { DesktopView } from './desktop-view.ts'
import type { LiveDesktop } from './live-desktop.ts'

export const STATE_VERSION = 1

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

/** A state comes from someone's storage: what is wrong with it is said, by field. */
export function parseDesktopState(json: unknown): DesktopState {
  const state = record(json, 'state')
  if (state['version'] !== STATE_VERSION) {
    throw invalid(
      'version',
      `is ${JSON.stringify(state['version'])}; this runtime reads version ${STATE_VERSION}`,
    )
  }
  text(state, 'id', '')
  count(state, 'createdAt', '')
  count(state, 'nextView', '')
  lines(state['log'], 'log')
  for (const [index, app] of list(state['apps'], 'apps').entries())
    checkApp(record(app, `apps[${index}]`), `apps[${index}]`)
  for (const [index, app] of list(state['installed'], 'installed').entries()) {
    const path = `installed[${index}]`
    for (const field of ['instance', 'appId', 'dir']) text(record(app, path), field, path)
    oneOf(record(app, path), 'tier', ['trusted', 'standard', 'strict'], path)
  }
  return state as unknown as DesktopState
}

function checkApp(app: Record<string, unknown>, path: string): void {
  for (const field of ['appId', 'instance', 'dir']) text(app, field, path)
  oneOf(app, 'status', ['running', 'minimized'], path)
  oneOf(app, 'tier', ['trusted', 'standard', 'strict'], path)
  lines(app['log'], `${path}.log`)
  for (const [index, value] of list(app['views'], `${path}.views`).entries()) {
    const at = `${path}.views[${index}]`
    const view = record(value, at)
    for (const field of ['id', 'handle', 'name']) text(view, field, at)
    if (!/^view_\d+$/.test(String(view['id']))) throw invalid(`${at}.id`, 'is not a view id')
    oneOf(view, 'presence', ['mounted', 'dismounted', 'absent'], at)
    if (typeof view['hidden'] !== 'boolean') throw invalid(`${at}.hidden`, 'must be true or false')
    for (const from of Object.values(record(view['pages'], `${at}.pages`)))
      if (!isCount(from)) throw invalid(`${at}.pages`, 'must hold numbers')
  }
}

function lines(value: unknown, path: string): SavedLines {
  const saved = record(value, path)
  count(saved, 'first', path)
  for (const line of list(saved['lines'], `${path}.lines`))
    if (typeof line !== 'string') throw invalid(`${path}.lines`, 'must hold text')
  return saved as unknown as SavedLines
}

function record(value: unknown, path: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw invalid(path, 'must be an object')
}

function list(value: unknown, path: string): unknown[] {
  if (Array.isArray(value)) return value
  throw invalid(path, 'must be an array')
}

function text(from: Record<string, unknown>, field: string, path: string): void {
  if (typeof from[field] !== 'string' || from[field] === '') throw invalid(`${path}.${field}`, 'must be text')
}

function count(from: Record<string, unknown>, field: string, path: string): void {
  if (!isCount(from[field])) throw invalid(`${path}.${field}`, 'must be a number from 0')
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
}

function oneOf(from: Record<string, unknown>, field: string, values: readonly string[], path: string): void {
  if (!values.includes(String(from[field])))
    throw invalid(`${path}.${field}`, `must be one of ${values.join(', ')}`)
}

function invalid(path: string, problem: string): AotuiError {
  const field = path.replace(/^\./, '')
  return new AotuiError('E_INVALID_CMD', `the desktop state cannot be restored: ${field} ${problem}`, {
    reason: 'invalid_state',
    field,
  })
}
