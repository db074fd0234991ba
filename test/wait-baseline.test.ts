import type { SessionInfo, WaitResult } from '@transom/protocol'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { needs } from './support/needs.ts'
import { PipeProgram } from './support/pipe-program.ts'
import { TestHome } from './support/test-home.ts'

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

/** Prints MARK late enough that the echo of the command itself is long there. */
const SLOW_MARK = 'sleep 0.3; echo MARK'

test('the echo of a text typed into cat is no match, and what cat prints is', async () => {
  await home.ok('create', '--name', 's', '--', 'cat')
  await home.ok('type', 's', 'hello')
  await home.ok('wait', 's', '--text', 'hello') // the echo is there
  const echo = await home.run(['wait', 's', '--text', 'hello', '--after-input', '--timeout', '400'])
  expect(echo.code).toBe(75)
  const { seq } = await home.json<{ seq: number }>('type', 's', ' world')
  await home.ok('wait', 's', '--text', 'hello world')
  const longer = await home.run([
    'wait',
    's',
    '--text',
    'world',
    '--after-seq',
    String(seq - 1),
    '--timeout',
    '400',
  ])
  expect(longer.code).toBe(75)
  await home.ok('keys', 's', 'Enter')
  const printed = await home.json<WaitResult>(
    'wait',
    's',
    '--text',
    'hello world',
    '--after-seq',
    String(seq),
  )
  expect(printed.match).toEqual({ row: 1, text: 'hello world', line: 'hello world' })
})

test('the echo is no match either when Enter is pressed by an input of its own', async () => {
  await home.ok('create', '--name', 's', '--', 'sh')
  await home.ok('wait', 's', '--text', '$')
  await home.ok('type', 's', SLOW_MARK)
  await home.ok('keys', 's', 'Enter')
  const result = await home.json<WaitResult>('wait', 's', '--text', 'MARK', '--after-input')
  expect(result.match?.line).toBe('MARK')
})

test('an echo at the bottom of the screen, which scrolls, is no match', async () => {
  await home.ok('create', '--name', 's', '--rows', '5', '--', 'sh')
  await home.ok('type', 's', 'seq 50', '--enter')
  await home.ok('wait', 's', '--text', '50\n$')
  await home.ok('type', 's', SLOW_MARK, '--enter')
  expect(await home.ok('wait', 's', '--text', 'MARK', '--after-input')).toBe('MARK')
})

test('an echo that wraps over two rows is no match', async () => {
  await home.ok('create', '--name', 's', '--cols', '17', '--', 'sh')
  await home.ok('wait', 's', '--text', '$')
  await home.ok('type', 's', SLOW_MARK, '--enter')
  expect(await home.ok('wait', 's', '--text', 'MARK', '--after-input')).toBe('MARK')
})

test('what was typed with mistakes and erased is no match', async () => {
  await home.ok('create', '--name', 's', '--', 'sh')
  await home.ok('wait', 's', '--text', '$')
  await home.ok('type', 's', 'sleep 0.3; echo MXX')
  await home.ok('keys', 's', 'Backspace*2')
  await home.ok('type', 's', 'ARK', '--enter')
  const result = await home.json<WaitResult>('wait', 's', '--text', 'MARK', '--after-input')
  expect(result.match?.line).toBe('MARK')
})

needs('dash')('a command typed into dash does not match by its own echo', async () => {
  await home.ok('create', '--name', 's', '--', 'dash')
  await home.ok('wait', 's', '--text', '$')
  await home.ok('type', 's', SLOW_MARK, '--enter')
  expect(await home.ok('wait', 's', '--text', 'MARK', '--after-input')).toBe('MARK')
})

needs('dash')('a command typed before dash reads does not match by its echo', async () => {
  const client = await connected()
  for (let round = 0; round < 10; round++) {
    const { session } = await client.call('session.create', { command: ['dash'] })
    await client.call('session.type', { session, text: SLOW_MARK, enter: true })
    const { match } = await client.call('session.wait', { session, text: 'MARK', after_input: true })
    expect(match?.line).toMatch(/^([$#] )?MARK$/) // dash prints its prompt after the echo, and no line break
    await client.call('session.destroy', { session })
  }
  client.close()
})

needs('bash')('a command typed at the prompt of bash does not match by its echo', async () => {
  await home.ok('create', '--name', 's', '--', 'bash', '--norc')
  await home.ok('wait', 's', '--text', '$')
  for (let round = 0; round < 3; round++) {
    await home.ok('type', 's', `${SLOW_MARK}${round}`, '--enter')
    expect(await home.ok('wait', 's', '--text', `MARK${round}`, '--after-input')).toBe(`MARK${round}`)
  }
})

needs('bash')('a command typed before bash reads does not match by its two echoes', async () => {
  const client = await connected()
  for (let round = 0; round < 10; round++) {
    const { session } = await client.call('session.create', { command: ['bash', '--norc'] })
    await client.call('session.type', { session, text: SLOW_MARK, enter: true })
    const { match } = await client.call('session.wait', { session, text: 'MARK', after_input: true })
    expect(match?.line).toBe('MARK')
    await client.call('session.destroy', { session })
  }
  client.close()
})

needs('bash')('commands typed while bash is busy do not match by their echoes', async () => {
  await home.ok('create', '--name', 's', '--', 'bash', '--norc')
  await home.ok('wait', 's', '--text', '$')
  const { seq } = await home.json<{ seq: number }>('type', 's', 'sleep 0.5', '--enter')
  await home.ok('type', 's', 'sleep 0.2; echo FIRST', '--enter')
  await home.ok('type', 's', 'sleep 0.2; echo LAST', '--enter')
  const first = await home.json<WaitResult>('wait', 's', '--text', 'FIRST', '--after-seq', String(seq))
  expect(first.match?.line).toBe('FIRST')
  const last = await home.json<WaitResult>('wait', 's', '--text', 'LAST', '--after-seq', String(seq))
  expect(last.match?.line).toBe('LAST')
})

needs('bash')('a long command that bash wraps does not match by its echo', async () => {
  await home.ok('create', '--name', 's', '--cols', '20', '--', 'bash', '--norc')
  await home.ok('wait', 's', '--text', '$')
  await home.ok('type', 's', 'sleep 0.3; echo this is a long MARK', '--enter')
  expect(await home.ok('wait', 's', '--text', 'long MARK', '--after-input')).toBe('this is a long MARK')
})

needs('dash')('wide characters and tabs in a command do not make its echo a match', async () => {
  await home.ok('create', '--name', 's', '--', 'dash')
  await home.ok('wait', 's', '--text', '$')
  await home.ok('type', 's', 'sleep 0.3; echo 漢字 é MARK', '--enter')
  expect(await home.ok('wait', 's', '--text', 'MARK', '--after-input')).toBe('漢字 é MARK')
  await home.ok('type', 's', 'sleep 0.3;\techo\tTABS', '--enter')
  expect(await home.ok('wait', 's', '--text', 'TABS', '--after-input')).toBe('TABS')
})

test('the same text printed later by the program is a match', async () => {
  await home.ok('create', '--name', 's', '--', ...pipe.command)
  await home.ok('type', 's', 'SAME')
  await home.ok('wait', 's', '--text', 'SAME')
  const echo = await home.run(['wait', 's', '--text', 'SAME', '--after-input', '--timeout', '300'])
  expect(echo.code).toBe(75)
  pipe.print('\nnot yet\n')
  await home.ok('wait', 's', '--text', 'not yet', '--after-input')
  const still = await home.run(['wait', 's', '--text', 'SAME', '--after-input', '--timeout', '300'])
  expect(still.code).toBe(75)
  pipe.print('it says SAME too\n')
  expect(await home.ok('wait', 's', '--text', 'SAME', '--after-input')).toBe('it says SAME too')
})

test('the same text printed at once beside its echo is a match', async () => {
  await home.ok('create', '--name', 's', '--', ...pipe.command)
  const client = await connected()
  await client.call('session.type', { session: 's', text: 'SAME' })
  const wait = client.call('session.wait', { session: 's', text: 'SAME', after_input: true })
  pipe.print('SAME')
  expect((await wait).match?.text).toBe('SAME')
  client.close()
})

test('a state from before the baseline does not count while output comes', async () => {
  await home.ok('create', '--name', 's', '--', ...pipe.command)
  pipe.print('old\n')
  await home.ok('wait', 's', '--text', 'old')
  const { seq } = await home.json<{ seq: number }>('inspect', 's')
  const client = await connected()
  const request = { session: 's', text: 'new', after_seq: seq }
  const wait = client.call('session.wait', request)
  await client.call('host.status', {})
  pipe.print('new\n')
  expect((await wait).snapshot.seq).toBeGreaterThan(seq)
  client.close()
})

needs('bash')('the result of a run before is no match for the next one', async () => {
  await home.ok('create', '--name', 's', '--', 'bash', '--norc')
  await home.ok('wait', 's', '--text', '$')
  for (const result of ['passed', 'failed']) {
    await home.ok(
      'type',
      's',
      `echo building; read -t 0.4; echo ${result.slice(0, 3)}''${result.slice(3)}`,
      '--enter',
    )
    expect(await home.ok('wait', 's', '--regex', 'passed|failed', '--after-input')).toBe(result)
  }
  const old = await home.run(['wait', 's', '--text', 'passed', '--after-input', '--timeout', '300'])
  expect([old.code, old.stderr]).toEqual([75, expect.stringContaining('was there before the baseline')])
})

test('a wait after input that changes nothing ends with the present state', async () => {
  await home.ok('create', '--name', 's', '--', 'sh', '-c', 'stty -echo; echo still here; cat >/dev/null')
  await home.ok('wait', 's', '--text', 'still here')
  await home.ok('type', 's', 'silence', '--enter')
  expect(await home.ok('wait', 's', '--text', 'still here', '--after-input')).toBe('still here')
  const { seq } = await home.json<{ seq: number }>('keys', 's', 'Up')
  await home.ok('wait', 's', '--text', 'still here', '--after-seq', String(seq))
  await home.ok('wait', 's', '--screen-stable-ms', '50', '--after-seq', String(seq))
})

test('a wait with a baseline in a session that has ended judges its last screen', async () => {
  await home.ok('create', '--name', 's', '--', 'sh', '-c', 'read line; echo "got $line"')
  const { seq } = await home.json<{ seq: number }>('type', 's', 'it', '--enter')
  await home.ok('wait', 's', '--exit')
  expect(await home.ok('wait', 's', '--text', 'got it', '--after-seq', String(seq))).toBe('got it')
})

async function connected() {
  await home.startHost() // starts the host, if the sessions of this file have not
  return home.connect()
}
