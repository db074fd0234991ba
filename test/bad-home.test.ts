import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { HOST_LOCK_FILE } from '../packages/transom/src/home/home-path.ts'
import { EventStore } from '../packages/transom/src/log/event-store.ts'
import { NOBODY, asNobody, nobodyCanRun } from './support/as-nobody.ts'
import { canMount, mountTmpfs, remountReadOnly, remountWritable, unmount } from './support/mounts.ts'
import { needsThat } from './support/needs.ts'
import { processesWith } from './support/processes.ts'
import { CLI, TestHome, type CliResult } from './support/test-home.ts'
import { until } from './support/until.ts'

let home: TestHome
let onOwnDisk = false

beforeEach(() => {
  home = new TestHome()
  onOwnDisk = false
})

afterEach(async () => {
  await home.run(['host', 'stop', '--force'])
  if (onOwnDisk) await unmount(home.path)
  await home.close()
})

/** Puts the Home on a disk of its own. */
function mountHome(): void {
  mountTmpfs(home.path, 4 << 20)
  onOwnDisk = true
}

/** A run that failed, for an assertion that shows all of it. */
function refusal(exit: number, ...words: string[]): CliResult {
  const inOrder = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[^]*')
  return { code: exit, stdout: '', stderr: expect.stringMatching(inOrder) as string }
}

async function errorCode(...args: string[]): Promise<string> {
  return (await home.json<{ error: { code: string } }>(...args)).error.code
}

test('a folder with other files in it is not made a Home', async () => {
  fs.mkdirSync(home.path)
  fs.writeFileSync(path.join(home.path, 'thesis.txt'), 'precious')
  expect(await home.run(['create', '--', 'cat'])).toEqual(
    refusal(65, home.path, 'it has other files in it', '--home'),
  )
  expect(await errorCode('list')).toBe('home_foreign')
  expect(fs.readdirSync(home.path)).toEqual(['thesis.txt'])
})

test('a Home that is not there has no sessions, and looking for them does not make it', async () => {
  const { code, stdout, stderr } = await home.run(['list'])
  expect([code, stdout.split('\n').length]).toEqual([0, 2])
  expect(stderr).toContain(`there is no Home at ${home.path}`)
  expect(await home.json('list')).toEqual({ sessions: [] })
  expect(await home.run(['type', 'edit', 'x'])).toEqual(refusal(66, 'no session "edit"', home.path))
  expect(await home.run(['exec', 'edit', 'cat'])).toEqual(refusal(66, 'no session "edit"', home.path))
  expect(await home.run(['watch', 'edit', '--on', 'exit'])).toEqual(refusal(66, 'no session "edit"'))
  expect(fs.existsSync(home.path)).toBe(false)
})

test('a Home of another version or kind is not touched', async () => {
  fs.mkdirSync(home.path)
  const file = path.join(home.path, 'home.json')
  for (const content of [
    '{"format":"transom-home","version":2}',
    '{"format":"other","version":1}',
    '{}',
    'null',
    'not JSON',
    '',
  ]) {
    fs.writeFileSync(file, content)
    expect(await home.run(['list'])).toEqual(refusal(65, home.path, 'home.json', '--home'))
    expect(await errorCode('list')).toBe('home_foreign')
    expect(fs.readdirSync(home.path)).toEqual(['home.json'])
    expect(fs.readFileSync(file, 'utf8')).toBe(content)
  }
})

test('a file is not a Home', async () => {
  fs.writeFileSync(home.path, '')
  expect(await home.run(['list'])).toEqual(refusal(65, home.path, 'it is not a folder'))
})

test('a Home below a file cannot be made', async () => {
  const file = path.join(home.root, 'file')
  fs.writeFileSync(file, '')
  expect(await home.run(['list', '--home', path.join(file, 'home')])).toEqual(
    refusal(65, 'it is not a folder'),
  )
})

test('a Home is this user’s alone', async () => {
  await home.startHost()
  expect(fs.statSync(home.path).mode & 0o777).toBe(0o700)
  expect(fs.statSync(home.host().socket).mode & 0o777).toBe(0o600)
  expect(fs.statSync(path.dirname(home.host().socket)).mode & 0o777).toBe(0o700)
})

needsThat(canMount(), 'the right to mount a file system')(
  'a Home on a read-only disk is refused',
  async () => {
    mountHome()
    await remountReadOnly(home.path)
    expect(await home.run(['create', '--', 'cat'])).toEqual(refusal(77, home.path, 'EROFS', 'TRANSOM_HOME'))
    expect(await errorCode('create', '--', 'cat')).toBe('home_unwritable')
    await until('no host is left', () => processesWith(`transom host ${home.path}`).length === 0)
  },
)

needsThat(canMount(), 'the right to mount a file system')(
  'a Home whose disk has become read-only is refused, with its sessions as they were',
  async () => {
    mountHome()
    await home.ok('create', '--name', 'old', '--', 'sh', '-c', 'echo kept')
    await home.ok('wait', 'old', '--exit')
    await home.ok('host', 'stop')
    await remountReadOnly(home.path)
    expect(await home.run(['create', '--', 'cat'])).toEqual(refusal(77, home.path))
    await remountWritable(home.path)
    expect(await home.ok('snapshot', 'old')).toBe('kept')
  },
)

needsThat(nobodyCanRun(), 'root, and a Node that every user can run')(
  'a Home that this user may not write to is refused',
  async () => {
    fs.chmodSync(home.root, 0o755)
    const runtime = path.join(home.root, 'run-nobody')
    fs.mkdirSync(runtime, { mode: 0o700 })
    fs.chownSync(runtime, NOBODY, NOBODY)
    await home.startHost()
    await home.ok('host', 'stop')
    for (const [target, mode] of [
      [home.path, 0o700],
      [home.path, 0o755],
      [path.join(home.root, 'not-there'), 0o755],
    ] as const) {
      fs.chmodSync(home.path, mode)
      const [command = '', ...args] = asNobody(process.execPath, CLI, 'create', '--home', target, '--', 'cat')
      const env = { ...home.env, XDG_RUNTIME_DIR: runtime, HOME: runtime }
      const run = spawnSync(command, args, { env, cwd: '/', encoding: 'utf8' })
      const seen = { code: run.status, stdout: run.stdout, stderr: run.stderr }
      const why = target === home.path ? 'it belongs to user 0' : 'EACCES'
      expect(seen).toEqual(refusal(77, target, why, '--home'))
    }
  },
)

/** One command of each way to a Home: by the host, by the gateway's program, by files alone. */
const EVERY_WAY = [
  ['list'],
  ['create', '--', 'cat'],
  ['home', 'list'],
  ['host', 'status'],
  ['host', 'stop'],
  ['watch', 's', '--on', 'exit'],
  ['snapshot', 's'],
  ['serve', '--listen', '127.0.0.1:0'],
  ['mcp'],
  ['token', 'create'],
  ['token', 'list'],
  ['login'],
]

needsThat(nobodyCanRun(), 'root, and a Node that every user can run')(
  'a Home that another user made is refused by every command, also by those of root',
  async () => {
    fs.mkdirSync(home.path, { mode: 0o777 })
    fs.writeFileSync(path.join(home.path, 'home.json'), '{"format":"transom-home","version":1}')
    fs.mkdirSync(path.join(home.path, 'sessions'))
    const tokens = path.join(home.path, 'gateway-tokens.json')
    fs.writeFileSync(tokens, '{"version":1,"tokens":[]}')
    for (const file of [home.path, tokens]) fs.chownSync(file, NOBODY, NOBODY)
    for (const args of EVERY_WAY) {
      expect([args, await home.run(args)]).toEqual([args, refusal(77, home.path, `user ${NOBODY}`, '--home')])
    }
    expect(await errorCode('list')).toBe('home_untrusted')
    expect(fs.readdirSync(home.path).toSorted()).toEqual(['gateway-tokens.json', 'home.json', 'sessions'])
    fs.chownSync(home.path, 0, 0)
    expect(await home.run(['serve', '--listen', '127.0.0.1:0'])).toEqual(refusal(77, tokens, `${NOBODY}`))
  },
)

test('a Home that others may write to is refused, also while its host runs', async () => {
  await home.startHost()
  fs.chmodSync(home.path, 0o777)
  for (const args of EVERY_WAY) {
    expect([args, await home.run(args)]).toEqual([args, refusal(77, home.path, 'mode 777', 'chmod go-w')])
  }
  fs.chmodSync(home.path, 0o700)
  await home.ok('list')
})

needsThat(nobodyCanRun(), 'root, and a Node that every user can run')(
  'another user who can reach the socket is not served',
  async () => {
    await home.ok('create', '--name', 's', '--', 'cat')
    const { socket } = home.host()
    // What no user should do, and what must not be enough.
    fs.chmodSync(home.root, 0o755)
    fs.chmodSync(path.join(home.root, 'run'), 0o755)
    fs.chmodSync(path.dirname(socket), 0o755)
    fs.chmodSync(socket, 0o666)
    const script = `
      const socket = require('net').connect(process.argv[1])
      socket.on('data', (data) => process.stdout.write(data))
      socket.on('error', (error) => process.stdout.write(error.code))
      socket.write('{"jsonrpc":"2.0","id":1,"method":"session.list"}\\n')`
    const [command = '', ...args] = asNobody(process.execPath, '-e', script, socket)
    const { stdout } = spawnSync(command, args, { encoding: 'utf8', cwd: '/', env: {} })
    expect(JSON.parse(stdout)).toMatchObject({ id: null, error: { data: { code: 'socket_untrusted' } } })
    expect(await home.ok('snapshot', 's')).toBe('')
  },
)

test('a runtime folder whose path is too long for a socket is named', async () => {
  const long = path.join(home.root, 'x'.repeat(60), 'y'.repeat(60))
  fs.mkdirSync(long, { recursive: true, mode: 0o700 })
  const run = await home.run(['create', '--', 'cat'], { env: { XDG_RUNTIME_DIR: long } })
  expect(run).toEqual(refusal(64, long, 'bytes', 'set XDG_RUNTIME_DIR'))
  const asJson = await home.run(['home', 'list', '--json'], { env: { XDG_RUNTIME_DIR: long } })
  expect(JSON.parse(asJson.stdout)).toMatchObject({ error: { code: 'socket_path_too_long' } })
  await until('no host is left', () => processesWith(`transom host ${home.path}`).length === 0)
  await home.startHost() // and nothing of it stands in the way of a good one
})

test('a Home with a long path works all the same', async () => {
  const deep = path.join(home.root, 'h'.repeat(100), 'i'.repeat(100))
  try {
    await home.ok('create', '--name', 's', '--home', deep, '--', 'cat')
    expect(await home.ok('snapshot', 's', '--home', deep)).toBe('')
  } finally {
    await home.ok('host', 'stop', '--force', '--home', deep)
  }
})

/** Where this Home's host listens. */
async function socketOf(): Promise<string> {
  await home.startHost()
  const { socket } = home.host()
  await home.ok('host', 'stop')
  return socket
}

test('a link or a file in the place of the socket is refused and left alone', async () => {
  const socket = await socketOf()
  const target = path.join(home.root, 'target')
  fs.writeFileSync(target, 'precious')
  const plants: (() => void)[] = [
    () => fs.symlinkSync(target, socket),
    () => fs.symlinkSync(path.join(home.root, 'nothing'), socket),
    () => fs.writeFileSync(socket, 'planted'),
    () => fs.mkdirSync(socket),
  ]
  for (const plant of plants) {
    plant()
    expect(await home.run(['create', '--', 'cat'])).toEqual(
      refusal(77, socket, 'perhaps planted there; remove it'),
    )
    expect(await errorCode('list')).toBe('socket_untrusted')
    expect(fs.lstatSync(socket).isSocket()).toBe(false)
    fs.rmSync(socket, { recursive: true })
  }
  expect(fs.readFileSync(target, 'utf8')).toBe('precious')
  await home.startHost()
})

test('a link in the place of a killed host’s socket is refused', async () => {
  await home.startHost()
  const { socket, pid } = home.host()
  process.kill(pid, 'SIGKILL')
  fs.rmSync(socket)
  fs.symlinkSync('/dev/null', socket)
  expect(await home.run(['list'])).toEqual(refusal(77, socket))
  fs.rmSync(socket)
  await home.startHost()
})

test('a socket folder that others could enter is refused', async () => {
  const folder = path.dirname(await socketOf())
  fs.chmodSync(folder, 0o777)
  expect(await home.run(['create', '--', 'cat'])).toEqual(refusal(77, folder, 'is open to others (mode 777)'))
  expect(await errorCode('list')).toBe('socket_untrusted')
  fs.chmodSync(folder, 0o700)
  await home.startHost()
})

test('a socket folder that is a link is refused', async () => {
  const folder = path.dirname(await socketOf())
  const elsewhere = path.join(home.root, 'elsewhere')
  fs.mkdirSync(elsewhere, { mode: 0o700 })
  fs.rmSync(folder, { recursive: true })
  fs.symlinkSync(elsewhere, folder)
  expect(await home.run(['create', '--', 'cat'])).toEqual(refusal(77, folder, 'is not a folder but a link'))
  fs.rmSync(folder)
  await home.startHost()
})

test('a socket that a dead host left behind is no hindrance', async () => {
  await home.startHost()
  const { socket, pid } = home.host()
  process.kill(pid, 'SIGKILL')
  expect(fs.existsSync(socket)).toBe(true)
  await home.startHost()
  expect(home.host().socket).toBe(socket)
  expect(home.host().pid).not.toBe(pid)
})

test('lock files of a dead host that say nonsense are no hindrance', async () => {
  await home.ok('create', '--name', 's', '--', 'cat')
  await home.ok('host', 'stop', '--force')
  fs.writeFileSync(path.join(home.path, HOST_LOCK_FILE), '{"socket": 5')
  await home.startHost()
  await home.ok('host', 'stop')
  fs.writeFileSync(path.join(home.path, HOST_LOCK_FILE), '{"socket":"/nowhere","pid":1}')
  expect(await home.ok('list', '--all')).toContain('destroyed')
})

test('a session folder with nonsense in it does not hide the others', async () => {
  await home.ok('create', '--name', 's', '--', 'true')
  await home.ok('wait', 's', '--exit')
  const sessions = path.join(home.path, 'sessions')
  fs.mkdirSync(path.join(sessions, 'empty'))
  fs.mkdirSync(path.join(sessions, 'broken'))
  fs.writeFileSync(path.join(sessions, 'broken', 'manifest.json'), '{"session": ')
  fs.writeFileSync(path.join(sessions, 'stray-file'), '')
  for (const stopped of [false, true]) {
    if (stopped) await home.ok('host', 'stop')
    expect((await home.json<{ sessions: unknown[] }>('list', '--all')).sessions).toHaveLength(1)
  }
})

test('a log that was cut or removed is told apart from a bug', async () => {
  const id = await home.ok('create', '--', 'sh', '-c', 'echo text')
  await home.ok('wait', id, '--exit')
  const log = home.logPath(id)
  fs.writeFileSync(log, 'this is no log, but long enough to look at')
  expect(await home.run(['snapshot', id])).toEqual(refusal(65, log))
  expect(await errorCode('snapshot', id)).toBe('log_corrupt')
  fs.rmSync(log)
  expect(await errorCode('snapshot', id)).toBe('log_corrupt')
  expect(await errorCode('inspect', id)).toBe('log_corrupt')
  expect(await errorCode('wait', id, '--text', 'x')).toBe('log_corrupt')
  await home.ok('list', '--all')
})

test('a log that cannot be opened, or has an exit that is none, does not hide the other sessions', async () => {
  const folder = await home.ok('create', '--name', 'folder', '--', 'cat')
  const exit = await home.ok('create', '--name', 'exit', '--', 'cat')
  const sound = await home.ok('create', '--name', 'sound', '--', 'echo', 'still here')
  await home.ok('wait', sound, '--exit')
  process.kill(home.host().pid, 'SIGKILL')
  fs.rmSync(home.logPath(folder))
  fs.mkdirSync(home.logPath(folder))
  const log = await until(
    'the host is gone',
    async () => (await EventStore.reopen(path.dirname(home.logPath(exit)), { now: Date.now })) ?? false,
  )
  log.append('exit', Buffer.from('{"code":"zero"}'))
  await log.close()
  const { sessions } = await home.json<{ sessions: { name: string; status: string; failure: string }[] }>(
    'list',
    '--all',
  )
  expect(sessions.map(({ name, status }) => [name, status])).toEqual([
    ['folder', 'failed'],
    ['exit', 'failed'],
    ['sound', 'exited'],
  ])
  expect(sessions[0]?.failure).toContain('EISDIR')
  expect(sessions[1]?.failure).toContain('exit')
  expect(await home.ok('snapshot', sound)).toContain('still here')
  expect(await errorCode('snapshot', folder)).toBe('log_corrupt')
})
