/** `@transom/client` and `@transom/protocol` as they are published: packed, and installed into an empty project. */
import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import * as os from 'node:os'
import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const BUILD_TIMEOUT_MS = 180_000 // two runs of the type checker on a busy machine

let folder: string

function run(cwd: string, command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  expect([args[0], status, status === 0 ? '' : stdout + stderr]).toEqual([args[0], 0, ''])
  return stdout
}

/** A project with packages that are installed from their tarballs alone, without the network. */
function makeProject(name: string, packages: readonly string[]): string {
  const project = path.join(folder, name)
  fs.mkdirSync(project)
  fs.writeFileSync(path.join(project, 'package.json'), '{"type":"module","private":true}')
  const quiet = ['--offline', '--no-audit', '--no-fund', '--loglevel=error']
  const zod = path.dirname(createRequire(import.meta.url).resolve('zod/package.json'))
  const tarballs = [zod, ...packages.map((one) => path.join(PROJECT, 'packages', one, 'dist'))].map((dir) => {
    const [packed] = JSON.parse(run(folder, 'npm', 'pack', dir, '--json', '--ignore-scripts', ...quiet)) as {
      filename: string
    }[]
    return path.join(folder, packed?.filename ?? '')
  })
  run(project, 'npm', 'install', ...tarballs, ...quiet)
  return project
}

function checkTypes(project: string, program: readonly string[]): string {
  fs.writeFileSync(path.join(project, 'program.ts'), program.join('\n'))
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023']
  const node = ['--types', 'node', '--typeRoots', path.join(PROJECT, 'node_modules/@types')]
  const lib = ['--lib', 'es2023,esnext.disposable', path.join(project, 'program.ts')]
  return spawnSync('npx', ['tsc', ...options, ...node, ...lib], { cwd: PROJECT, encoding: 'utf8' }).stdout
}

beforeAll(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'transom-client-')))
  run(PROJECT, process.execPath, 'scripts/build-client.mjs')
}, BUILD_TIMEOUT_MS)

afterAll(() => {
  fs.rmSync(folder, { recursive: true })
})

describe('the client, installed alone', () => {
  let project: string
  beforeAll(() => {
    project = makeProject('client-user', ['client'])
  }, BUILD_TIMEOUT_MS)

  test('checks a program against the operations’ own types', { timeout: BUILD_TIMEOUT_MS }, () => {
    const program = [
      "import { connect } from '@transom/client/connect'",
      "await using transom = await connect({ url: 'http://127.0.0.1:1', token: 'x' })",
      "await using shell = await transom.create({ command: ['sh'] })",
      "const seq: number = await shell.type('x', { enter: true })",
      'await shell.wait({ after_seq: seq, exit: true })',
      '// @ts-expect-error there is no such condition',
      'await shell.wait({ nonsense: 1 })',
    ]
    expect(checkTypes(project, program)).toBe('')
  })

  test('runs, and says what to do where nobody answers', () => {
    const program = [
      "const { connect } = await import('@transom/client/connect')",
      "const transom = await connect({ url: 'http://127.0.0.1:1', token: 'x' })",
      'await transom.list().catch(({ code, message }) => console.log(code, message))',
    ]
    fs.writeFileSync(path.join(project, 'program.js'), program.join('\n'))
    expect(run(project, process.execPath, 'program.js')).toContain(
      'host_unavailable no gateway answers at http://127.0.0.1:1; start "transom serve"',
    )
  })
})

describe('the protocol, installed alone', () => {
  let project: string
  beforeAll(() => {
    project = makeProject('protocol-user', ['protocol'])
  }, BUILD_TIMEOUT_MS)

  test('gives a program its types', { timeout: BUILD_TIMEOUT_MS }, () => {
    const program = [
      "import { ERROR_TABLE, OPERATIONS, type OperationName, type Params } from '@transom/protocol'",
      "import { OpError } from '@transom/protocol/errors'",
      "import { parseRequest } from '@transom/protocol/jsonrpc'",
      "import { PROTOCOL_VERSION } from '@transom/protocol/version'",
      "const name: OperationName = 'session.create'",
      "const params: Params<'session.create'> = { command: ['sh'] }",
      'console.log(OPERATIONS[name], params, ERROR_TABLE, OpError, parseRequest, PROTOCOL_VERSION)',
      '// @ts-expect-error there is no such operation',
      "const wrong: OperationName = 'nonsense'",
    ]
    expect(checkTypes(project, program)).toBe('')
  })

  test('decodes requests and knows its error codes', () => {
    const program = [
      "import { OPERATIONS, isErrorCode } from '@transom/protocol'",
      'const { params } = OPERATIONS["session.create"]',
      "console.log(params.safeParse({ command: ['sh'] }).success, params.safeParse({ command: 5 }).success)",
      "console.log(isErrorCode('session_not_found'), isErrorCode('nonsense'))",
    ]
    fs.writeFileSync(path.join(project, 'program.js'), program.join('\n'))
    expect(run(project, process.execPath, 'program.js')).toBe('true false\ntrue false\n')
  })
})
