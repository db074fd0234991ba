import { EVENT_TYPE_NUMBERS, type SessionInfo, type WaitResult } from '@transom/protocol'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { readLog } from './support/log-contents.ts'
import { PipeProgram } from './support/pipe-program.ts'
import { TestHome } from './support/test-home.ts'

interface WaitFailure {
  error: {
    code: string
    message: string
    details: { condition?: string; snapshot?: { lines: { text: string }[] } }
  }
}

let home: TestHome
let pipe: PipeProgram

beforeAll(() => {
  home = new TestHome()
})

beforeEach(() => {
  pipe = new PipeProgram(home.root)
})

afterEach(async () => {
  const { sessions } = await home.json<{ sessions: SessionInfo[] }>('list')
  for (const { session } of sessions) await home.ok('destroy', session)
  pipe.close()
})

afterAll(async () => {
  await home.close()
})

async function startPipe(...options: string[]): Promise<void> {
  await home.ok('create', '--name', 'p', ...options, '--', ...pipe.command)
}

test('a wait for what is there already is answered at once', async () => {
  await startPipe()
  pipe.print('ready\n')
  await home.ok('wait', 'p', '--text', 'ready')
  const again = await home.json<WaitResult>('wait', 'p', '--text', 'ready', '--timeout', '0')
  expect(again).toMatchObject({
    matched: true,
    outcome: 'immediate',
    match: { row: 0, text: 'ready', line: 'ready' },
    exit: null,
  })
})

test('a wait wakes when what it waits for is printed', async () => {
  await startPipe()
  const client = await home.connect()
  const wait = client.call('session.wait', { session: 'p', text: 'go' })
  // Requests of one connection are taken in order: once this one is answered, the wait is pending.
  await client.call('host.status', {})
  pipe.print('go\n')
  expect(await wait).toMatchObject({ matched: true, outcome: 'changed', match: { text: 'go' } })
  client.close()
})

test('a hundred waits on one session wake by one event', async () => {
  await startPipe()
  const client = await home.connect()
  const waits = Array.from({ length: 100 }, async () =>
    client.call('session.wait', { session: 'p', text: 'go' }),
  )
  await client.call('host.status', {})
  pipe.print('go\n')
  const results = await Promise.all(waits)
  expect(results.every(({ outcome }) => outcome === 'changed')).toBe(true)
  client.close()
})

test('a wait matches text that wraps over two rows', async () => {
  await startPipe('--cols', '10')
  pipe.print('start ABCDEFGH end\n')
  const result = await home.json<WaitResult>('wait', 'p', '--text', 'ABCDEFGH')
  expect(result.match).toEqual({ row: 0, text: 'ABCDEFGH', line: 'start ABCDEFGH end' })
  expect(result.snapshot.lines.slice(0, 2)).toEqual([
    { text: 'start ABCD', wrapped: false },
    { text: 'EFGH end', wrapped: true },
  ])
  expect(await home.ok('wait', 'p', '--regex', 'A[A-Z]+H e')).toBe('start ABCDEFGH end')
})

test('a wait does not join two lines that only look wrapped', async () => {
  await startPipe('--cols', '10')
  pipe.print('0123456789\r\nabc\r\ndone\n')
  await home.ok('wait', 'p', '--text', 'done')
  const { code } = await home.run(['wait', 'p', '--text', '9abc', '--timeout', '0'])
  expect(code).toBe(75)
})

test('a wait matches a regular expression, line by line', async () => {
  await startPipe()
  pipe.print('booting\nlistening on :4021\n')
  const result = await home.json<WaitResult>('wait', 'p', '--regex', '^listening on :(\\d+)$')
  expect(result.match).toEqual({ row: 1, text: 'listening on :4021', line: 'listening on :4021' })
})

test('a wait for a prompt matches with the blank that ends it', async () => {
  await home.ok('create', '--name', 'p', '--', 'sh')
  expect(await home.ok('wait', 'p', '--text', '$ ', '--timeout', '3000')).toBe('$')
})

test('a wait finds wide, combining and four-byte characters', async () => {
  await startPipe()
  pipe.print('漢字 e\u0301 👩‍🚀 ok\n')
  for (const text of ['漢字 e\u0301', '👩‍🚀 ok', 'ok']) {
    expect(await home.ok('wait', 'p', '--text', text)).toBe('漢字 e\u0301 👩‍🚀 ok')
  }
})

test('a wait sees where the cursor is', async () => {
  await startPipe()
  pipe.print('one\r\ntwo')
  const result = await home.json<WaitResult>('wait', 'p', '--cursor', '1,3')
  expect(result.snapshot.cursor).toMatchObject({ row: 1, col: 3 })
  pipe.print('\x1b[5;7H')
  await home.ok('wait', 'p', '--cursor', '4,6')
  const { code, stderr } = await home.run(['wait', 'p', '--cursor', '1,3', '--timeout', '0'])
  expect({ code, stderr }).toEqual({ code: 75, stderr: expect.stringContaining('cursor at 1,3') as string })
})

test('the screen is stable while the same text is painted over and over', async () => {
  const repaint = 'while :; do printf "\\rsame"; sleep 0.01; done'
  await home.ok('create', '--name', 'p', '--', 'sh', '-c', repaint)
  await home.ok('wait', 'p', '--screen-stable-ms', '300')
  expect(await home.ok('snapshot', 'p')).toBe('same')
})

/** When the last output up to `seq` was recorded, in milliseconds since 1970. */
async function lastOutputTime(seq: number): Promise<number> {
  const { log } = await home.json<{ log: { path: string } }>('inspect', 'p')
  const records = await readLog(log.path)
  const outputs = records.filter(({ typeNumber }) => typeNumber === EVENT_TYPE_NUMBERS.output)
  return outputs.findLast((record) => record.seq <= seq)?.time ?? Number.NaN
}

const CLOCKS_DIFFER_MS = 10 // two processes each read a clock of their own

test('a wait for a stable screen ends no sooner than that long after the last change', async () => {
  await startPipe()
  const client = await home.connect()
  pipe.print('a')
  await client.call('session.wait', { session: 'p', text: 'a' })
  const wait = client.call('session.wait', { session: 'p', screen_stable_ms: 300 })
  for (const text of ['b', 'c']) {
    pipe.print(text)
    await client.call('session.wait', { session: 'p', text })
  }
  const { snapshot } = await wait
  const endedAt = performance.timeOrigin + performance.now()
  expect(endedAt - (await lastOutputTime(snapshot.seq))).toBeGreaterThan(300 - CLOCKS_DIFFER_MS)
  client.close()
})

test('a wait for idleness ends no sooner than that long after the last output', async () => {
  await startPipe()
  const client = await home.connect()
  pipe.print('last')
  await client.call('session.wait', { session: 'p', text: 'last' })
  const { snapshot } = await client.call('session.wait', { session: 'p', idle_ms: 200 })
  const endedAt = performance.timeOrigin + performance.now()
  expect(endedAt - (await lastOutputTime(snapshot.seq))).toBeGreaterThan(200 - CLOCKS_DIFFER_MS)
  client.close()
})

test('a wait for the exit tells how the program ended', async () => {
  await home.ok('create', '--name', 'code', '--', 'sh', '-c', 'exit 7')
  await home.ok('create', '--name', 'signal', '--', 'sh', '-c', 'kill -KILL $$')
  expect(await home.json('wait', 'code', '--exit')).toMatchObject({ exit: { code: 7, signal: null } })
  expect(await home.json('wait', 'signal', '--exit')).toMatchObject({
    exit: { code: null, signal: 'SIGKILL' },
  })
})

test('all conditions must hold together, and with --any one is enough', async () => {
  await startPipe()
  pipe.print('here\n')
  await home.ok('wait', 'p', '--text', 'here', '--cursor', '1,0')
  const both = await home.run(['wait', 'p', '--text', 'here', '--regex', 'not here', '--timeout', '50'])
  expect(both.code).toBe(75)
  expect(both.stderr).toContain('text "here" and regex "not here"')
  const either = await home.json('wait', 'p', '--text', 'not here', '--regex', 'h.re', '--exit', '--any')
  expect(either).toMatchObject({
    condition: 'text "not here" or regex "h.re" or exit',
    match: { text: 'here' },
  })
  const repeated = ['wait', 'p', '--text', 'here', '--text', 'not here', '--timeout', '0']
  expect(await home.ok(...repeated, '--any', '--snapshot')).toMatch(
    /^here\n--- screen at seq \d+ ---\nhere\n---$/,
  )
  expect((await home.run(repeated)).code).toBe(75)
  const { code, stderr } = await home.run(['assert', 'p', '--text', 'not here', '--text', 'here'])
  expect([code, stderr]).toEqual([1, expect.stringContaining('text "not here" is not on the screen')])
})

test('a wait for a change of the screen holds once the text is another one', async () => {
  await startPipe()
  pipe.print('one')
  const { snapshot } = await home.json<WaitResult>('wait', 'p', '--text', 'one')
  const same = await home.run(['wait', 'p', '--screen-changed-from', snapshot.screen_hash, '--timeout', '0'])
  expect(same.code).toBe(75)
  pipe.print(' two')
  const changed = await home.json<WaitResult>('wait', 'p', '--screen-changed-from', snapshot.screen_hash)
  expect(changed.snapshot.screen_hash).not.toBe(snapshot.screen_hash)
})

test('a wait ends when the session ends without what it waits for', async () => {
  await home.ok('create', '--name', 'p', '--', 'sh', '-c', 'echo other; read line; exit 4')
  const client = await home.connect()
  const wait = client.call('session.wait', { session: 'p', text: 'never', timeout_ms: 3_600_000 })
  await client.call('session.type', { session: 'p', text: '\n' })
  await expect(wait).rejects.toMatchObject({
    code: 'session_ended',
    details: { exit: { code: 4, signal: null }, snapshot: { lines: expect.any(Array) as unknown[] } },
  })
  client.close()
  const { code, stderr } = await home.run(['wait', 'p', '--text', 'never', '--timeout', '3600000'])
  expect(code).toBe(69)
  expect(stderr).toContain('with exit code 4 before this came true: text "never"')
  expect(stderr).toContain('other')
})

test('a wait ends when the session is destroyed', async () => {
  await startPipe()
  const client = await home.connect()
  const wait = client.call('session.wait', { session: 'p', text: 'never', timeout_ms: 3_600_000 })
  wait.catch(() => {}) // looked at below
  await client.call('session.destroy', { session: 'p' })
  await expect(wait).rejects.toMatchObject({ code: 'session_ended' })
  client.close()
})

test('a wait on an ended session judges its last screen', async () => {
  await home.ok('create', '--name', 'p', '--', 'sh', '-c', 'echo bye')
  await home.ok('wait', 'p', '--exit')
  expect(await home.ok('wait', 'p', '--text', 'bye')).toBe('bye')
  expect(await home.json('wait', 'p', '--exit')).toMatchObject({ outcome: 'immediate', exit: { code: 0 } })
})

test('a wait that times out exits with 75 and shows the condition and the screen', async () => {
  await startPipe()
  pipe.print('what is there\n')
  await home.ok('wait', 'p', '--text', 'what is there')
  const { code, stdout, stderr } = await home.run(['wait', 'p', '--text', 'else', '--timeout', '50'])
  expect({ code, stdout }).toEqual({ code: 75, stdout: '' })
  expect(stderr).toContain('text "else" did not come true within 50 ms')
  expect(stderr).toMatch(/--- screen at seq \d+ ---\nwhat is there\n---\n$/)
  const { error } = await home.json<WaitFailure>('wait', 'p', '--text', 'else', '--timeout', '50')
  expect(error).toMatchObject({
    code: 'wait_timeout',
    retryable: true,
    details: { condition: 'text "else"' },
  })
  expect(error.details.snapshot?.lines[0]?.text).toBe('what is there')
})

test('a pattern that cannot be compiled is refused', async () => {
  await startPipe()
  for (const pattern of ['(', 'a(?=b)', '(a)\\1', '*']) {
    const { code, stderr } = await home.run(['wait', 'p', '--regex', pattern])
    expect(code).toBe(64)
    expect(stderr).toContain(`cannot use the pattern ${JSON.stringify(pattern)}`)
    expect(await home.json('wait', 'p', '--regex', pattern)).toMatchObject({ error: { code: 'bad_pattern' } })
  }
})

test('a pattern that would run for ever elsewhere leaves the other sessions responsive', async () => {
  await startPipe('--cols', '200', '--rows', '50')
  await home.ok('create', '--name', 'other', '--', 'cat')
  pipe.print(`${'a'.repeat(5000)}!`)
  await home.ok('wait', 'p', '--text', '!')
  const client = await home.connect()
  const wait = client.call('session.wait', { session: 'p', regex: '(a+)+$', timeout_ms: 1000 })
  wait.catch(() => {}) // looked at below
  for (let round = 0; round < 20; round++) {
    pipe.print('\x1b[H')
    await client.call('session.type', { session: 'other', text: `${round};` })
    await client.call('session.wait', { session: 'other', text: `${round};` })
  }
  await expect(wait).rejects.toMatchObject({ code: 'wait_timeout' })
  client.close()
})

test('a wait without a condition is refused with what it could wait for', async () => {
  await startPipe()
  const { code, stderr } = await home.run(['wait', 'p'])
  expect(code).toBe(64)
  expect(stderr).toContain('nothing to wait for; give --text, --regex, --title, --url, --screen-stable-ms')
  expect(await home.json('wait', 'p', '--timeout', '5')).toMatchObject({ error: { code: 'usage' } })
})

test('bad values of a wait are refused by name', async () => {
  await startPipe()
  for (const [option, value] of [
    ['--cursor', '1'],
    ['--timeout', 'soon'],
    ['--timeout', '-1'],
    ['--idle-ms', '1.5'],
    ['--after-seq', '-2'],
    ['--text', ''],
  ] as const) {
    const { code, stderr } = await home.run(['wait', 'p', '--exit', option, value])
    expect({ option, value, code }).toEqual({ option, value, code: 64 })
    expect(stderr).toContain(value === '' ? 'text' : `"${value}"`.replaceAll(/"(-\d)"/g, '$1'))
  }
})
