import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { makeTempDir } from '../test-support/app-folder.ts'
import { packageDir } from '../test-support/runtime-build.ts'

const run = promisify(execFile)

/** npm of this Node, without the network. */
async function npm(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('npm', [...args, '--offline', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd,
  })
  return stdout
}

async function pack(dir: string, to: string): Promise<{ filename: string; files: string[] }> {
  const [packed] = JSON.parse(await npm(dir, 'pack', '--json', '--pack-destination', to)) as {
    filename: string
    files: { path: string }[]
  }[]
  if (packed === undefined) throw new Error(`npm packed nothing in ${dir}`)
  return { filename: packed.filename, files: packed.files.map(({ path }) => path) }
}

it('the system apps are found by their ids when their package is installed beside', async () => {
  const project = makeTempDir()
  const names = await Promise.all(
    [packageDir, join(packageDir, '../aotui-apps')].map(async (dir) => (await pack(dir, project)).filename),
  )
  writeFileSync(join(project, 'package.json'), JSON.stringify({ private: true, type: 'module' }))
  await npm(project, 'install', ...names.map((name) => `./${name}`))
  writeFileSync(
    join(project, 'host.js'),
    `import { createDesktop, destroyDesktop } from '@aotui/runtime'
     const desktop = createDesktop({ systemApps: ['system.chat', 'system.thoughts'] })
     const { failures } = await desktop.ready
     await desktop.call('system.chat', 'say', { text: 'Hello' })
     const { messages } = await desktop.call('system.chat', 'messages')
     console.log(failures.length, messages.map(({ from, text }) => from + ': ' + text).join())
     await destroyDesktop(desktop.id)`,
  )
  const { stdout } = await run(process.execPath, ['host.js'], { cwd: project })
  expect(stdout).toBe('0 person: Hello\n')
}, 120_000)

it('the package installs into an empty project and serves JavaScript and TypeScript', async () => {
  const project = makeTempDir()
  const { filename, files } = await pack(packageDir, project)
  expect(files).toContain('dist/index.mjs')
  expect(files).toContain('dist/app-process.mjs')
  expect(files).toContain('dist/types/index.d.ts')
  expect(files.filter((path) => /^(src|test|bench)/.test(path))).toEqual([])
  writeFileSync(
    join(project, 'package.json'),
    JSON.stringify({ name: 'user', private: true, type: 'module' }),
  )
  await npm(project, 'install', `./${filename}`)

  const readme = readFileSync(join(packageDir, 'README.md'), 'utf8')
  const block = (language: string) =>
    new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(readme)?.[1] ?? ''
  writeFileSync(join(project, 'aoapp.json'), block('json'))
  writeFileSync(join(project, 'main.mjs'), block('js'))
  // The README's TypeScript holds no types, so it is JavaScript as well.
  writeFileSync(join(project, 'host.mjs'), block('ts'))
  writeFileSync(join(project, 'host.ts'), `${block('ts')}\nexport const version: 1 = state.version\n`)
  const { stdout } = await run(process.execPath, ['host.mjs', project], { cwd: project })
  expect(stdout.trimEnd()).toBe(block('text').trimEnd())

  const tsconfig = {
    compilerOptions: {
      module: 'nodenext',
      target: 'es2022',
      strict: true,
      noEmit: true,
      types: [],
      lib: ['es2023'],
    },
    files: ['host.ts', 'globals.d.ts'],
  }
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(tsconfig))
  // Without Node's types: the package's own must not need them.
  writeFileSync(
    join(project, 'globals.d.ts'),
    'declare const process: { argv: [string, string, string] }\ndeclare const console: { log(text: unknown): void }\n',
  )
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc')
  const checked = await run(process.execPath, [tsc, '-p', project]).catch(
    (error: { stdout: string }) => error,
  )
  expect(checked.stdout).toBe('')
}, 120_000)
