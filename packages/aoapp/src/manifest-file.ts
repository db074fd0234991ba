import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseManifest } from '@aotui/runtime'

/** The entries that `aoapp.json` names. They need not exist yet: a build makes them. */
export function readManifestFile(dir: string): { entry: string; views: string[] } {
  const path = join(dir, 'aoapp.json')
  let json: unknown
  try {
    json = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw new Error(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  }
  const { entry, views } = parseManifest(json, path)
  return { entry, views: views.map((view) => view.entry) }
}
