import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Vite from 'vite'
import { UsageError } from './usage-error.ts'

const CONFIGS = ['ts', 'mts', 'js', 'mjs', 'cts', 'cjs'].map((extension) => `vite.config.${extension}`)

/** Whether the app is built; one without a Vite configuration is run as it is. */
export function isBuilt(dir: string): boolean {
  return CONFIGS.some((name) => existsSync(join(dir, name)))
}

/** Builds the app with its own Vite and its own configuration. */
export async function buildApp(dir: string): Promise<void> {
  if (!isBuilt(dir)) return
  const { build } = await loadVite(dir)
  await build({ root: dir, logLevel: 'warn', clearScreen: false })
}

export async function loadVite(dir: string): Promise<typeof Vite> {
  let path: string
  try {
    path = createRequire(join(dir, 'package.json')).resolve('vite')
  } catch (error) {
    throw new UsageError(`${dir} has a Vite configuration and no Vite; run "npm install" there`, {
      cause: error,
    })
  }
  return (await import(pathToFileURL(path).href)) as typeof Vite
}
