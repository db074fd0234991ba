/**
 * A Home that a build from before segments, kinds and principals has written (fixtures/former-home: an ended terminal,
 * a shell with blocks and a mark, a session whose host was killed, a web page), opened, used and read back. The hashes are
 * those that the former build reported.
 */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Result } from '@transom/protocol'
import { FIXTURES, TestHome } from './support/test-home.ts'

type Snapshot = Result<'session.snapshot'>

let home: TestHome

beforeEach(() => {
  home = new TestHome()
  fs.cpSync(path.join(FIXTURES, 'former-home'), home.path, { recursive: true })
  fs.chmodSync(home.path, 0o700)
})

afterEach(async () => home.close())

const shown = async (session: string, ...flags: string[]) => {
  const { screen_hash, lines } = await home.json<Snapshot>('snapshot', session, ...flags)
  return {
    screen_hash,
    text: lines
      .map(({ text }) => text.trimEnd())
      .join('\n')
      .trim(),
  }
}

test('its sessions are what they were, and the one whose host is gone has failed', async () => {
  const { sessions } = await home.json<Result<'session.list'>>('list', '--all')
  expect(sessions.map(({ name, kind, status, ended_by }) => [name, kind, status, ended_by])).toEqual([
    ['ended', 'terminal', 'exited', 'exit'],
    ['shell', 'terminal', 'destroyed', 'destroy'],
    ['crashed', 'terminal', 'failed', 'host_lost'],
    ['page', 'web', 'destroyed', 'destroy'],
  ])
  for (const { session } of sessions) await home.ok('log', 'verify', session)
})

test('each shows what it showed', async () => {
  expect(await shown('ended')).toEqual({
    screen_hash: '697eb7a9b10cbb13366d7fe249109f33',
    text: 'first red 漢字\n1\n2\n3',
  })
  expect(await shown('shell')).toEqual({
    screen_hash: '26a1e9e5fe2d646b19db3e3f025fc783',
    text: '$ echo from a block\nfrom a block\n$ false\n$ echo typed\ntyped\n$',
  })
  expect(await shown('crashed')).toEqual({
    screen_hash: 'e28dab9db8d2f2989452bd97f305f836',
    text: 'before the crash\nbefore the crash',
  })
  expect(await shown('page')).toEqual({
    screen_hash: 'a3b3091b04f9d5eda7f09c9547599411',
    text: 'A former page\n\n in red',
  })
})

test('its blocks, marks and actors are read', async () => {
  const { blocks } = await home.json<Result<'pty.blocks'>>('blocks', 'shell')
  expect(blocks.map(({ command, exit_code, actor }) => [command, exit_code, actor])).toEqual([
    ['echo from a block', 0, 'client'],
    ['false', 1, 'client'],
    ['echo typed', 0, null],
  ])
  expect(await home.ok('block', 'shell', '1')).toBe('from a block')
  expect((await shown('shell', '--at-mark', 'a mark')).text).toBe('$ echo from a block\nfrom a block\n$')
})

test('it is recorded from, and used', async () => {
  for (const session of ['ended', 'shell', 'crashed', 'page']) {
    const out = path.join(home.root, `${session}.cast`)
    await home.ok('export', session, '--out', out)
    expect(fs.statSync(out).size).toBeGreaterThan(50)
  }
  const session = await home.ok('create', '--name', 'shell', '--', 'bash', '--norc')
  expect(await home.ok('run', session, 'echo', 'in the former Home')).toContain('in the former Home')
  await home.ok('destroy', session)
  await home.ok('gc', '--older-than', '0s')
  expect(fs.readdirSync(path.join(home.path, 'sessions'))).toEqual([])
})
