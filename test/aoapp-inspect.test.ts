/** The inspector as a person uses it: on a terminal, which is a session here. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { TestHome } from './support/test-home.ts'

const PACKAGES = fileURLToPath(new URL('../packages', import.meta.url))
const AOAPP = path.join(PACKAGES, 'aoapp/dist/main.mjs')

let home: TestHome
let app: string

beforeAll(() => {
  for (const name of ['aotui-runtime', 'aoapp']) {
    const built = spawnSync(process.execPath, ['scripts/build.mjs'], {
      cwd: path.join(PACKAGES, name),
      encoding: 'utf8',
    })
    expect([built.status, built.stderr]).toEqual([0, ''])
  }
  home = new TestHome()
  app = path.join(home.root, 'app')
  fs.mkdirSync(app)
  fs.writeFileSync(
    path.join(app, 'aoapp.json'),
    '{"id": "com.example.count", "name": "Count", "entry": "main.mjs"}',
  )
  fs.writeFileSync(
    path.join(app, 'main.mjs'),
    `document.body.innerHTML = '<main view="Count"><p>count 0</p><button operation="add">Add</button></main>'
document.querySelector('button').onclick = () => { document.querySelector('p').textContent = 'count 1' }`,
  )
})

afterAll(async () => home.close())

test('it takes over the terminal, runs what is typed, and gives the terminal back', async () => {
  const line = `node ${AOAPP} inspect --dir ${app}; echo "back with $?"`
  await home.ok(
    'create',
    '--name',
    'person',
    '--cols',
    '90',
    '--rows',
    '24',
    '--',
    'sh',
    '-c',
    `${line}; cat`,
  )
  await home.ok('wait', 'person', '--text', '[Add](operation:add)')
  await home.ok('type', 'person', 'execute add', '--enter')
  await home.ok('wait', 'person', '--text', 'count 1')
  await home.ok('keys', 'person', 'F2')
  await home.ok('wait', 'person', '--text', '+ count 1')
  await home.ok('keys', 'person', 'Ctrl+C')
  await home.ok('wait', 'person', '--text', 'back with 0')
  expect(await home.ok('snapshot', 'person')).toBe('back with 0')
})

test('it refuses to run without a terminal, and with a socket that nobody serves', async () => {
  const refused = spawnSync(process.execPath, [AOAPP, 'inspect', '--dir', app], { encoding: 'utf8' })
  expect([refused.status, refused.stderr]).toEqual([
    64,
    'aoapp: inspect needs a terminal; "aoapp dev" works without one\n',
  ])
  const socket = path.join(home.root, 'nobody.sock')
  await home.ok(
    'create',
    '--name',
    'socket',
    '--cols',
    '200',
    '--',
    process.execPath,
    AOAPP,
    'inspect',
    '--socket',
    socket,
  )
  await home.ok('wait', 'socket', '--exit')
  expect(await home.ok('snapshot', 'socket')).toMatch(/^aoapp: no desktop answers at [^]*ENOENT/)
})
