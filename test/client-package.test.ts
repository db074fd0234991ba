/** `@transom/client` as it is published: its programs load, and its types are whole, without the rest of the workspace. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const BUILD_TIMEOUT_MS = 180_000 // two runs of the type checker on a busy machine

let folder: string

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-client-'))
  const built = spawnSync(process.execPath, ['scripts/build-client.mjs'], { cwd: PROJECT, encoding: 'utf8' })
  expect([built.status, built.stderr]).toEqual([0, expect.any(String)])
  fs.mkdirSync(path.join(folder, 'node_modules/@transom'), { recursive: true })
  fs.symlinkSync(
    path.join(PROJECT, 'packages/client/dist'),
    path.join(folder, 'node_modules/@transom/client'),
  )
  fs.writeFileSync(path.join(folder, 'package.json'), '{"type":"module"}')
}, BUILD_TIMEOUT_MS)

afterAll(() => {
  fs.rmSync(folder, { recursive: true })
})

test(
  'a program that uses it is checked against the operations’ own types',
  { timeout: BUILD_TIMEOUT_MS },
  () => {
    const program = [
      "import { connect } from '@transom/client/connect'",
      "await using transom = await connect({ url: 'http://127.0.0.1:1', token: 'x' })",
      "await using shell = await transom.create({ command: ['sh'] })",
      "const seq: number = await shell.type('x', { enter: true })",
      'await shell.wait({ after_seq: seq, exit: true })',
      '// @ts-expect-error there is no such condition',
      'await shell.wait({ nonsense: 1 })',
    ]
    fs.writeFileSync(path.join(folder, 'program.ts'), program.join('\n'))
    const options = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--types',
      'node',
    ]
    const roots = ['--typeRoots', path.join(PROJECT, 'node_modules/@types')]
    const args = [
      'tsc',
      ...options,
      ...roots,
      '--lib',
      'es2023,esnext.disposable',
      path.join(folder, 'program.ts'),
    ]
    const { status, stdout } = spawnSync('npx', args, { cwd: PROJECT, encoding: 'utf8' })
    expect([stdout, status]).toEqual(['', 0])
  },
)

test('it runs, and says what to do where nobody answers', () => {
  const program = [
    "const { connect } = await import('@transom/client/connect')",
    "const transom = await connect({ url: 'http://127.0.0.1:1', token: 'x' })",
    'await transom.list().catch(({ code, message }) => console.log(code, message))',
  ]
  fs.writeFileSync(path.join(folder, 'program.js'), program.join('\n'))
  const { stdout } = spawnSync(process.execPath, ['program.js'], { cwd: folder, encoding: 'utf8' })
  expect(stdout).toContain('host_unavailable no gateway answers at http://127.0.0.1:1; start "transom serve"')
})
