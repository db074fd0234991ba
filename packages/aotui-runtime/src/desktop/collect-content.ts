import type { AppInstance } from './app-instance.ts'
import type { DesktopContent, InstalledApp, OpenApp } from './compose-desktop.ts'
import type { OperationLog } from './operation-log.ts'

/** What a desktop shows now, as plain data. */
export function collectContent(apps: readonly AppInstance[], log: OperationLog): DesktopContent {
  return {
    installed: apps.map(installedApp),
    log: log.lines,
    apps: apps.flatMap((app) => (app.isOpen ? [openApp(app)] : [])),
  }
}

const installed = new WeakMap<AppInstance, { state: string; entry: InstalledApp }>()

/** The same object while the app is in the same state: of all that a command changes, this is the least. */
function installedApp(app: AppInstance): InstalledApp {
  let state = `${app.status.kind} ${app.collapsed}`
  for (const { id, name, presence, hidden } of app.views) state += ` ${id} ${name} ${presence} ${hidden}`
  const kept = installed.get(app)
  if (kept?.state === state) return kept.entry
  const entry = describeApp(app)
  installed.set(app, { state, entry })
  return entry
}

function describeApp(app: AppInstance): InstalledApp {
  const { manifest } = app.options
  const about = [
    manifest.description,
    manifest.when_to_use === undefined ? undefined : `Use it: ${manifest.when_to_use}`,
  ]
  return {
    instance: app.instance,
    appId: manifest.id,
    name: manifest.name,
    description: about.filter((text) => text !== undefined).join(' '),
    status: app.isOpen ? statusOf(app) : 'not open',
    views: app.views.flatMap(({ id, name, presence, hidden }) =>
      presence === 'absent'
        ? []
        : [{ id, name, state: presence === 'dismounted' ? 'not mounted' : hidden ? 'hidden' : 'shown' }],
    ),
  }
}

function openApp(app: AppInstance): OpenApp {
  const visible = app.collapsed ? [] : app.views.filter((view) => view.presence === 'mounted' && !view.hidden)
  return {
    instance: app.instance,
    name: app.options.manifest.name,
    status: statusOf(app),
    hint: hintOf(app),
    log: app.options.log.lines,
    appLog: app.options.appLog.lines,
    views: visible.map(({ id, name, handle, fragment }) => ({ id, name, handle, fragment })),
  }
}

/** An application that shows nothing says why. */
function hintOf(app: AppInstance): string | undefined {
  if (app.status.kind !== 'running' || app.collapsed) return undefined
  if (app.views.some((view) => view.presence === 'mounted')) return undefined
  return app.views.some((view) => view.presence === 'dismounted')
    ? 'no view is mounted; view_1 lists those that can be'
    : 'the application shows no view: no element of its document has a view attribute'
}

function statusOf(app: AppInstance): OpenApp['status'] {
  switch (app.status.kind) {
    case 'running':
      return app.collapsed ? 'collapsed' : 'running'
    case 'starting':
    case 'failed':
      return app.status.kind
    case 'closed':
      return 'failed'
    default:
      return app.status satisfies never
  }
}
