/** What the author of an app does: makes a project from a template, builds, tests, checks and packs it, outside this workspace. */
import { spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { TEMPLATES, type Template } from '../packages/create-aoapp/src/scaffold.ts'
import { needsRegistry } from './support/needs.ts'

const PACKAGES = fileURLToPath(new URL('../packages', import.meta.url))
const TIMEOUT_MS = 300_000 // an install from the registry, on a busy machine
const test = needsRegistry()
/** Each takes 20 s, most of it npm's: the short run takes one without and one with a framework. */
const TRIED = process.env['TRANSOM_FULL'] === '1' ? TEMPLATES : (['vanilla-ts', 'react'] as const)

let root: string
const tarballs: Record<string, string> = {}

beforeAll(() => {
  root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'create-aoapp-')))
  for (const name of ['aotui-runtime', 'aotui-sdk', 'aoapp', 'create-aoapp']) {
    const [report] = JSON.parse(
      run(path.join(PACKAGES, name), 'npm', 'pack', '--json', '--silent', '--pack-destination', root),
    ) as { filename: string }[]
    tarballs[name] = path.join(root, report?.filename ?? '')
  }
}, TIMEOUT_MS)

afterAll(() => {
  fs.rmSync(root, { recursive: true, force: true })
})

describe.each(TRIED)('the template %s', (template) => {
  test(
    'is scaffolded, built, tested, checked and packed; the package is installed and driven to the end of a task',
    { timeout: TIMEOUT_MS },
    () => {
      const project = makeProject(template)
      run(project, 'npm', 'run', 'build')
      expect(run(project, 'npm', 'test')).toContain('3 passed, 0 failed')
      expect(run(project, 'npm', 'run', 'check')).toContain('0 errors, 0 warnings')
      const packed = JSON.parse(run(project, 'npx', 'aoapp', 'pack', '--json')) as {
        path: string
        files: string[]
      }
      expect(packed.files.toSorted()).toEqual([
        'README.md',
        'aoapp.json',
        'dist/main.js',
        'dist/main.js.map',
        'package.json',
      ])
      expect(driveInstalled(template, packed.path)).toContain('1. [Call Ann (urgent) (done)](item:tasks[0])')
      expectSourcePlaces(project)
      expectTypes(project, template)
    },
  )
})

test('a project is made from a checkout as the README describes', { timeout: TIMEOUT_MS }, () => {
  const readme = fs.readFileSync(path.join(PACKAGES, 'create-aoapp/README.md'), 'utf8')
  const [, block = ''] = /run by test\/create-aoapp\.test\.ts[^]*?```sh\n([^]*?)```/.exec(readme) ?? []
  const cache = run(root, 'npm', 'config', 'get', 'cache').trim() // in the HOME that is replaced here
  const env = { ...process.env, HOME: root, npm_config_cache: cache }
  const cwd = path.dirname(PACKAGES)
  const made = spawnSync('bash', ['-euc', block], { cwd, env, encoding: 'utf8' })
  expect([made.status, made.stderr]).toEqual([0, expect.any(String)])
  expect(fs.existsSync(path.join(root, 'my-app/dist/main.js'))).toBe(true)
})

test('aoapp dev builds at every save and keeps the data', { timeout: TIMEOUT_MS }, async () => {
  const project = makeProject('vanilla-ts', 'dev-app')
  const source = path.join(project, 'src/tasks.ts')
  const dev = spawn('npx', ['aoapp', 'dev'], { cwd: project, stdio: ['pipe', 'pipe', 'inherit'] })
  const output = follow(dev.stdout)
  await output.until(/0 of 0 done/)
  dev.stdin.write('execute add --text "Kept over a reload"\n')
  await output.until(/1\. \[Kept over a reload\]/)
  fs.writeFileSync(source, fs.readFileSync(source, 'utf8').replace('} done`', '} are done`'))
  await output.until(/reloaded\n[^]*0 of 1 are done[^]*1\. \[Kept over a reload\]/)
  const text = fs.readFileSync(source, 'utf8')
  fs.writeFileSync(source, text.replace('export function', 'export functoin'))
  await output.until(/\nbuild failed: [^\u001b]*functoin/)
  fs.writeFileSync(source, text.replace('are done', 'have been done'))
  await output.until(/0 of 1 have been done/)
  dev.stdin.end()
  expect(await new Promise((resolve) => dev.once('exit', resolve))).toBe(0)
})

test('an app with a dependency that npm puts beside it runs', { timeout: TIMEOUT_MS }, () => {
  const project = path.join(root, 'plain-app')
  write(project, {
    'package.json': JSON.stringify({
      name: 'plain-app',
      version: '1.0.0',
      type: 'module',
      dependencies: { nanoid: '^5.0.0' },
    }),
    'aoapp.json': '{"id": "com.example.plain", "name": "Plain", "entry": "main.js", "description": "An id"}',
    'main.js': `import { nanoid } from 'nanoid'
document.body.innerHTML = \`<main view="Id"><p>\${nanoid().length} characters</p></main>\``,
  })
  run(project, 'npm', 'install', tarballs['aotui-runtime'] ?? '', tarballs['aoapp'] ?? '', '--no-save')
  const { path: packed } = JSON.parse(run(project, 'npx', 'aoapp', 'pack', '--json')) as { path: string }
  const user = path.join(root, 'plain-user')
  write(user, { 'package.json': '{"type": "module", "private": true}' })
  run(user, 'npm', 'install', tarballs['aotui-runtime'] ?? '', packed)
  expect(fs.existsSync(path.join(user, 'node_modules/nanoid'))).toBe(true)
  expect(drive(user, 'plain-app', [])).toContain('21 characters')
})

test('create-aoapp refuses what it cannot do, and says what it can', { timeout: TIMEOUT_MS }, () => {
  const folder = path.join(root, 'refusals')
  write(folder, { 'full/file': '' })
  const refusal = (...args: string[]) => {
    const { status, stderr } = create(folder, ...args)
    return `${status} ${stderr.replaceAll(/^npm .*\n/gm, '')}`
  }
  expect(refusal('app', '--template', 'angular')).toContain(
    '64 create-aoapp: there is no template "angular"; there are',
  )
  expect(refusal('full', '--template', 'react')).toMatch(/^64 create-aoapp: .*full is not empty/)
  expect(refusal('app', '--template', 'react', '--id', 'app')).toContain('is not in reverse domain notation')
  expect(refusal('app')).toContain('64 create-aoapp: no --template is named')
  expect(fs.readdirSync(folder)).toEqual(['full'])
})

function makeProject(template: Template, name = `my-${template}`): string {
  const made = create(root, name, '--template', template)
  expect([made.status, made.stderr]).toEqual([0, expect.any(String)])
  const project = path.join(root, name)
  const own = ['aotui-runtime', 'aotui-sdk', 'aoapp'].map((one) => tarballs[one] ?? '')
  run(project, 'npm', 'install', '--no-audit', '--no-fund', '--save-dev', ...own)
  return project
}

/** As `npm create aoapp` does it, with the packed package. */
function create(folder: string, ...args: string[]) {
  const exec = ['exec', '--yes', '--offline', `--package=${tarballs['create-aoapp']}`, '--', 'create-aoapp']
  return spawnSync('npm', [...exec, ...args], { cwd: folder, encoding: 'utf8', input: '' })
}

/** Installs a packed app beside the runtime, in a project that has nothing else, and gives what its view shows at the end. */
function driveInstalled(template: Template, packed: string): string {
  const user = path.join(root, `user-of-${template}`)
  write(user, { 'package.json': '{"type": "module", "private": true}' })
  run(user, 'npm', 'install', '--offline', tarballs['aotui-runtime'] ?? '', packed)
  return drive(user, `my-${template}`, [
    'execute add --text "Buy milk"',
    'execute add --text "Call Ann" --urgent',
    'execute finish --task tasks[1]',
    'execute remove --task tasks[0]',
  ])
}

const HOST = `
import { createDesktop, destroyDesktop, getSnapshot } from '@aotui/runtime'
const [app, ...commands] = process.argv.slice(2)
const desktop = createDesktop({ apps: ['node_modules/' + app], loadMs: 60_000, heartbeatMs: 20_000 })
const lease = desktop.input.acquire('agent')
await lease.execute('<context>open --application app_1</context>')
for (const command of commands) {
  const { snapshot_id } = lease.snapshot()
  await lease.execute('<context app_id="app_1">' + command + '</context>', { snapshot_id })
}
console.log(getSnapshot(desktop))
await destroyDesktop(desktop.id)
`

function drive(user: string, app: string, commands: readonly string[]): string {
  write(user, { 'host.mjs': HOST })
  return run(user, process.execPath, 'host.mjs', app, ...commands)
}

/** What the app prints and throws is told with the places in its sources. */
function expectSourcePlaces(project: string): void {
  const source = path.join(project, 'src/tasks.ts')
  const text = fs.readFileSync(source, 'utf8')
  const lines = text.split('\n')
  const at = lines.findIndex((line) => line.startsWith('export function makeTask'))
  lines.splice(
    at + 1,
    0,
    '  console.warn("making", text)',
    '  if (text === "boom") throw new Error("no boom")',
  )
  fs.writeFileSync(source, lines.join('\n'))
  write(project, { 'boom.md': '# Boom\n\n```aoapp\nexecute add --text boom\n```\n' })
  const { status, stdout } = spawnSync('npx', ['aoapp', 'test', 'boom.md', '--json'], {
    cwd: project,
    encoding: 'utf8',
  })
  expect(status).toBe(1)
  const { files } = JSON.parse(stdout) as { files: { cases: { developer_log: object[] }[] }[] }
  expect(files[0]?.cases[0]?.developer_log).toMatchObject([
    { level: 'warning', text: 'making boom', at: `src/tasks.ts:${at + 2}:11` },
    { level: 'error', text: expect.stringContaining('no boom') as string, at: `src/tasks.ts:${at + 3}:30` },
  ])
  fs.writeFileSync(source, text)
}

/** A wrong use of attributes or arguments is an error of the template's own type check. */
function expectTypes(project: string, template: Template): void {
  const [file, right, wrong] = WRONG_TYPES[template]
  const source = path.join(project, 'src', file)
  const text = fs.readFileSync(source, 'utf8')
  expect(text).toContain(right)
  fs.writeFileSync(source, text.replace(right, wrong).replace('=> {\n', '=> {\n    urgent?.toFixed()\n'))
  const { status, stdout } = spawnSync('npm', ['run', 'check'], { cwd: project, encoding: 'utf8' })
  expect(stdout).toContain("'number' is not assignable to type 'string")
  expect(stdout).toContain("Property 'toFixed' does not exist")
  expect(status).not.toBe(0)
}

const WRONG_TYPES: Readonly<Record<Template, readonly [string, string, string]>> = {
  'vanilla-ts': ['main.ts', "view: 'Tasks'", 'view: 1'],
  react: ['app.tsx', 'view="Tasks"', 'view={1}'],
  preact: ['app.tsx', 'view="Tasks"', 'view={1}'],
  vue: ['App.vue', 'view="Tasks"', ':view="1"'],
  svelte: ['App.svelte', 'view="Tasks"', 'view={1}'],
}

function run(cwd: string, program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (status === 0) return stdout
  throw new Error(`${program} ${args.join(' ')} ended with ${status} in ${cwd}:\n${stdout}\n${stderr}`)
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    fs.writeFileSync(path.join(folder, name), text)
  }
}

const WAIT_MS_MAX = 60_000 // for a build and a start on a busy machine

function follow(stream: NodeJS.ReadableStream) {
  let text = ''
  const waiting = new Set<() => void>()
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    for (const check of waiting) check()
  })
  return {
    until: (what: RegExp) =>
      new Promise<void>((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`waited for ${what}; written was\n${text}`)),
          WAIT_MS_MAX,
        )
        const check = () => {
          if (!what.test(text)) return
          waiting.delete(check)
          clearTimeout(timer)
          resolve()
        }
        waiting.add(check)
        check()
      }),
  }
}
