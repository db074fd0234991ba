import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { readManifest } from '@aotui/runtime'
import { buildApp } from './build-app.ts'
import { checkApp } from './check-command.ts'
import type { Output } from './output.ts'
import { UsageError, messageOf } from './usage-error.ts'

interface PackedReport {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

/** Builds and checks the app, and packs it as an npm package. Returns whether that went well. */
export async function packCommand(options: { dir: string; out: string }, output: Output): Promise<boolean> {
  const { dir, out } = options
  if (!existsSync(join(dir, 'package.json')))
    throw new UsageError(`${dir} has no package.json, which an npm package needs; "npm init" makes one`)
  await buildApp(dir)
  const errors = (await checkApp(dir)).filter(({ level }) => level === 'error')
  for (const { where, text } of errors) output.line(`error: ${where}: ${text}`)
  if (errors.length > 0) {
    output.result({ errors })
    return false
  }
  const { filename, files } = await npmPack(dir, out)
  const packed = new Set(files.map(({ path }) => path))
  const { entry, views } = readManifest(dir)
  const missing = ['aoapp.json', entry, ...views.map((view) => view.entry)]
    .map((file) => file.replace(/^\.\//, ''))
    .filter((file) => !packed.has(file))
  if (missing.length > 0)
    throw new UsageError(`the package would lack ${missing.join(', ')}; add them to "files" in package.json`)
  const path = resolve(out, filename)
  output.line(path)
  output.result({ path, files: [...packed] })
  return true
}

/** The app is built already: scripts of the package would build it again. */
async function npmPack(dir: string, out: string): Promise<PackedReport> {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', resolve(out)]
  const { stdout } = await promisify(execFile)('npm', args, { cwd: dir }).catch((error: unknown) => {
    throw new UsageError(`npm pack failed: ${messageOf(error)}`, { cause: error })
  })
  const [report] = JSON.parse(stdout) as PackedReport[]
  if (report === undefined) throw new Error(`npm pack reported nothing: ${stdout}`)
  return report
}
