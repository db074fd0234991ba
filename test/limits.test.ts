import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Result } from '@transom/protocol'
import { StoredEvents } from '../packages/transom/src/log/stored-events.ts'
import { TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'

type Info = Result<'session.inspect'>
const QUOTA = 300_000
/** A pty holds some tens of kilobytes that are read after the quota has been seen. */
const SLACK = 200_000

let home: TestHome

beforeEach(() => {
  home = new TestHome()
})

afterEach(async () => {
  await home.close()
})

async function paused(id: string): Promise<Info> {
  return until('the session is paused', async () => {
    const info = await home.json<Info>('inspect', id)
    return info.paused === 'quota' && info
  })
}

describe('a session at its quota', () => {
  test('is paused with its log whole, goes on when the quota is raised, and can be destroyed', async () => {
    const id = await home.ok('create', '--quota-bytes', String(QUOTA), '--', 'yes')
    const { log } = await paused(id)
    expect(log.bytes).toBeGreaterThan(QUOTA)
    expect(log.bytes).toBeLessThan(QUOTA + SLACK)
    expect(await home.ok('snapshot', id)).toContain('y\ny')
    await home.ok('quota', id, '--bytes', String(QUOTA * 3))
    await until('it has gone on', async () => (await home.json<Info>('inspect', id)).log.bytes > QUOTA * 3)
    expect((await paused(id)).log.bytes).toBeLessThan(QUOTA * 3 + SLACK)
    await home.ok('destroy', id)
    expect(await StoredEvents.at(path.dirname(home.logPath(id))).extent()).toMatchObject({ tail: 'none' })
  })

  test('is ended where that is the policy', async () => {
    const id = await home.ok('create', '--quota-bytes', String(QUOTA), '--quota-policy', 'end', '--', 'yes')
    await home.ok('wait', id, '--exit')
    await until('it is destroyed', async () => (await home.json<Info>('inspect', id)).status === 'destroyed')
    expect(await home.json('inspect', id)).toMatchObject({ ended_by: 'quota' })
    expect(fs.statSync(home.logPath(id)).size).toBeLessThan(QUOTA + SLACK)
  })

  test('goes on where nothing is to be dropped', async () => {
    const id = await home.ok(
      'create',
      '--quota-bytes',
      '1000',
      '--quota-policy',
      'drop_nothing',
      '--',
      'seq',
      '100000',
    )
    await home.ok('wait', id, '--exit')
    expect((await home.json<Info>('inspect', id)).log.bytes).toBeGreaterThan(500_000)
  })

  test('a program that ends while it is paused is seen to end, with its last bytes', async () => {
    const script = 'head -c 400000 /dev/zero | tr "\\0" x; printf "the end"'
    const id = await home.ok('create', '--quota-bytes', '1000', '--', 'sh', '-c', script)
    const { pid } = await paused(id)
    process.kill(pid ?? 0, 'SIGKILL')
    await home.ok('wait', id, '--exit')
    expect(await home.json('inspect', id)).toMatchObject({ status: 'exited', exit: { signal: 'SIGKILL' } })
  })
})

test('all sessions of a Home together keep to its quota, and go on when there is room again', async () => {
  fs.mkdirSync(home.path, { mode: 0o700 })
  fs.writeFileSync(`${home.path}/config.json`, JSON.stringify({ quota: { home_bytes: QUOTA * 2 } }))
  const done = await home.ok('create', '--', 'sh', '-c', `head -c ${QUOTA} /dev/zero | tr "\\0" x`)
  await home.ok('wait', done, '--exit')
  const id = await home.ok('create', '--', 'yes')
  const { log } = await paused(id)
  expect(log.bytes).toBeLessThan(QUOTA + SLACK)
  await home.ok('gc')
  await until('it has gone on', async () => (await home.json<Info>('inspect', id)).log.bytes > QUOTA + SLACK)
})

test('a session that nobody uses ends by itself, and one in use does not', async () => {
  const idle = await home.ok('create', '--idle-timeout', '300', '--', 'cat')
  const busy = await home.ok(
    'create',
    '--idle-timeout',
    '5000',
    '--',
    'sh',
    '-c',
    'while :; do echo x; sleep 0.1; done',
  )
  await home.ok('wait', idle, '--exit')
  await until('it is destroyed', async () => (await home.json<Info>('inspect', idle)).status === 'destroyed')
  expect(await home.json('inspect', idle)).toMatchObject({ ended_by: 'idle_timeout' })
  expect(await home.json('inspect', busy)).toMatchObject({ status: 'running', ended_by: null })
})
