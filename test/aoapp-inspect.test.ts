/** The inspector as a person uses it: on a terminal, which is a session here. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
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

test('it looks at a desktop of another process by a socket, and notices that this process was killed', async () => {
  const socket = path.join(home.root, 'product.sock')
  const inspect = async (name: string) => {
    const line = `node ${AOAPP} inspect --socket ${socket}; echo "back with $?"`
    await home.ok('create', '--name', name, '--cols', '90', '--rows', '70', '--', 'sh', '-c', `${line}; cat`)
    await home.ok('wait', name, '--text', '[Add](operation:add)')
  }
  const product = await startProduct(socket)
  await inspect('first')
  await home.ok('type', 'first', 'execute add', '--enter')
  await home.ok('wait', 'first', '--text', 'count 1')
  product.kill('SIGKILL')
  await home.ok('wait', 'first', '--text', 'back with 1')
  expect(await home.ok('snapshot', 'first')).toContain(
    'aoapp: the program that runs the desktop has closed the connection',
  )
  // The socket file of the killed process is still there.
  await startProduct(socket)
  await inspect('second')
})

/** A program that embeds the runtime, and opens a socket for the inspector. */
async function startProduct(socket: string): Promise<ChildProcess> {
  const program = path.join(home.root, 'product.mjs')
  fs.writeFileSync(
    program,
    `import { createDesktop } from ${JSON.stringify(path.join(PACKAGES, 'aotui-runtime/dist/index.mjs'))}
import { serveInspector } from ${JSON.stringify(path.join(PACKAGES, 'aoapp/dist/inspector.mjs'))}
const desktop = createDesktop({ apps: [${JSON.stringify(app)}] })
const lease = desktop.input.acquire('product')
await lease.execute('<context>open --application app_1</context>')
lease.release()
await serveInspector(desktop, ${JSON.stringify(socket)})
console.log('ready')`,
  )
  const product = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void product.kill('SIGKILL'))
  await once(product.stdout, 'data')
  return product
}

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
