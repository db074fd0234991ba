import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { makeTempDir } from '../test-support/app-folder.ts'
import { buildRuntime, packageDir } from '../test-support/runtime-build.ts'

it('the example of the README runs and prints what the README says', async () => {
  await buildRuntime()
  const readme = readFileSync(join(packageDir, 'README.md'), 'utf8')
  const block = (language: string) =>
    new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1] ?? ''
  const dir = makeTempDir()
  writeFileSync(join(dir, 'aoapp.json'), block('json'))
  writeFileSync(join(dir, 'main.mjs'), block('js'))
  await build({
    stdin: {
      contents: block('ts').replace('apps:', 'runtimeDir: process.argv[3], apps:'),
      resolveDir: packageDir,
      loader: 'ts',
    },
    alias: { '@aotui/runtime': join(packageDir, 'src/index.ts') },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: join(dir, 'host.mjs'),
    logLevel: 'error',
  })
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(dir, 'host.mjs'),
    dir,
    join(packageDir, 'dist'),
  ])
  expect(stdout.trimEnd()).toBe(block('text').trimEnd())
})
