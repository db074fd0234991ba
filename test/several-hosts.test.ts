import * as path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OpError, Result } from '@transom/protocol'
import { linux } from '../packages/transom/src/platform/linux.ts'
import { buildAll } from '../scripts/build.mjs'
import { TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'

type Status = Result<'host.status'>

/** This program, as a release with another protocol would be. Below node_modules, so that it finds its packages. */
const NEXT = fileURLToPath(new URL('../node_modules/.cache/transom-next', import.meta.url))
const next = { program: path.join(NEXT, 'cli.cjs') }

let home: TestHome

beforeEach(() => {
  home = new TestHome()
})

afterEach(async () => {
  await home.run(['host', 'stop', '--force'], next)
  await home.close()
})

describe('a dedicated session', () => {
  test('has a host of its own, and every command finds it', async () => {
    const plain = await home.ok('create', '--', 'cat')
    const own = await home.ok('create', '--dedicated', '--name', 'own', '--', 'cat')
    expect(await home.json<Status>('host', 'status')).toMatchObject({ sessions: 1 })
    await home.ok('type', 'own', 'hello', '--enter')
    await home.ok('wait', 'own', '--regex', 'hello\nhello', '--after-input')
    expect(await home.ok('snapshot', own)).toBe('hello\nhello')
    expect((await home.ok('list')).split('\n')).toHaveLength(3)
    await home.ok('destroy', 'own')
    expect(await home.json('inspect', own)).toMatchObject({ status: 'destroyed' })
    expect(await home.json('inspect', plain)).toMatchObject({ status: 'running' })
  })

  test('survives the host of its Home, and is seen to fail when its own is killed', async () => {
    const own = await home.ok('create', '--dedicated', '--', 'cat')
    process.kill(home.host().pid, 'SIGKILL')
    await home.ok('type', own, 'still here', '--enter')
    await home.ok('wait', own, '--text', 'still here')
    const client = await home.connect()
    const refused = await client.call('session.inspect', { session: own }).catch((error: unknown) => error)
    client.close()
    expect(refused).toMatchObject({ code: 'session_elsewhere', details: { session: own, protocol: 1 } })
    const { pid } = (await home.json<Result<'session.inspect'>>('inspect', own)) as { pid: number }
    const { socket } = (refused as OpError).details as { socket: string }
    const hostPid = Number(/-(\d+)\.sock$/.exec(socket)?.[1])
    process.kill(hostPid, 'SIGKILL')
    await until('the program is gone', () => [undefined, 'Z'].includes(linux.processFacts(pid)?.state))
    await until('it is failed', async () => (await home.json('inspect', own))['status'] === 'failed')
  })
})

describe('after an upgrade', () => {
  beforeAll(async () => {
    const version = (text: string) => text.replace(/PROTOCOL_VERSION = \d+/, 'PROTOCOL_VERSION = 2')
    await buildAll({ dist: NEXT, edits: { 'packages/protocol/src/version.ts': version } })
  })

  test('the old host keeps its sessions, new ones start on a new host, and both are told', async () => {
    const old = await home.ok('create', '--name', 'old', '--', 'cat')
    const created = await home.run(['create', '--name', 'new', '--', 'cat'], next)
    expect([created.code, created.stderr]).toEqual([
      0,
      expect.stringContaining('protocol 1) keeps its sessions'),
    ])
    const list = await home.run(['list', '--json'], next)
    expect(JSON.parse(list.stdout)).toMatchObject({
      sessions: [{ name: 'old', status: 'running' }, { name: 'new' }],
    })
    const crossed = await home.run(['type', 'old', 'x'], next)
    expect([crossed.code, crossed.stderr]).toEqual([69, expect.stringContaining('speaks protocol 1')])
    await home.ok('type', old, 'still served', '--enter')
    await home.ok('wait', old, '--text', 'still served')
    await home.ok('destroy', old)
    expect((await home.run(['snapshot', 'old'], next)).stdout).toContain('still served')
  })
})
