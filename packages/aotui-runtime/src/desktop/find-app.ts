import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { AotuiError } from '../contract/aotui-error.ts'
import { readManifest } from '../manifest/app-manifest.ts'

const MANIFEST = 'aoapp.json'

/** The folder of an app: the name is a folder, or the id in the manifest of a sub-folder of `appDirs`. */
export function findAppDir(name: string, appDirs: readonly string[]): string {
  if (existsSync(join(name, MANIFEST))) return resolve(name)
  for (const root of appDirs) {
    const found = findById(root, name)
    if (found !== undefined) return found
  }
  throw new AotuiError(
    'E_NOT_FOUND',
    `no app "${name}": neither a folder with an ${MANIFEST} nor the id of an app in ${appDirs.join(', ') || 'appDirs'}`,
    { reason: 'no_app' },
  )
}

const APPS_READ_MAX = 10_000 // sub-folders of one folder

function findById(root: string, id: string): string | undefined {
  for (const entry of readdirSync(root, { withFileTypes: true }).slice(0, APPS_READ_MAX)) {
    const dir = resolve(root, entry.name)
    if (existsSync(join(dir, MANIFEST)) && manifestId(dir) === id) return dir
  }
  return undefined
}

/** Another app's broken manifest does not keep this one from being found. */
function manifestId(dir: string): string | undefined {
  try {
    return readManifest(dir).id
  } catch (error) {
    if (error instanceof AotuiError) return undefined
    throw error
  }
}

/** The folder of a system app that comes with `@aotui/apps`, if that is installed. */
export function findOwnSystemApp(id: string): string | undefined {
  if (import.meta.url === undefined || !/^system\.[a-z]+$/.test(id)) return undefined
  try {
    const dir = dirname(createRequire(import.meta.url).resolve('@aotui/apps/package.json'))
    const found = join(dir, 'apps', id)
    return existsSync(join(found, MANIFEST)) ? found : undefined
  } catch {
    return undefined // it is not installed; the caller says what was looked for
  }
}

/**
 * The folders that configurations named as system apps in this process. A saved state cannot make an app trusted: it
 * names a folder, and only a configuration says which folders are.
 */
const trusted = new Set<string>()

export function trust(dir: string): void {
  trusted.add(realpathSync(dir))
}

export function isTrusted(dir: string): boolean {
  return existsSync(dir) && trusted.has(realpathSync(dir))
}
