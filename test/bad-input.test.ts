import * as fs from 'node:fs'
import * as path from 'node:path'
import type { SessionInfo } from '@transom/protocol'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { commandLinesWith, uniqueToken } from './support/processes.ts'
import { TestHome, type RunOptions } from './support/test-home.ts'

interface Refusal {
  readonly code: string
  readonly exit: number
  readonly message: string
  readonly details: Record<string, unknown>
}

let home: TestHome

beforeAll(async () => {
  home = new TestHome()
  await home.startHost()
})

afterEach(async () => {
  const { sessions } = await home.json<{ sessions: SessionInfo[] }>('list')
  for (const { session } of sessions) await home.ok('destroy', session)
})

afterAll(async () => {
  await home.close()
})

/** Runs a command that must fail, for people and as JSON, and returns what both agree on. */
async function refused(args: readonly string[], options: RunOptions = {}): Promise<Refusal> {
  const [plain, asJson] = await Promise.all([home.run(args, options), home.run(['--json', ...args], options)])
  expect(plain.stdout).toBe('')
  expect(asJson.stderr).toBe('')
  const { error } = JSON.parse(asJson.stdout) as { error: Refusal }
  expect(asJson.code).toBe(plain.code)
  expect(plain.stderr).toContain(error.message.split(/[\x00-\x1f\x7f-\x9f]/)[0])
  return { ...error, exit: plain.code ?? -1 }
}

function sessionFolders(): string[] {
  return fs.readdirSync(path.join(home.path, 'sessions'))
}

test('an unknown session is named, with the way to see those that are there', async () => {
  for (const command of [
    ['snapshot'],
    ['inspect'],
    ['destroy'],
    ['type', '--enter'],
    ['keys'],
    ['wait', '--exit'],
  ]) {
    const [name = '', ...options] = command
    const words = name === 'type' || name === 'keys' ? ['x'] : []
    expect(await refused([name, 'nobody', ...words, ...options])).toMatchObject({
      code: 'session_not_found',
      exit: 66,
      message: expect.stringMatching(/no session "nobody" in .*; "transom list --all" shows/) as string,
      details: { ref: 'nobody', home: home.path },
    })
  }
})

test('a mistyped session is answered with the one that was probably meant', async () => {
  await home.ok('create', '--name', 'builder', '--', 'cat')
  expect((await refused(['snapshot', 'biulder'])).message).toContain('(did you mean "builder"?)')
  expect((await refused(['exec', 'bulider', 'ls'])).message).toContain('(did you mean "builder"?)')
  await home.ok('destroy', 'builder')
  expect((await refused(['snapshot', 'bilder'])).message).toContain('(did you mean "builder"?)')
})

test('an ambiguous prefix is answered with the ids that begin with it', async () => {
  const client = await home.connect()
  const ids = new Map<string, string>()
  for (;;) {
    const { session } = await client.call('session.create', { command: ['cat'] })
    const twin = ids.get(session.slice(0, 1))
    ids.set(session.slice(0, 1), session)
    if (twin === undefined) continue
    const refusal = await refused(['snapshot', session.slice(0, 1)])
    expect(refusal).toMatchObject({ code: 'session_ambiguous', exit: 64 })
    expect(refusal.message).toContain(session)
    expect(refusal.message).toContain(twin)
    expect(refusal.details['candidates']).toEqual(expect.arrayContaining([session, twin]))
    expect(await home.ok('snapshot', session.slice(0, 11))).toBe('')
    break
  }
  client.close()
})

test('a size that is no size of a terminal is refused, and the session keeps its own', async () => {
  await home.ok('create', '--name', 's', '--', 'cat')
  for (const [rows, shown] of [
    ['0', '0'],
    ['-5', '-5'],
    ['1000000', '1000000'],
    ['1001', '1001'],
    ['9999999999999999999999', '1e'],
    ['many', '"many"'],
    ['2.5', '"2.5"'],
    ['0x10', '"0x10"'],
    ['', '""'],
  ]) {
    const refusal = await refused(['resize', 's', '--rows', rows ?? ''])
    expect(refusal).toMatchObject({ code: 'usage', exit: 64 })
    expect(refusal.message).toContain('rows')
    expect(refusal.message).toContain(shown)
  }
  for (const cols of ['0', '-1', '1000000', 'wide']) {
    expect((await refused(['create', '--cols', cols, '--', 'cat'])).message).toMatch(`cols`)
  }
  expect((await refused(['resize', 's', '--cols', '1'])).message).toContain('cols')
  expect((await refused(['resize', 's'])).message).toContain('give --cols, --rows or both')
  expect(await home.json('inspect', 's')).toMatchObject({ cols: 80, rows: 24, status: 'running' })
  expect((await home.json<{ sessions: [] }>('list')).sessions).toHaveLength(1)
})

test('an unknown key is named, and nothing is pressed', async () => {
  await home.ok('create', '--name', 's', '--', 'cat')
  const { seq } = await home.json<{ seq: number }>('inspect', 's')
  for (const key of ['Entr', 'Ctrl+Nope', 'Hyper+x', 'Down*0', 'Down*many', '\x1b[A', 'a\nb']) {
    const refusal = await refused(['keys', 's', 'a', key])
    expect({ key, ...refusal }).toMatchObject({ key, code: 'unknown_key', exit: 64 })
    expect(refusal.message).toContain(JSON.stringify(key).slice(1, -1).split('*').at(-1))
  }
  expect((await refused(['keys', 's', 'Entr'])).message).toContain('Enter')
  expect(await home.json('inspect', 's')).toMatchObject({ seq })
})

test('an unknown option or command is named, as JSON too', async () => {
  expect(await refused(['snapshot', 's', '--colour'])).toMatchObject({
    code: 'usage',
    exit: 64,
    message: expect.stringContaining('unknown option --colour for "transom snapshot"; add --help') as string,
  })
  expect((await refused(['frobnicate'])).message).toContain(
    'unknown command "frobnicate"; "transom --help" lists',
  )
  expect((await refused(['--frob'])).message).toContain('unknown option --frob')
  expect((await refused(['host'])).message).toContain('needs one of: host status, host stop')
  expect((await refused(['snapshot'])).message).toContain('needs SESSION (or set TRANSOM_SESSION)')
  expect((await refused(['type', 's'])).message).toContain('needs TEXT')
  expect((await refused(['snapshot', 's', 'more'])).message).toContain('does not take "more"')
  expect((await refused(['resize', 's', '--cols'])).message).toContain('--cols needs a value')
  expect((await refused(['create', '--env', 'NOVALUE', '--', 'cat'])).message).toContain('NAME=VALUE')
  expect((await refused(['list', '--all=yes'])).message).toContain('--all takes no value (got "yes")')
})

test('a name that could be taken for something else is refused', async () => {
  const folders = sessionFolders()
  for (const name of [
    'a\nb',
    '\x1b[31mred',
    '../up',
    '-x',
    '--all',
    '.hidden',
    '',
    'a b',
    'ü',
    'a/b',
    'x'.repeat(65),
  ]) {
    const refusal = await refused(['create', `--name=${name}`, '--', 'cat'])
    expect({ name, ...refusal }).toMatchObject({ name, code: 'usage', exit: 64 })
    expect(refusal.message).toContain('name')
    expect(refusal.message).not.toMatch(/[\x00-\x1f]/)
  }
  expect(sessionFolders()).toEqual(folders)
})

test('a reference that could be taken for something else finds nothing', async () => {
  for (const ref of ['../..', '..', '/', 'a\nb', '\x1b[31m', '*', '%', '\u009b31m']) {
    expect({ ref, ...(await refused(['snapshot', '--', ref])) }).toMatchObject({
      ref,
      code: 'session_not_found',
      exit: 66,
    })
    const { stderr } = await home.run(['snapshot', '--', ref])
    expect(stderr.trimEnd()).not.toMatch(/[\x00-\x1f\x7f-\x9f]/)
  }
})

test('a name that an active session has is refused, and free again after its end', async () => {
  const id = await home.ok('create', '--name', 'only', '--', 'cat')
  expect(await refused(['create', '--name', 'only', '--', 'cat'])).toMatchObject({
    code: 'name_taken',
    exit: 65,
    message: expect.stringContaining(`session ${id} is named "only" already`) as string,
  })
  await home.ok('destroy', 'only')
  await home.ok('create', '--name', 'only', '--', 'cat')
})

test('a program that cannot be run is refused and leaves nothing behind', async () => {
  const folders = sessionFolders()
  const token = uniqueToken()
  const plainFile = path.join(home.root, `plain-${token}`)
  fs.writeFileSync(plainFile, 'no program', { mode: 0o644 })
  for (const program of [`nope-${token}`, `/nope/${token}`, `./nope-${token}`, plainFile, home.root, '']) {
    const refusal = await refused(['create', '--', program, token])
    expect({ program, ...refusal }).toMatchObject({ program, code: 'program_not_found', exit: 66 })
    expect(refusal.message).toContain(`cannot run ${JSON.stringify(program)}: `)
  }
  expect(sessionFolders()).toEqual(folders)
  expect(commandLinesWith(token)).toEqual([])
})

test('a script whose interpreter is missing is refused and leaves nothing behind', async () => {
  const folders = sessionFolders()
  const script = path.join(home.root, 'orphan-script')
  fs.writeFileSync(script, '#!/nonexistent/interpreter\n', { mode: 0o755 })
  expect(await refused(['create', '--', script])).toMatchObject({ code: 'program_not_found', exit: 66 })
  expect(sessionFolders()).toEqual(folders)
})

test('a working folder that cannot be entered is refused and leaves nothing behind', async () => {
  const folders = sessionFolders()
  const token = uniqueToken()
  const file = path.join(home.root, `file-${token}`)
  fs.writeFileSync(file, '')
  for (const cwd of [`/nope/${token}`, file]) {
    const refusal = await refused(['create', '--cwd', cwd, '--', 'sleep', `86400.${token}`])
    expect(refusal).toMatchObject({ code: 'cwd_not_found', exit: 66 })
    expect(refusal.message).toMatch(/the working folder ".*" .*; choose another with --cwd/)
    expect(refusal.message).toContain(cwd)
  }
  expect(sessionFolders()).toEqual(folders)
  expect(commandLinesWith(token)).toEqual([])
})

test('an ended session takes no input and says so', async () => {
  await home.ok('create', '--name', 'done', '--', 'true')
  await home.ok('wait', 'done', '--exit')
  for (const command of [
    ['type', 'done', 'x'],
    ['keys', 'done', 'Enter'],
    ['resize', 'done', '--cols', '90'],
  ]) {
    const refusal = await refused(command)
    expect(refusal).toMatchObject({ code: 'session_ended', exit: 69, details: { exit: { code: 0 } } })
    expect(refusal.message).toContain('is exited and takes no input; "transom list" shows those that do')
  }
})

test('input that a program does not read is refused once too much of it waits', async () => {
  await home.ok('create', '--name', 's', '--', 'sh', '-c', 'stty raw -echo; echo ready; exec sleep 86400')
  await home.ok('wait', 's', '--text', 'ready')
  const client = await home.connect()
  const text = 'x'.repeat(256 << 10)
  const results = await Promise.allSettled(
    Array.from({ length: 8 }, async () => client.call('session.type', { session: 's', text })),
  )
  const refusals = results.filter((result) => result.status === 'rejected')
  expect(refusals.length).toBeGreaterThan(0)
  for (const { reason } of refusals) {
    expect(reason).toMatchObject({ code: 'input_queue_full', details: { limit_bytes: 1 << 20 } })
  }
  expect(await refused(['type', 's', text.slice(0, 100 << 10)])).toMatchObject({
    code: 'input_queue_full',
    exit: 73,
  })
  client.close()
})

test('a host that is not there is not started to be asked about', async () => {
  const elsewhere = ['--home', path.join(home.root, 'no-such-home')]
  for (const command of [
    ['host', 'status'],
    ['host', 'stop'],
  ]) {
    const refusal = await refused([...command, ...elsewhere])
    expect(refusal).toMatchObject({ code: 'host_unavailable', exit: 69 })
    expect(refusal.message).toContain('no host is running for ')
  }
  expect(fs.existsSync(path.join(home.root, 'no-such-home'))).toBe(false)
})

test('a host with active sessions stops only by force', async () => {
  await home.ok('create', '--', 'cat')
  expect(await refused(['host', 'stop'])).toMatchObject({
    code: 'host_busy',
    exit: 69,
    message: expect.stringContaining('--force') as string,
  })
})
