import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { linux } from '../packages/transom/src/platform/linux.ts'
import { needsThat } from './support/needs.ts'
import { CLI, TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'

let home: TestHome

beforeEach(() => {
  home = new TestHome()
})

afterEach(async () => {
  await home.close()
})

describe('the host', () => {
  test('is started by the first command, once, and named after its Home', async () => {
    const status = await home.run(['host', 'status'])
    expect([status.code, status.stderr]).toEqual([69, expect.stringContaining('no host is running')])
    await home.startHost()
    const { pid } = home.host()
    await home.startHost()
    expect(home.host().pid).toBe(pid)
    expect(fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1')).toContain(`transom host ${home.path}`)
    expect(await home.json('host', 'status')).toMatchObject({
      pid,
      sessions: 0,
      home: home.path,
      protocol: 1,
    })
  })

  test('leaves when it has had nothing to do for a while, and the next command starts another', async () => {
    const env = { TRANSOM_HOST_IDLE_MS: '50' }
    const { stdout } = await home.run(['create', '--json', '--', 'cat'], { env })
    const { pid, socket } = home.host()
    await home.ok('destroy', (JSON.parse(stdout) as { session: string }).session)
    await processEnd(pid)
    expect(fs.existsSync(socket)).toBe(false)
    expect((await home.run(['list'], { env })).code).toBe(0)
  })

  test('stays while a session is active, and says so when told to stop', async () => {
    const id = await home.ok('create', '--', 'cat')
    const refused = await home.run(['host', 'stop'])
    expect([refused.code, refused.stderr]).toEqual([69, expect.stringContaining('one session is active')])
    const { pid } = home.host()
    expect(await home.json('host', 'stop', '--force')).toEqual({ stopped: true, destroyed: 1 })
    await processEnd(pid)
    expect(await home.json('inspect', id)).toMatchObject({ status: 'destroyed' })
  })

  test('ends its sessions in order when it is terminated', async () => {
    const id = await home.ok('create', '--', 'cat')
    const { pid } = home.host()
    process.kill(pid, 'SIGTERM')
    await processEnd(pid)
    expect(await home.json('inspect', id)).toMatchObject({ status: 'destroyed', failure: null })
  })

  test('that was started from inside a session outlives that session', async () => {
    const inner = path.join(home.root, 'inner')
    const id = await home.ok(
      'create',
      '--env',
      `TRANSOM_HOME=${inner}`,
      '--',
      process.execPath,
      CLI,
      'create',
      '--',
      'cat',
    )
    await home.ok('wait', id, '--exit')
    await home.ok('destroy', id)
    const listed = await home.run(['--home', inner, 'list', '--json'])
    expect(JSON.parse(listed.stdout)).toMatchObject({ sessions: [{ status: 'running', command: ['cat'] }] })
    await home.run(['--home', inner, 'host', 'stop', '--force'])
  })
})

const asRoot = needsThat(process.getuid?.() === 0, 'root')

asRoot('another user is refused, even where the socket can be reached', async () => {
  await home.startHost()
  const { socket } = home.host()
  // Open every door but the last: the host itself asks the kernel who is there.
  for (let folder = path.dirname(socket); folder.startsWith(home.root); folder = path.dirname(folder))
    fs.chmodSync(folder, 0o755)
  fs.chmodSync(socket, 0o777)
  const ask = `require('net').connect(process.argv[1]).on('data', (data) => process.stdout.write(data))`
  const { stdout } = spawnSync(
    'setpriv',
    ['--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, '-e', ask, socket],
    {
      encoding: 'utf8',
    },
  )
  expect(JSON.parse(stdout)).toMatchObject({ error: { data: { code: 'socket_untrusted' } } })
})

test('agent-tty is the same program under another name', async () => {
  const link = path.join(home.root, 'agent-tty')
  fs.symlinkSync(CLI, link)
  expect((await home.run(['--version'], { program: link })).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect((await home.run(['create', '--help'], { program: link })).stdout).toContain(
    'agent-tty create -- bash',
  )
  expect((await home.run(['nope'], { program: link })).stderr).toMatch(/^agent-tty: unknown command "nope"/)
  const id = await home.ok('create', '--', 'cat')
  const typed = await home.run(['send-keys', id, 'h', 'i', 'Enter'], { program: link })
  expect([typed.code, typed.stderr]).toEqual([0, ''])
  await home.ok('wait', id, '--regex', 'hi\\s+hi')
  const { stdout } = await home.run(['snapshot', id, '--format', 'text'], { program: link })
  expect(stdout).toBe('hi\nhi\n')
})

/** Resolves when a process that is not ours to wait for has ended. */
async function processEnd(pid: number): Promise<void> {
  await until(`process ${pid} ends`, () => [undefined, 'Z'].includes(linux.processFacts(pid)?.state))
}
