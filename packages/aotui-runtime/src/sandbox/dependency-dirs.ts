import { readFileSync, realpathSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const PACKAGES_MAX = 2000 // of one app; more is not what an app's own dependencies are

/** A name of npm, with or without a scope. It cannot lead out of `node_modules`. */
const PACKAGE_NAME = /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i

/**
 * The folders in which Node looks for the packages that an app declares in its `package.json`, and for theirs. npm puts
 * them beside the app when it is installed as a package itself, where the app could not read them otherwise. Each place
 * is given as Node asks for it and as where it leads: the permission flags compare text.
 */
export function dependencyDirs(appDir: string): string[] {
  const found = new Set<string>()
  const seen = new Set<string>()
  const queue = [realPath(appDir)]
  while (queue.length > 0 && seen.size < PACKAGES_MAX) {
    const dir = queue.shift() ?? ''
    if (seen.has(dir)) continue
    seen.add(dir)
    for (const name of dependenciesOf(dir)) {
      const { asked, real } = find(name, dir)
      for (const place of asked) found.add(place)
      if (real === undefined) continue
      found.add(real)
      queue.push(real)
    }
  }
  return [...found]
}

/** Node asks in every folder above for `node_modules/<name>` until one is there. */
function find(name: string, from: string): { asked: string[]; real: string | undefined } {
  const asked: string[] = []
  for (let at = from; ; at = dirname(at)) {
    const place = join(at, 'node_modules', name)
    asked.push(place)
    const real = manifestOf(place) === undefined ? undefined : realPath(place)
    if (real !== undefined || dirname(at) === at) return { asked, real }
  }
}

function dependenciesOf(dir: string): string[] {
  const manifest = manifestOf(dir) ?? {}
  const names = ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((field) => {
    const value = (manifest as Record<string, unknown>)[field]
    return typeof value === 'object' && value !== null ? Object.keys(value) : []
  })
  return names.filter((name) => PACKAGE_NAME.test(name))
}

/** What a broken or missing `package.json` declares is nothing: the import itself then says what it lacks. */
function manifestOf(dir: string): object | undefined {
  try {
    const json: unknown = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'))
    return typeof json === 'object' && json !== null ? json : undefined
  } catch {
    return undefined
  }
}

/** For a path that does not exist yet, its text: it will be made inside a folder that is granted as it is written. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
