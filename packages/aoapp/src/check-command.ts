import { readManifest, type AppManifest } from '@aotui/runtime'
import { AppDriver } from './app-driver.ts'
import { buildApp } from './build-app.ts'
import { checkImports } from './check-imports.ts'
import type { Finding } from './finding.ts'
import type { Output } from './output.ts'
import { declaredIds, viewTexts } from './snapshot-text.ts'
import { messageOf } from './usage-error.ts'

/** Builds the app and looks for what would go wrong elsewhere. Returns whether there is no error. */
export async function checkCommand(
  options: { dir: string; build: boolean },
  output: Output,
): Promise<boolean> {
  if (options.build) await buildApp(options.dir)
  const findings = await checkApp(options.dir)
  for (const { level, where, text } of findings) output.line(`${level}: ${where}: ${text}`)
  const errors = findings.filter(({ level }) => level === 'error').length
  output.line(`${errors} errors, ${findings.length - errors} warnings`)
  output.result({ errors, warnings: findings.length - errors, findings })
  return errors === 0
}

export async function checkApp(dir: string): Promise<Finding[]> {
  let manifest: AppManifest
  try {
    manifest = readManifest(dir)
  } catch (error) {
    return [{ level: 'error', where: 'aoapp.json', text: withoutFile(messageOf(error)) }]
  }
  const warnings = manifest.warnings.map((text): Finding => ({
    level: 'warning',
    where: 'aoapp.json',
    text: withoutFile(text),
  }))
  if (manifest.description === undefined)
    warnings.push({
      level: 'warning',
      where: 'aoapp.json',
      text: 'has no "description", which agents choose apps by',
    })
  const entries = [manifest.entry, ...manifest.views.map(({ entry }) => entry)]
  const imports = await checkImports(dir, entries)
  // What cannot be imported keeps the app from loading: that it does not would be the same finding again.
  const contract = imports.length > 0 ? [] : await checkContract(dir, manifest)
  return [...warnings, ...imports, ...contract]
}

/** `/app/aoapp.json: id is missing` → `id is missing`. */
function withoutFile(text: string): string {
  return text.replace(/^.*?aoapp\.json: /, '')
}

/** Opens the app, restarts it with its data, and listens to what the runtime says of its markup. */
async function checkContract(dir: string, manifest: AppManifest): Promise<Finding[]> {
  const findings: Finding[] = []
  const app = await AppDriver.open(dir)
  try {
    const { error } = app.info
    if (error === undefined) {
      findings.push(...checkIds(app.look()), ...(await checkRestart(app)))
    }
    const told = new Set(manifest.warnings)
    for (const { level, text, at } of app.developerLog()) {
      if (level === 'info' || told.has(text)) continue
      told.add(text)
      // Warnings without a place are the runtime's, about markup; others are what the app prints.
      const isFault = level === 'error' || at === undefined
      findings.push({ level: isFault ? 'error' : 'warning', where: at ?? 'the app', text })
    }
    return findings
  } finally {
    await app.close()
  }
}

function checkIds(application: string): Finding[] {
  const views = viewTexts(application)
  if (views.length === 0)
    return [{ level: 'error', where: 'the app', text: 'shows no view: no element has a "view" attribute' }]
  const findings: Finding[] = []
  const places = new Map<string, string[]>()
  for (const view of views) {
    for (const id of new Set(declaredIds(view))) places.set(id, [...(places.get(id) ?? []), view.name])
  }
  for (const [id, names] of places) {
    const [kind, name = ''] = id.split(':')
    const [, original] = /^(.*)~\d+$/.exec(name) ?? []
    if (original !== undefined)
      findings.push({
        level: 'error',
        where: `view ${names[0]}`,
        text: `${kind} "${original}" is declared more than once`,
      })
    else if (names.length > 1)
      findings.push({
        level: 'warning',
        where: `views ${names.join(', ')}`,
        text: `each declare ${kind} "${name}"; ids should be unique in an app`,
      })
  }
  return findings
}

async function checkRestart(app: AppDriver): Promise<Finding[]> {
  const data = await app.data()
  if (data === undefined)
    return [
      {
        level: 'warning',
        where: 'the app',
        text: 'exports no serialize and restore: it forgets everything when it restarts',
      },
    ]
  const before = viewTexts(app.look())
  await app.restart()
  const { error } = app.info
  if (error !== undefined) return [] // the developer log says so
  const after = viewTexts(app.look())
  const changed = before.filter(({ id, text }) => after.find((view) => view.id === id)?.text !== text)
  return changed.map(({ name }): Finding => ({
    level: 'warning',
    where: `view ${name}`,
    text: 'shows something else after a restart with the same data',
  }))
}
