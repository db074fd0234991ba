import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { TestHome } from './support/test-home.ts'

let home: TestHome

beforeEach(() => {
  home = new TestHome()
})

afterEach(async () => {
  await home.close()
})

const logText = () => fs.readFileSync(path.join(home.path, 'host-debug.log'), 'utf8')
const requests = () =>
  logText()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { event: string; operation?: string })
    .filter(({ event }) => event === 'request')

test('--debug tells on standard error what is done, and the host it starts keeps a log', async () => {
  const { stdout, stderr } = await home.run(['--debug', 'create', '--env', 'KEY=hunter2', '--', 'cat'])
  expect(stdout).toMatch(/^\S+\n$/)
  expect(stderr.split('\n').filter(Boolean)).toEqual([
    expect.stringMatching(/^debug: [\d.]+ ms: no host is announced in /),
    expect.stringContaining('starting a host'),
    expect.stringContaining(`ready at ${home.host().socket}`),
    expect.stringContaining('asking for session.create'),
    expect.stringContaining('answered'),
  ])
  await home.ok('type', stdout.trim(), 'hunter2', '--enter')
  const failed = await home.run(['inspect', 'nobody'], { env: { TRANSOM_DEBUG: '1' } })
  expect(failed.stderr).toContain('failed with session_not_found')
  expect(requests()).toMatchObject([
    { operation: 'session.create', error: null },
    { operation: 'session.type', session: stdout.trim(), sizes: { text: 7 }, error: null },
    { operation: 'session.inspect', session: 'nobody', error: 'session_not_found' },
    { operation: 'session.list', error: null }, // for a session of nearly that name
  ])
  expect(logText() + stderr).not.toContain('hunter2')
})

test('without it nothing is written, until a running host is told to', async () => {
  expect((await home.run(['home', 'list'])).stderr).toBe('')
  expect(fs.existsSync(path.join(home.path, 'host-debug.log'))).toBe(false)
  expect(await home.ok('host', 'debug', 'on')).toBe(path.join(home.path, 'host-debug.log'))
  await home.ok('list')
  expect(await home.json('host', 'debug', 'off')).toMatchObject({ enabled: false })
  await home.ok('list', '--all')
  expect(requests().map(({ operation }) => operation)).toEqual(['host.debug', 'session.list'])
})

test('a Home that has only a debug log left in it is still a Home', async () => {
  await home.run(['--debug', 'home', 'list'])
  await home.run(['host', 'stop'])
  fs.rmSync(path.join(home.path, 'home.json'))
  fs.rmSync(path.join(home.path, 'sessions'), { recursive: true })
  expect((await home.run(['list'])).code).toBe(0)
})
