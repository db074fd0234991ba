import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'

export interface AppFolder {
  /** The entry module. */
  main: string
  manifest?: Record<string, unknown>
  files?: Record<string, string>
}

/** Writes an app into a folder that is gone after the test. */
export function makeApp({ main, manifest, files = {} }: AppFolder): string {
  const dir = makeTempDir()
  const json = { id: 'com.example.app', name: 'App', version: '1.0.0', entry: 'main.mjs', ...manifest }
  for (const [name, text] of Object.entries({
    ...files,
    'main.mjs': main,
    'aoapp.json': JSON.stringify(json),
  })) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
  return dir
}

export function makeTempDir(): string {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'aotui-test-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}
