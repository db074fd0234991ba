import { spawn, spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Result } from '@transom/protocol'
import { HOST_LOCK_FILE } from '../packages/transom/src/home/home-path.ts'
import { encodeRecordHeader } from '../packages/transom/src/log/record.ts'
import { loggedOutput, readLog } from './support/log-contents.ts'
import { needsThat } from './support/needs.ts'
import { processesWith } from './support/processes.ts'
import { CLI, TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'

const DAY_MS = 86_400_000
/** Creates and destroys that everything else goes on beside. */
const ROUNDS = process.env['TRANSOM_FULL'] === '1' ? 200 : 40

let home: TestHome

beforeEach(() => {
  home = new TestHome()
})

afterEach(async () => {
  await home.close()
})

/** A session that has ended after printing this; returns its id. */
async function endedSession(output = 'text', ...flags: string[]): Promise<string> {
  const id = await home.ok('create', ...flags, '--', 'printf', '%s', output)
  await home.ok('wait', id, '--exit')
  return id
}

/** Changes the manifest of an ended session. */
function rewriteManifest(id: string, change: object): void {
  const file = path.join(home.path, 'sessions', id, 'manifest.json')
  fs.writeFileSync(file, JSON.stringify({ ...JSON.parse(fs.readFileSync(file, 'utf8')), ...change }))
}

async function errorCode(...args: string[]): Promise<string> {
  return (await home.json<{ error: { code: string } }>(...args)).error.code
}

async function stopHost(): Promise<void> {
  await home.ok('host', 'stop')
  await until('the host has left', () => processesWith(`transom host ${home.path}`).length === 0)
}

function setImmutable(file: string, immutable: boolean): boolean {
  return spawnSync('chattr', [immutable ? '+i' : '-i', file]).status === 0
}

function canMakeImmutable(): boolean {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'transom-immutable-')), 'file')
  fs.writeFileSync(file, '')
  const works = setImmutable(file, true)
  if (works) setImmutable(file, false)
  fs.rmSync(path.dirname(file), { recursive: true })
  return works
}

describe('config.json', () => {
  function configure(content: string): void {
    fs.mkdirSync(home.path, { recursive: true })
    fs.writeFileSync(path.join(home.path, 'config.json'), content)
  }

  test('may be there before the Home, and says how large a session is', async () => {
    configure('{"session": {"cols": 101, "rows": 31}}')
    await home.ok('create', '--name', 'plain', '--', 'cat')
    expect(await home.json('inspect', 'plain')).toMatchObject({ cols: 101, rows: 31 })
    await home.ok('create', '--name', 'other', '--rows', '5', '--', 'cat')
    expect(await home.json('inspect', 'other')).toMatchObject({ cols: 101, rows: 5 })
  })

  test('says when an idle host leaves', async () => {
    configure('{"host": {"idle_ms": 1000}}')
    await home.startHost()
    const hosts = () => processesWith(`transom host ${home.path}`)
    expect(hosts()).toHaveLength(1)
    await until('the host has left', () => hosts().length === 0)
  })

  test('that cannot be used keeps the host from starting, and says which key, value and file', async () => {
    configure('{"session": {"cols": 1, "width": 80}}')
    const { code, stderr } = await home.run(['create', '--', 'cat'])
    expect({ code, stderr }).toEqual({
      code: 65,
      stderr: expect.stringMatching(
        /config\.json cannot be used: session\.cols: .*\(got 1\).*session\.width/,
      ),
    })
    expect(await errorCode('list')).toBe('config_invalid')
    await until('no host stays', () => processesWith(`transom host ${home.path}`).length === 0)
    configure('{}')
    await home.startHost()
  })
})

describe('the Home Registry', () => {
  const registry = () => path.join(home.root, 'state', 'transom', 'homes.json')
  const otherHome = (name: string) => path.join(home.root, name)

  async function listed(...flags: string[]): Promise<string[]> {
    const { homes } = await home.json<Result<'home.list'>>('home', 'list', ...flags)
    return homes.map((entry) => path.basename(entry.home)).toSorted()
  }

  async function stopOther(name: string): Promise<void> {
    await home.run(['--home', otherHome(name), 'host', 'stop', '--force'])
  }

  test('gets a Home when it hosts its first session, and lists the active ones', async () => {
    expect(await listed('--all')).toEqual([])
    await home.ok('create', '--name', 'work', '--', 'cat')
    expect(await listed()).toEqual(['home'])
    await home.ok('--home', otherHome('second'), 'create', '--', 'cat')
    expect(await listed()).toEqual(['home', 'second'])
    await home.ok('destroy', 'work')
    expect(await listed()).toEqual(['second'])
    expect(await listed('--all')).toEqual(['home', 'second'])
    const text = await home.ok('home', 'list', '--all')
    expect(text).toMatch(/^HOME +ACTIVE +SESSIONS +SINCE\n.*home +0 +1 +20.*\n.*second +1 +1 +20/)
    await stopOther('second')
    expect(await listed()).toEqual([])
  })

  test('forgets a Home on request, which gates nothing, until its next session', async () => {
    const id = await home.ok('create', '--', 'cat')
    expect(await home.json('home', 'forget', home.path)).toEqual({ home: home.path, forgotten: true })
    expect(await listed('--all')).toEqual([])
    expect(await home.json('inspect', id)).toMatchObject({ status: 'running' })
    expect(await home.ok('home', 'forget', 'home')).toBe(`${home.path} was not in the Home Registry`)
    await home.ok('create', '--', 'cat')
    expect(await listed()).toEqual(['home'])
    fs.symlinkSync(home.path, path.join(home.root, 'link'))
    expect(await home.json('home', 'forget', 'link')).toMatchObject({ forgotten: true })
  })

  test('tells a session whose host was killed from an active one', async () => {
    await home.ok('--home', otherHome('killed'), 'create', '--', 'cat')
    expect(await listed()).toEqual(['killed'])
    const lock = fs.readFileSync(path.join(otherHome('killed'), HOST_LOCK_FILE), 'utf8')
    process.kill((JSON.parse(lock) as { pid: number }).pid, 'SIGKILL')
    await until('the killed host’s locks are free', async () => (await listed()).length === 0)
    expect(await listed('--all')).toEqual(['killed'])
  })

  test('prunes a Home whose folder or sessions are gone, and removes no folder', async () => {
    await home.ok('--home', otherHome('vanished'), 'create', '--', 'true')
    await stopOther('vanished')
    await home.ok('--home', otherHome('emptied'), 'create', '--name', 'x', '--', 'true')
    await home.ok('--home', otherHome('emptied'), 'wait', 'x', '--exit')
    expect(await listed('--all')).toEqual(['emptied', 'vanished'])
    fs.rmSync(otherHome('vanished'), { recursive: true })
    await home.ok('--home', otherHome('emptied'), 'gc')
    expect(await listed('--all')).toEqual([])
    expect(fs.readFileSync(registry(), 'utf8')).not.toContain('vanished')
    expect(fs.existsSync(path.join(otherHome('emptied'), 'home.json'))).toBe(true)
    await home.ok('--home', otherHome('emptied'), 'create', '--', 'true')
    expect(await listed('--all')).toEqual(['emptied'])
    await stopOther('emptied')
  })

  test.each(['not JSON', '{"version": 1}', ''])('with %j in it is replaced, not fatal', async (content) => {
    fs.mkdirSync(path.dirname(registry()), { recursive: true })
    fs.writeFileSync(registry(), content)
    expect(await listed('--all')).toEqual([])
    await home.ok('create', '--', 'cat')
    expect(await listed()).toEqual(['home'])
  })

  test('that cannot be written keeps no session from starting', async () => {
    fs.writeFileSync(path.join(home.root, 'state'), 'a file in its place')
    const id = await home.ok('create', '--', 'cat')
    expect(await home.json('inspect', id)).toMatchObject({ status: 'running' })
    expect(await listed('--all')).toEqual([])
  })

  test('has every Home when eight hosts enter theirs at once', async () => {
    const names = Array.from({ length: 8 }, (_, index) => `home-${index}`)
    await Promise.all(names.map((name) => home.ok('--home', otherHome(name), 'create', '--', 'cat')))
    // Asked through each: a host waits for its own entry before it answers.
    for (const name of names) await home.ok('--home', otherHome(name), 'home', 'list')
    expect(await listed()).toEqual(names)
    await Promise.all(names.map(stopOther))
  })
})

describe('gc', () => {
  const gc = (...flags: string[]) => home.json<Result<'session.gc'>>('gc', ...flags)
  const folders = () => fs.readdirSync(path.join(home.path, 'sessions')).toSorted()

  test('removes sessions that have ended, and tells what that frees', async () => {
    const running = await home.ok('create', '--', 'cat')
    const id = await endedSession('x'.repeat(5000), '--name', 'done')
    const bytes = ['manifest.json', 'events.log'].reduce(
      (sum, file) => sum + fs.statSync(path.join(home.path, 'sessions', id, file)).size,
      0,
    )
    const entry = { session: id, name: 'done', status: 'exited', bytes, problem: null }
    expect(await gc('--dry-run')).toMatchObject({
      dry_run: true,
      bytes,
      sessions: [{ ...entry, outcome: 'would_remove' }],
    })
    expect(folders()).toEqual([running, id].toSorted())
    expect(await gc()).toMatchObject({ dry_run: false, bytes, sessions: [{ ...entry, outcome: 'removed' }] })
    expect(folders()).toEqual([running])
    expect(await errorCode('inspect', 'done')).toBe('session_not_found')
    expect(await home.ok('gc')).toBe('0 sessions removed, 0 bytes')
  })

  test('goes by the time a session ended', async () => {
    const old = await endedSession()
    const recent = await endedSession()
    rewriteManifest(old, { ended_at: new Date(Date.now() - 8 * DAY_MS).toISOString() })
    rewriteManifest(recent, { created_at: new Date(Date.now() - 9 * DAY_MS).toISOString() })
    expect(await gc('--older-than', '9d')).toMatchObject({ sessions: [] })
    expect((await gc('--older-than', '7d')).sessions.map(({ session }) => session)).toEqual([old])
    expect((await gc('--older-than', '0s')).sessions.map(({ session }) => session)).toEqual([recent])
  })

  test.each(['7', '7 days', '-1d', '1.5h', ''])('does not guess what --older-than %j means', async (text) => {
    const { code, stderr } = await home.run(['gc', `--older-than=${text}`])
    expect({ code, stderr }).toEqual({ code: 64, stderr: expect.stringContaining('with its unit') })
  })

  test('follows no link out of a session folder', async () => {
    const precious = path.join(home.root, 'precious')
    fs.mkdirSync(precious)
    fs.writeFileSync(path.join(precious, 'thesis.txt'), 'x'.repeat(100_000))
    const id = await endedSession()
    fs.symlinkSync(precious, path.join(home.path, 'sessions', id, 'link'))
    fs.symlinkSync(path.join(precious, 'thesis.txt'), path.join(home.path, 'sessions', id, 'file-link'))
    const { sessions, bytes } = await gc()
    expect(sessions).toMatchObject([{ session: id, outcome: 'removed' }])
    expect(bytes).toBeLessThan(10_000)
    expect(fs.readdirSync(precious)).toEqual(['thesis.txt'])
  })

  test('lets newborns, strangers and what it does not understand be', async () => {
    await home.startHost()
    const sessions = path.join(home.path, 'sessions')
    const born = path.join(sessions, 'bbbbbbbbbbbb')
    const abandoned = path.join(sessions, 'aaaaaaaaaaaa')
    const stranger = path.join(sessions, 'my-notes')
    const newer = path.join(sessions, 'nnnnnnnnnnnn')
    for (const folder of [born, abandoned, stranger, newer]) fs.mkdirSync(folder)
    fs.writeFileSync(path.join(newer, 'manifest.json'), '{"version": 2}')
    const yesterday = new Date(Date.now() - DAY_MS - 60_000)
    for (const folder of [abandoned, stranger, newer]) fs.utimesSync(folder, yesterday, yesterday)
    const starting = await endedSession()
    rewriteManifest(starting, { status: 'starting' })
    expect((await gc('--older-than', '2d')).sessions).toEqual([])
    expect((await gc()).sessions).toMatchObject([
      { session: 'aaaaaaaaaaaa', status: null, outcome: 'removed' },
    ])
    expect(folders()).toEqual(['bbbbbbbbbbbb', starting, 'my-notes', 'nnnnnnnnnnnn'].toSorted())
  })

  needsThat(process.getuid?.() === 0 && canMakeImmutable(), 'root and a file system with immutable files')(
    'tells of a session that it cannot remove, and removes the others',
    async () => {
      const stuck = await endedSession()
      const other = await endedSession()
      const file = path.join(home.path, 'sessions', stuck, 'artifact')
      fs.writeFileSync(file, 'x')
      setImmutable(file, true)
      try {
        const { sessions } = await gc()
        const outcomes = Object.fromEntries(sessions.map(({ session, outcome }) => [session, outcome]))
        expect(outcomes).toEqual({ [stuck]: 'failed', [other]: 'removed' })
        expect(sessions.find(({ session }) => session === stuck)?.problem).toContain('EPERM')
        expect(await home.json('list', '--all')).toEqual({ sessions: [] })
        expect(await home.ok('gc')).toMatch(/failed: EPERM[^]*1 could not be removed$/)
      } finally {
        const left = fs
          .readdirSync(path.join(home.path, 'sessions'))
          .map((name) => path.join(home.path, 'sessions', name, 'artifact'))
        for (const artifact of left) setImmutable(artifact, false)
      }
      expect((await gc()).sessions).toMatchObject([{ session: stuck, outcome: 'removed' }])
      expect(folders()).toEqual([])
    },
  )

  test('and list, in a loop beside creates and destroys, harm no newborn', async () => {
    await home.startHost()
    const client = await home.connect()
    const housekeeper = await home.connect()
    const done = new AbortController()
    let collected = 0
    const keepHouse = async () => {
      while (!done.signal.aborted) {
        const { sessions } = await housekeeper.call('session.gc', {})
        collected += sessions.length
        expect(sessions.filter(({ outcome }) => outcome !== 'removed')).toEqual([])
        await housekeeper.call('session.list', { all: true })
        await housekeeper.call('home.list', { all: true })
      }
    }
    const keeping = keepHouse()
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const { session } = await client.call('session.create', { command: ['cat'], cwd: '/' })
        await client.call('session.type', { session, text: `round ${round}`, enter: true })
        await client.call('session.wait', { session, text: `round ${round}` })
        expect(await client.call('session.inspect', { session })).toMatchObject({ status: 'running' })
        await client.call('session.destroy', { session })
      }
    } finally {
      done.abort()
      await keeping
    }
    collected += (await housekeeper.call('session.gc', {})).sessions.length
    expect(collected).toBe(ROUNDS)
    expect(folders()).toEqual([])
    client.close()
    housekeeper.close()
  })
})

describe('log verify and log repair', () => {
  test('find a sound log sound, live and ended', async () => {
    const id = await home.ok('create', '--name', 'live', '--', 'cat')
    await home.ok('type', 'live', 'hello', '--enter')
    await home.ok('wait', 'live', '--text', 'hello', '--after-input')
    expect(await home.json('log', 'verify', 'live')).toMatchObject({ session: id, tail: 'none', missing: 0 })
    expect(await errorCode('log', 'repair', 'live')).toBe('log_in_use')
    await home.ok('destroy', 'live')
    const records = await readLog(home.logPath(id))
    const report = await home.json<Result<'log.verify'>>('log', 'verify', id)
    expect(report).toMatchObject({ tail: 'none', offset: null, records: records.length, missing: 0 })
    expect(report.types).toMatchObject({ created: 1, input: 1, exit: 1, status: 2 })
    expect(await home.ok('log', 'verify', id)).toMatch(/tail +none[^]*types +created 1/)
    expect(await home.ok('log', 'repair', id)).toContain('nothing to repair')
  })

  test('a torn tail is no fault, and is cut', async () => {
    const id = await endedSession()
    const log = home.logPath(id)
    const whole = fs.readFileSync(log)
    const torn = encodeRecordHeader({ seq: 99, time: 1, typeNumber: 2, payload: Buffer.alloc(50) })
    fs.appendFileSync(log, torn)
    expect(await home.json('log', 'verify', id)).toMatchObject({ tail: 'torn', offset: whole.length })
    expect(await home.ok('log', 'repair', id, '--dry-run')).toMatch(/^torn: 28 bytes would be removed/)
    expect(await home.json('log', 'repair', id)).toMatchObject({ tail: 'torn', removed_bytes: 28 })
    expect(fs.readFileSync(log)).toEqual(whole)
  })

  test('damage is told with its place, and left out with the damaged log kept', async () => {
    const id = await home.ok('create', '--', 'sh', '-c', 'echo first; read x; echo second')
    await home.ok('wait', id, '--text', 'first')
    await home.ok('mark', id, 'here')
    await home.ok('type', id, '', '--enter')
    await home.ok('wait', id, '--exit')
    const log = home.logPath(id)
    const bytes = fs.readFileSync(log)
    bytes.write('HERE', bytes.indexOf('"here"') + 1)
    fs.writeFileSync(log, bytes)
    const { code, stderr } = await home.run(['log', 'verify', id])
    expect({ code, stderr }).toEqual({
      code: 65,
      stderr: expect.stringMatching(/damaged at byte \d+.*log repair/),
    })
    const { error } = await home.json<{ error: { code: string; details: unknown } }>('log', 'verify', id)
    expect(error).toMatchObject({ code: 'log_corrupt', details: { tail: 'damaged', missing: 1 } })
    expect(await errorCode('log', 'export', id, '--out', path.join(home.root, 'out'))).toBe('log_corrupt')
    expect(fs.existsSync(path.join(home.root, 'out'))).toBe(false)
    const repaired = await home.json<Result<'log.repair'>>('log', 'repair', id)
    expect(repaired).toMatchObject({ tail: 'damaged', removed_bytes: expect.any(Number) })
    expect(fs.readFileSync(repaired.damaged_copy ?? '')).toEqual(bytes)
    expect(await home.json('log', 'verify', id)).toMatchObject({ tail: 'none', missing: 1 })
    expect(await home.ok('snapshot', id)).toContain('second')
    expect(await home.ok('log', 'export', id)).toContain('second')
  })

  test('say that a log is missing, or is none', async () => {
    const id = await endedSession()
    fs.writeFileSync(home.logPath(id), 'this is no log, but long enough to look at')
    for (const command of ['verify', 'repair'])
      expect(await errorCode('log', command, id)).toBe('log_corrupt')
    fs.rmSync(home.logPath(id))
    for (const command of ['verify', 'repair'])
      expect(await errorCode('log', command, id)).toBe('log_corrupt')
    expect((await home.run(['log', 'export', id])).code).toBe(65)
  })
})

describe('log export', () => {
  const bytesOf = async (...args: string[]): Promise<Buffer> => {
    const child = spawn(process.execPath, [CLI, ...args], {
      env: home.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const chunks: Buffer[] = []
    for await (const chunk of child.stdout) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks)
  }

  test('raw is exactly what the program wrote, any bytes', async () => {
    const source = path.join(home.root, 'bytes')
    fs.writeFileSync(source, Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7) % 256)))
    const id = await home.ok('create', '--', 'sh', '-c', 'stty raw -opost; cat bytes')
    await home.ok('wait', id, '--exit')
    const out = path.join(home.root, 'out.raw')
    expect(await home.ok('log', 'export', id, '--format', 'raw', '--out', 'out.raw')).toBe(out)
    expect(fs.readFileSync(out)).toEqual(fs.readFileSync(source))
    expect(await bytesOf('log', 'export', id, '--format', 'raw')).toEqual(fs.readFileSync(source))
    expect(fs.statSync(out).mode & 0o777).toBe(0o600)
  })

  test('jsonl has every record, unknown ones too, and no control character', async () => {
    const id = await endedSession('plain')
    const seq = (await readLog(home.logPath(id))).length + 1
    const payload = Buffer.from('from a later version')
    const header = encodeRecordHeader({ seq, time: 5, typeNumber: 999, payload })
    fs.appendFileSync(home.logPath(id), Buffer.concat([header, payload]))
    const text = await home.ok('log', 'export', id, '--format', 'jsonl')
    const records = text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>)
    expect(records.map((record) => record['seq'])).toEqual(
      Array.from({ length: seq }, (_, index) => index + 1),
    )
    expect(records[0]).toMatchObject({ type: 'created', fields: { session: id } })
    expect(records.at(-1)).toEqual({
      seq,
      time: 5,
      type: 'unknown_999',
      data_b64: payload.toString('base64'),
    })
    const output = records.filter((record) => record['type'] === 'output').map((record) => record['data_b64'])
    expect(Buffer.concat(output.map((data) => Buffer.from(String(data), 'base64'))).toString()).toBe('plain')
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
  })

  test('text has everything that scrolled off, of a session that goes on, too', async () => {
    const id = await home.ok(
      'create',
      '--',
      'sh',
      '-c',
      'seq 1 30000; printf "\\033]0;evil\\007\\033[31mdone"; exec cat',
    )
    await home.ok('wait', id, '--text', 'done')
    const lines = (await home.ok('log', 'export', id)).split('\n')
    expect(lines).toEqual([...Array.from({ length: 30_000 }, (_, index) => `${index + 1}`), 'done'])
    await home.ok('destroy', id)
    expect((await home.ok('log', 'export', id, '--format', 'text')).split('\n')).toEqual(lines)
  })

  test('a file is replaced only when told to, and no half of one is left', async () => {
    const id = await endedSession('content')
    const out = path.join(home.root, 'out.txt')
    fs.writeFileSync(out, 'mine')
    const { code, stderr } = await home.run(['log', 'export', id, '--out', out])
    expect({ code, stderr }).toEqual({ code: 65, stderr: expect.stringContaining('--force') })
    expect(fs.readFileSync(out, 'utf8')).toBe('mine')
    expect(await home.json('log', 'export', id, '--out', out, '--force')).toMatchObject({
      path: out,
      bytes: 8,
    })
    expect(fs.readFileSync(out, 'utf8')).toBe('content\n')
    expect(await errorCode('log', 'export', id, '--out', path.join(home.root, 'no', 'folder'))).toBe(
      'file_not_written',
    )
    expect(await errorCode('log', 'export', id, '--out', '/dev/null', '--force')).toBe('file_exists')
    expect(fs.readdirSync(home.root).filter((name) => name.endsWith('.tmp'))).toEqual([])
    expect(await errorCode('log', 'export', id)).toBe('usage')
  })

  test('raw does not go to a terminal', async () => {
    const id = await endedSession('\\033[31m')
    const inner = await home.ok(
      'create',
      '--cols',
      '200',
      '--',
      process.execPath,
      CLI,
      'log',
      'export',
      id,
      '--format',
      'raw',
    )
    expect(await home.json('wait', inner, '--exit')).toMatchObject({ exit: { code: 64 } })
    expect(await home.ok('snapshot', inner)).toContain('would control your terminal')
  })

  test('leaves nothing in the temporary folder', async () => {
    const id = await endedSession('content')
    const temporary = path.join(home.root, 'tmp')
    fs.mkdirSync(temporary)
    const env = { TMPDIR: temporary }
    expect((await home.run(['log', 'export', id], { env })).stdout).toBe('content\n')
    expect((await home.run(['log', 'export', 'nobody'], { env })).code).toBe(66)
    expect(fs.readdirSync(temporary)).toEqual([])
  })
})

test('a log as the host has left it is what export raw says it is', async () => {
  const id = await endedSession('twice')
  await stopHost()
  expect(await home.ok('log', 'export', id, '--format', 'raw')).toBe(
    (await loggedOutput(home.logPath(id))).toString(),
  )
})
