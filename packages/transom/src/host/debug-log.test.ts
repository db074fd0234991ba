import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { DebugLog } from './debug-log.ts'

let folder: string
let log: DebugLog

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-debug-'))
  log = new DebugLog(folder)
})

afterEach(() => {
  log.disable()
  fs.rmSync(folder, { recursive: true })
})

const entries = (file = log.path) =>
  fs
    .readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

const peer = { kind: 'local', uid: 1000, pid: 812, user: 'ada' } as const
const request = (params: unknown, operation = 'session.type') => ({
  connection: 1,
  id: 7,
  operation,
  params,
  durationMs: 1.23456,
  error: null,
})

test('a debug log that is off writes no file', () => {
  log.request(request({}))
  expect(log.opened(peer)).toBe(1)
  expect(fs.existsSync(log.path)).toBe(false)
})

test('a request is logged with operation, session, sizes, duration and error code, never with a value', () => {
  log.enable()
  log.request(request({ session: 'work', text: 'hunter2', enter: true, env: { TOKEN: 'hunter2' } }))
  log.request({ ...request(['hunter2']), error: 'usage' })
  log.request(request({ session: 'x'.repeat(1000) }, 'hunter2'))
  expect(fs.readFileSync(log.path, 'utf8')).not.toContain('hunter2')
  expect(entries().slice(1)).toMatchObject([
    { operation: 'session.type', session: 'work', sizes: { text: 7, env: 1 }, ms: 1.235, error: null },
    { error: 'usage' },
    { operation: 'unknown', session: 'x'.repeat(64) },
  ])
  expect(fs.statSync(log.path).mode & 0o777).toBe(0o600)
})

test('at ten megabytes it is moved aside and started afresh, so that two files are all there ever are', () => {
  fs.writeFileSync(log.path, `${'x'.repeat((10 << 20) - 1)}\n`)
  fs.writeFileSync(`${log.path}.1`, 'older')
  log.enable()
  log.opened(peer)
  expect(fs.statSync(`${log.path}.1`).size).toBe(10 << 20)
  expect(entries()).toMatchObject([
    { event: 'debug_on' },
    { event: 'connected', connection: 1, peer: 'ada (pid 812)' },
  ])
})
