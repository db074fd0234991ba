import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { makeTempDir } from '../test-support/app-folder.ts'
import { openApp } from '../test-support/desktop-driver.ts'
import { buildRuntime, packageDir } from '../test-support/runtime-build.ts'

function block(language: string): string {
  const readme = readFileSync(join(packageDir, 'README.md'), 'utf8')
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1] ?? ''
}

it('the app of the README keeps every note apart: add, remove, add, remove', async () => {
  const dir = makeTempDir()
  writeFileSync(join(dir, 'aoapp.json'), block('json'))
  writeFileSync(join(dir, 'main.mjs'), block('js'))
  const driver = await openApp(dir)
  for (const text of ['two', 'three']) await driver.execute(`add --text ${text}`)
  driver.look()
  await driver.execute('remove --note notes[0]')
  await driver.execute('add --text four')
  driver.look()
  await driver.execute('remove --note notes[1]')
  const notes = [...driver.view('Notes').matchAll(/\[(\w+)\]\(item:/g)].map(([, text]) => text)
  expect(notes).toEqual(['two', 'four'])
})

it('the example of the README runs and prints what the README says', async () => {
  await buildRuntime()
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
