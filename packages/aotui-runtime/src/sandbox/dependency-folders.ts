import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

const FOLDERS_MAX = 2000 // a bundled app has none, and a large one some hundred
const PACKAGE_NAME = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/

/**
 * The folders of the packages that an app depends on, directly or not, and that npm put beside or above it instead of
 * into it. An app that is installed as a package can thereby import its dependencies (spec section 7.3).
 */
export function dependencyFolders(appDir: string): string[] {
  const root = realpathSync(appDir)
  const found = new Set<string>()
  const waiting = [root]
  for (let dir = waiting.pop(); dir !== undefined; dir = waiting.pop()) {
    for (const name of dependenciesOf(dir)) {
      const folder = findPackage(name, dir)
      if (folder === undefined || found.has(folder) || found.size >= FOLDERS_MAX) continue
      found.add(folder)
      waiting.push(folder)
    }
  }
  return [...found].filter((folder) => !folder.startsWith(root + sep))
}

/** As Node looks for it: in the `node_modules` of every folder on the way up. */
function findPackage(name: string, from: string): string | undefined {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, 'node_modules', name)
    if (existsSync(join(folder, 'package.json'))) return realpathSync(folder)
    if (dirname(at) === at) return undefined
  }
}

function dependenciesOf(dir: string): string[] {
  const manifest = readManifest(join(dir, 'package.json'))
  return ['dependencies', 'optionalDependencies', 'peerDependencies']
    .flatMap((field) => Object.keys((manifest[field] as object | undefined) ?? {}))
    .filter((name) => PACKAGE_NAME.test(name))
}

/** A folder without a manifest that can be read is an app without dependencies. */
function readManifest(path: string): Record<string, unknown> {
  try {
    const manifest = JSON.parse(readFileSync(path, 'utf8')) as unknown
    return typeof manifest === 'object' && manifest !== null ? (manifest as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
