import { spawn, type ChildProcess } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { PipeProgram } from './support/pipe-program.ts'
import { CLI, TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'

let home: TestHome
let program: PipeProgram
let watches: ChildProcess[]

beforeEach(() => {
  home = new TestHome()
  program = new PipeProgram(home.root)
  watches = []
})

afterEach(async () => {
  for (const watch of watches) watch.kill('SIGKILL')
  program.close()
  await home.close()
})

/** A watch in the background: its lines one by one, and its exit status. */
function watch(...args: string[]) {
  const child = spawn(process.execPath, [CLI, 'watch', ...args], {
    env: home.env,
    cwd: home.root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  watches.push(child)
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  return {
    child,
    next: async () => (await lines.next()).value as string,
    status: new Promise<number | null>((resolve) => child.on('close', resolve)),
  }
}

test('tells of texts, bells, quiet and the exit as they come, and ends with the session', async () => {
  await home.ok('create', '--name', 'work', '--', ...program.command)
  const on = ['--on', 'text:READY', '--on', 'bell', '--on', 'idle', '--on', 'exit']
  const { next, status } = watch('work', ...on, '--idle-ms', '300')
  expect(await next()).toBe('idle 300')
  program.print('not yet\r\nREADY to go\r\n')
  expect(await next()).toBe('text READY to go')
  expect(await next()).toBe('idle 300')
  program.print('\x07')
  expect(await next()).toBe('bell 1')
  await home.ok('signal', 'work', 'TERM')
  // The quiet after the bell may be told before the end is seen.
  const last = await next()
  expect(last === 'idle 300' ? await next() : last).toBe('exit SIGTERM')
  expect(await status).toBe(0)
})

test('prints an object a line with --json, and ends after the first event with --once', async () => {
  const id = await home.ok('create', '--', 'sh', '-c', "printf 'before\\a'; read x; exit 7")
  await home.ok('wait', id, '--text', 'before')
  const once = watch(id.slice(0, 20), '--on', 'text:before', '--once', '--json')
  expect(JSON.parse(await once.next())).toMatchObject({
    event: 'text',
    session: id,
    text: 'before',
    looked_for: 'before',
  })
  expect(await once.status).toBe(0)
  // A bell that was rung before the watch began is no event.
  const exit = watch(id, '--on', 'exit', '--on', 'bell', '--json')
  await home.ok('keys', id, 'Enter')
  expect(JSON.parse(await exit.next())).toMatchObject({ event: 'exit', exit: { code: 7, signal: null } })
  expect(await exit.status).toBe(0)
  const { stdout } = await home.run(['watch', id, '--on', 'exit'])
  expect(stdout).toBe('exit 7\n') // of a session that has ended already
})

test('follows a session to the host that runs it', async () => {
  const id = await home.ok('create', '--dedicated', '--', 'sh', '-c', 'read x; exit 4')
  const { next, status } = watch(id, '--on', 'exit', '--on', 'idle', '--idle-ms', '1')
  expect(await next()).toBe('idle 1')
  await home.ok('keys', id, 'Enter')
  await until('the exit is told', async () => (await next()) === 'exit 4')
  expect(await status).toBe(0)
})

test('runs a command at each event, in order, that knows what happened and where', async () => {
  const id = await home.ok('create', '--', ...program.command)
  const command = 'echo "$TRANSOM_EVENT|$TRANSOM_SESSION|$TRANSOM_TEXT" >>seen; [ "$TRANSOM_EVENT" != bell ]'
  const { stderr, code } = await (async () => {
    const running = home.run([
      'watch',
      id,
      '--on',
      'text:$(id)',
      '--on',
      'bell',
      '--on',
      'exit',
      '--exec',
      command,
    ])
    await until('the watch is connected', async () => {
      const { connections } = await home.json<{ connections: number }>('host', 'status')
      return connections > 1
    })
    program.print('it is $(id); `id`\r\n')
    await until('the text was seen', () => fs.existsSync(path.join(home.root, 'seen')))
    program.print('\x07')
    await until('the bell was seen', () =>
      fs.readFileSync(path.join(home.root, 'seen'), 'utf8').includes('bell'),
    )
    await home.ok('destroy', id)
    return running
  })()
  expect(fs.readFileSync(path.join(home.root, 'seen'), 'utf8').trim().split('\n')).toEqual([
    `text|${id}|it is $(id); \`id\``,
    `bell|${id}|1`,
    expect.stringMatching(`exit\\|${id}\\|SIG`),
  ])
  expect([code, stderr]).toEqual([0, 'watch: the command for bell failed: it ended with 1\n'])
})

test('says why it cannot watch, or no longer', async () => {
  expect(await home.run(['watch', 'nobody', '--on', 'exit'])).toMatchObject({ code: 66 })
  expect(await home.run(['watch', 'nobody'])).toMatchObject({ code: 64 })
  expect(await home.run(['watch', 'nobody', '--on', 'sunset'])).toMatchObject({ code: 64 })
  const id = await home.ok('create', '--', ...program.command)
  const killed = watch(id, '--on', 'idle', '--idle-ms', '1')
  await killed.next()
  process.kill(home.host().pid, 'SIGKILL')
  expect(await killed.status).toBe(69)
})

test('an interrupt ends the watch and nothing else', async () => {
  const id = await home.ok('create', '--', ...program.command)
  const { child, next, status } = watch(id, '--on', 'idle', '--idle-ms', '1')
  await next()
  child.kill('SIGINT')
  expect(await status).toBe(130)
  expect(await home.json('inspect', id)).toMatchObject({ status: 'running' })
})

test('tells of a question once, and withdraws it when it is answered', async () => {
  await home.ok(
    'create',
    '--name',
    'ask',
    '--',
    'sh',
    '-c',
    'read -p "Go on? [y/n] " x; echo got $x; sleep 60',
  )
  const { next } = watch('ask', '--on', 'needs-input', '--on', 'lease')
  expect(await next()).toBe('needs-input confirm: Go on? [y/n]')
  const lease = await home.ok('lease', 'take', 'ask', '--as', 'person')
  expect(await next()).toBe('answered confirm: Go on? [y/n]')
  expect(await next()).toBe('lease a person has taken it')
  await home.ok('lease', 'give', 'ask', '--lease', lease)
  expect(await next()).toBe('needs-input confirm: Go on? [y/n]')
  expect(await next()).toBe('lease it is free')
  await home.ok('type', 'ask', 'y', '--enter')
  expect(await next()).toBe('answered confirm: Go on? [y/n]')
})

test('watches all sessions of a Home, also those that come later', async () => {
  await home.startHost()
  const { next, child } = watch('--all', '--on', 'needs-input', '--on', 'exit')
  await home.ok(
    'create',
    '--name',
    'one',
    '--',
    'sh',
    '-c',
    'stty -echo; printf "Password: "; read x; exit 3',
  )
  expect(await next()).toBe('needs-input one: password: Password:')
  await home.ok('create', '--name', 'two', '--', 'sh', '-c', 'exit 0')
  expect(await next()).toBe('exit two: 0')
  await home.ok('type', 'one', 'secret', '--enter')
  expect(await next()).toBe('answered one: password: Password:')
  expect(await next()).toBe('exit one: 3')
  child.kill('SIGINT')
})

test('list shows what each session is doing', async () => {
  await home.ok('create', '--name', 'quiet', '--', 'sleep', '60')
  await home.ok('create', '--name', 'shell', '--', 'bash', '--norc')
  await home.ok('run', 'shell', '--', 'true')
  await home.ok('create', '--name', 'asks', '--', 'sh', '-c', 'read -p "Name: " x')
  await home.ok('wait', 'asks', '--needs-input')
  const { sessions } = await home.json<{ sessions: { name: string; activity: { state: string } }[] }>('list')
  const states = Object.fromEntries(sessions.map(({ name, activity }) => [name, activity.state]))
  expect(states).toEqual({ quiet: 'working', shell: 'idle', asks: 'needs_input' })
  expect(await home.ok('list')).toMatch(/asks +running +needs_input \(read\)/)
})
