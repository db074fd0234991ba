import * as os from 'node:os'
import { expect, test } from 'vitest'
import { darwin } from '../platform/darwin.ts'
import { linux } from '../platform/linux.ts'
import { runChecks } from './check.ts'
import { systemChecks, type System } from './system-checks.ts'

const here: System = {
  nodeVersion: 'v20.0.0',
  name: 'linux',
  platform: linux,
  arch: 'x64',
  env: { PATH: '/usr/bin:/bin' },
  folder: os.tmpdir(),
}

async function statusOf(name: string, system: Partial<System>) {
  const checks = systemChecks({ ...here, ...system }).filter((check) => check.name === name)
  const [result] = await runChecks(checks)
  return result?.status
}

test.each<[string, Partial<System>, string]>([
  ['node', {}, 'ok'],
  ['node', { nodeVersion: 'v18.20.1' }, 'failed'],
  ['platform', {}, 'ok'],
  ['platform', { name: 'darwin', platform: darwin }, 'degraded'],
  ['platform', { name: 'win32', platform: null }, 'failed'],
  ['proc', {}, 'ok'],
  ['adopt_orphans', { name: 'darwin', platform: darwin }, 'degraded'],
  ['locale', {}, 'ok'],
  ['locale', { env: { LANG: 'de_DE.utf8' } }, 'ok'],
  ['locale', { env: { LANG: 'C.UTF-8', LC_ALL: 'POSIX' } }, 'degraded'],
  ['file_notices', {}, 'ok'],
  ['file_notices', { folder: '/nowhere' }, 'failed'],
])('%s with %j is %s', async (name, system, status) => {
  expect(await statusOf(name, system)).toBe(status)
})

test('the doctor lists everything that macOS lacks, with its effect', async () => {
  const checks = systemChecks({ ...here, name: 'darwin', platform: darwin })
  const results = await runChecks(checks)
  const effects = Object.values(darwin.lacks)
  expect(effects.length).toBeGreaterThan(5)
  expect(results.filter(({ found }) => effects.includes(found)).length).toBe(effects.length)
  expect(results.map(({ check }) => check)).not.toContain('proc')
})

test('a check that throws has failed, and the others go on', async () => {
  const results = await runChecks([
    {
      name: 'broken',
      run: () => {
        throw new Error('boom')
      },
    },
    { name: 'fine', run: () => ({ status: 'ok', found: 'it', advice: null }) },
  ])
  expect(results).toMatchObject([
    { check: 'broken', status: 'failed', found: 'boom' },
    { check: 'fine', status: 'ok' },
  ])
})
