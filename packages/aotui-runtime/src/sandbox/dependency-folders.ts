import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

const FOLDERS_MAX = 2000 // a bundled app has none, and a large one some hundred
const PACKAGE_NAME = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/

/**
 * The folders of the packages that an app depends on, directly or not, and that npm put beside or above it instead of
 * into it. An app that is installed as a package can thereby import its dependencies (spec section 7.3). The places on the
 * way, in which Node looks first, and links are among them: the permission flags compare text.
 */
export function dependencyFolders(appDir: string): string[] {
  const root = realpathSync(appDir)
  const readable = new Set<string>()
  const seen = new Set([root])
  const waiting = [root]
  for (let dir = waiting.pop(); dir !== undefined; dir = waiting.pop()) {
    for (const name of dependenciesOf(dir)) {
      const { asked, folder } = findPackage(name, dir)
      for (const place of asked) readable.add(place)
      if (folder === undefined || seen.has(folder) || seen.size > FOLDERS_MAX) continue
      seen.add(folder)
      readable.add(folder)
      waiting.push(folder)
    }
  }
  return [...readable].filter((folder) => !folder.startsWith(root + sep))
}

/** As Node looks for it: in the `node_modules` of every folder on the way up. */
function findPackage(name: string, from: string): { asked: string[]; folder: string | undefined } {
  const asked: string[] = []
  for (let at = from; ; at = dirname(at)) {
    const place = join(at, 'node_modules', name)
    asked.push(place)
    if (existsSync(join(place, 'package.json'))) return { asked, folder: realpathSync(place) }
    if (dirname(at) === at) return { asked, folder: undefined }
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
