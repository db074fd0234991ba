import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

export const packageDir = fileURLToPath(new URL('..', import.meta.url))

let built: Promise<unknown> | undefined

/** Bundles the app process from the sources under test. Files that run at once each build; the last rename wins. */
export function buildRuntime(): Promise<unknown> {
  built ??= promisify(execFile)(process.execPath, ['scripts/build.mjs'], { cwd: packageDir })
  return built
}
