import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { loggedOutput } from './support/log-contents.ts'
import { canMount, fillDisk, growTmpfs, mountTmpfs, unmount } from './support/mounts.ts'
import { needsThat } from './support/needs.ts'
import { commandLinesWith, uniqueToken } from './support/processes.ts'
import { TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'

const DISK_BYTES = 2 << 20
const CAN_MOUNT = canMount()
const testOnSmallDisk = needsThat(CAN_MOUNT, 'the right to mount a file system')

let home: TestHome

beforeEach(() => {
  home = new TestHome()
  if (CAN_MOUNT) mountTmpfs(home.path, DISK_BYTES)
})

afterEach(async () => {
  fs.rmSync(path.join(home.path, 'filler'), { force: true })
  await home.run(['host', 'stop', '--force'])
  if (CAN_MOUNT) await unmount(home.path)
  await home.close()
})

testOnSmallDisk('on a full disk no session is created, and nothing of it is left', async () => {
  await home.startHost()
  const token = uniqueToken()
  fillDisk(home.path)
  const { code, stdout, stderr } = await home.run(['create', '--', 'sleep', `86400.${token}`])
  expect({ code, stdout }).toEqual({ code: 74, stdout: '' })
  expect(stderr).toContain('the disk is full; free some space')
  expect(await home.json('create', '--', 'sleep', `86400.${token}`)).toMatchObject({
    error: { code: 'disk_full', retryable: true },
  })
  expect(fs.readdirSync(path.join(home.path, 'sessions'))).toEqual([])
  expect(commandLinesWith(token)).toEqual([])
  fs.rmSync(path.join(home.path, 'filler'))
  await home.ok('create', '--', 'cat')
})

testOnSmallDisk('on a full disk a Home that is new is refused as such', async () => {
  fillDisk(home.path)
  fs.renameSync(path.join(home.path, 'filler'), path.join(home.path, 'host.filler'))
  const { code, stderr } = await home.run(['create', '--', 'cat'])
  expect({ code, stderr }).toEqual({
    code: 74,
    stderr: expect.stringContaining('the disk is full') as string,
  })
  fs.rmSync(path.join(home.path, 'host.filler'))
  await home.startHost()
})

testOnSmallDisk(
  'on a full disk no token and no login is made, and the tokens that there are stay',
  async () => {
    await home.ok('token', 'create', '--name', 'first')
    fillDisk(home.path)
    for (const args of [['token', 'create'], ['token', 'rotate', 'first'], ['login']])
      expect(await home.json(...args)).toMatchObject({ error: { code: 'disk_full', retryable: true } })
    fs.rmSync(path.join(home.path, 'filler'))
    expect(await home.ok('token', 'list')).toContain('first')
  },
)

testOnSmallDisk('input that cannot be recorded is refused, and not sent', async () => {
  await home.ok('create', '--name', 's', '--', 'cat')
  fillDisk(home.path)
  const { code, stderr } = await home.run(['type', 's', 'x'.repeat(8192)]) // more than the log's last page has room for
  expect({ code, stderr }).toEqual({
    code: 74,
    stderr: expect.stringContaining('the disk is full') as string,
  })
  expect(await home.ok('snapshot', 's')).toBe('')
  fs.rmSync(path.join(home.path, 'filler'))
  await home.ok('type', 's', 'works again', '--enter')
  await home.ok('wait', 's', '--text', 'works again\nworks again')
})

testOnSmallDisk('a flooding program pauses on a full disk and loses nothing', async () => {
  const lines = 400_000
  await home.ok('create', '--name', 'calm', '--', 'cat') // first: the other may have filled the disk by now
  const id = await home.ok('create', '--name', 'flood', '--', 'seq', String(lines)) // 3 MB with its \r\n
  const filler = path.join(home.path, 'sessions', 'filler') // tells when the disk is full
  await until('the disk is full', () => isFull(filler))
  // The sessions are unharmed: what needs no disk is answered.
  expect(await home.ok('snapshot', 'calm')).toBe('')
  expect(await home.json('inspect', 'flood')).toMatchObject({ status: 'running' })
  const logged = await loggedOutput(home.logPath(id))
  const expected = Buffer.from(Array.from({ length: lines }, (_, index) => `${index + 1}\r\n`).join(''))
  expect(logged.equals(expected.subarray(0, logged.length))).toBe(true)
  growTmpfs(home.path, 8 << 20)
  await home.ok('wait', 'flood', '--exit')
  expect(await home.json('inspect', 'flood')).toMatchObject({ status: 'exited', exit: { code: 0 } })
  expect((await loggedOutput(home.logPath(id))).equals(expected)).toBe(true)
  await home.ok('type', 'calm', 'still here', '--enter')
  await home.ok('wait', 'calm', '--text', 'still here\nstill here')
})

testOnSmallDisk('a program that ends on a full disk has its end recorded once there is room', async () => {
  const gate = path.join(home.root, 'gate')
  const script = `while [ ! -e ${gate} ]; do sleep 0.05; done; echo last words; exit 5`
  const id = await home.ok('create', '--name', 's', '--', 'sh', '-c', script)
  fillDisk(home.path)
  fs.writeFileSync(gate, '')
  const { pid } = await home.json<{ pid: number }>('inspect', 's')
  await until('the program has ended', () => !fs.existsSync(`/proc/${pid}/exe`))
  fs.rmSync(path.join(home.path, 'filler'))
  expect(await home.json('wait', 's', '--exit')).toMatchObject({ exit: { code: 5, signal: null } })
  expect((await loggedOutput(home.logPath(id))).toString()).toBe('last words\r\n')
})

testOnSmallDisk('a session is destroyed while the disk is full, and is known to be', async () => {
  const token = uniqueToken()
  const id = await home.ok('create', '--name', 's', '--', 'sh', '-c', `sleep 86400.${token} & yes`)
  await until('the disk is full', () => isFull(path.join(home.path, 'sessions', 'filler')))
  const destroyed = await home.run(['destroy', 's', '--json'])
  expect(destroyed.code).toBe(0)
  expect(JSON.parse(destroyed.stdout)).toMatchObject({ session: id, status: 'destroyed' })
  expect(commandLinesWith(token)).toEqual([])
  expect(await home.json('list')).toEqual({ sessions: [] })
  growTmpfs(home.path, 8 << 20)
  expect(await home.json('inspect', id)).toMatchObject({ status: 'destroyed', pid: null })
  expect(await home.ok('snapshot', id)).toContain('y\ny')
  await home.ok('host', 'stop')
  expect(await home.json('inspect', id)).toMatchObject({ status: 'destroyed' })
})

testOnSmallDisk('a host killed on a full disk leaves logs that the next one can use', async () => {
  const id = await home.ok('create', '--', 'yes')
  await until('the disk is full', () => isFull(path.join(home.path, 'sessions', 'filler')))
  process.kill(home.host().pid, 'SIGKILL')
  growTmpfs(home.path, 8 << 20)
  expect(await home.json('inspect', id)).toMatchObject({ status: 'failed' })
  expect(await home.ok('snapshot', id)).toContain('y\ny')
  await loggedOutput(home.logPath(id))
})

/** Whether the disk takes no more, by trying. */
function isFull(probe: string): boolean {
  try {
    fs.writeFileSync(probe, Buffer.alloc(16 << 10)) // more than the largest record of a flood, which is left out whole
    return false
  } catch {
    return true
  } finally {
    fs.rmSync(probe, { force: true })
  }
}
