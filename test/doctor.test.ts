import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { VERSION } from '@transom/protocol'
import { canMount, mountTmpfs, unmount } from './support/mounts.ts'
import { needsThat } from './support/needs.ts'
import { CLI, TestHome, type RunOptions } from './support/test-home.ts'

let home: TestHome

beforeEach(() => {
  home = new TestHome()
})

afterEach(async () => {
  await home.close()
})

interface Report {
  readonly ok: boolean
  readonly checks: readonly { check: string; status: string; found: string; advice: string | null }[]
}

/** Not ok for root, whose browsers have no sandbox (confinement-checks.test.ts). */
const DIFFERS_FOR_ROOT = 'browser_sandbox'

/** What the doctor says: its exit status, and of each check that found trouble the status, found and advice. */
async function examine(options: RunOptions = {}) {
  const { code, stdout } = await home.run(['doctor', '--json'], options)
  const report = JSON.parse(stdout) as Report
  const troubles = Object.fromEntries(
    report.checks
      .filter(({ check, status }) => status !== 'ok' && status !== 'absent' && check !== DIFFERS_FOR_ROOT)
      .map(({ check, ...finding }) => [check, finding]),
  )
  return { code, report, troubles }
}

test('all is well here, without a host, and nothing stays behind', async () => {
  const { code, report, troubles } = await examine()
  expect(troubles).toEqual({})
  expect([code, report.ok]).toEqual([0, true])
  expect(report.checks.map(({ check }) => check)).toEqual([
    'node',
    'platform',
    'locale',
    'proc',
    'file_notices',
    'shell',
    'ffi',
    'pty_binding',
    'pty',
    'process_marks',
    'process_groups',
    'subreaper',
    'browser_sandbox',
    'isolation',
    'home',
    'disk_space',
    'socket_folder',
    'web_sessions',
    'videos',
    'emoji_in_pictures',
    'cjk_in_pictures',
    'host',
  ])
  expect(fs.readdirSync(home.root)).toEqual(['run'])
  expect(await home.ok('doctor')).toMatch(/^ok +node +v\d/)
})

test('a running host is named, and left as it is', async () => {
  const id = await home.ok('create', '--', 'cat')
  const before = fs.readdirSync(home.path)
  const { code, report } = await examine()
  expect(code).toBe(0)
  expect(report.checks.at(-1)?.found).toBe(
    `pid ${home.host().pid}, version ${VERSION}, protocol 1, 1 active sessions`,
  )
  expect(fs.readdirSync(home.path)).toEqual(before)
  expect(await home.json('inspect', id)).toMatchObject({ status: 'running' })
})

test('a host that does not answer has failed', async () => {
  await home.startHost()
  const { pid } = home.host()
  process.kill(pid, 'SIGSTOP')
  try {
    const { code, troubles } = await examine()
    expect([code, troubles['host']]).toMatchObject([69, { status: 'failed' }])
  } finally {
    process.kill(pid, 'SIGCONT')
  }
})

test('a folder that is not a Home has failed, with what to do; the first host would fail too', async () => {
  fs.mkdirSync(home.path)
  fs.writeFileSync(path.join(home.path, 'thesis.txt'), '')
  const { code, troubles } = await examine()
  expect([code, Object.keys(troubles)]).toEqual([69, ['home']])
  expect(troubles['home']?.found).toContain('is not a Home')
  expect(fs.readdirSync(home.path)).toEqual(['thesis.txt'])
  const { code: forPeople, stdout } = await home.run(['doctor'])
  expect([forPeople, stdout]).toEqual([69, expect.stringMatching(/^failed +home .*\n +→ choose another/m)])
})

test('a Home that others can read degrades, and so does a locale without UTF-8', async () => {
  await home.startHost()
  fs.chmodSync(home.path, 0o755)
  const { code, troubles } = await examine({ env: { LC_ALL: 'C' } })
  expect([code, troubles]).toMatchObject([
    0,
    { home: { status: 'degraded', advice: `chmod 700 ${home.path}` }, locale: { status: 'degraded' } },
  ])
})

test('a socket folder that others may enter, or with too long a path, has failed', async () => {
  const folder = path.join(home.root, 'run', 'transom')
  fs.mkdirSync(folder)
  fs.chmodSync(folder, 0o777)
  expect((await examine()).troubles['socket_folder']).toMatchObject({
    status: 'failed',
    found: expect.stringContaining('open to others'),
  })
  const long = path.join(home.root, 'x'.repeat(100))
  fs.mkdirSync(long, { mode: 0o700 })
  expect((await examine({ env: { XDG_RUNTIME_DIR: long } })).troubles['socket_folder']).toMatchObject({
    status: 'failed',
    found: expect.stringContaining('bytes'),
  })
})

test('an installation without its native parts is told from one that works', async () => {
  const copy = path.join(home.root, 'copy')
  fs.cpSync(path.dirname(CLI), copy, { recursive: true })
  const program = path.join(copy, 'cli.cjs')
  const { code, troubles } = await examine({ program })
  expect([code, Object.keys(troubles)]).toEqual([
    69,
    ['ffi', 'pty_binding', 'pty', 'process_marks', 'subreaper'],
  ])
  expect(troubles['ffi']).toMatchObject({ found: expect.stringContaining('koffi') })
  fs.rmSync(path.join(copy, 'doctor.mjs'))
  expect(await home.run(['doctor'], { program })).toMatchObject({
    code: 69,
    stderr: expect.stringContaining('the checks could not be run'),
  })
})

needsThat(canMount(), 'the right to mount a file system')(
  'a small disk degrades, a full one has failed',
  async () => {
    const disk = path.join(home.root, 'disk')
    for (const [sizeBytes, status] of [
      [8 << 20, 'degraded'],
      [512 << 10, 'failed'],
    ] as const) {
      mountTmpfs(disk, sizeBytes)
      try {
        const { troubles } = await examine({ env: { TRANSOM_HOME: path.join(disk, 'home') } })
        expect(troubles['disk_space']?.status).toBe(status)
      } finally {
        await unmount(disk)
      }
    }
  },
)
