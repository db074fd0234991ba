/** A recorder ends with the request or the host that wanted it, and leaves nothing unfinished behind. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Client } from '@transom/client'
import { EventStore } from '../packages/transom/src/log/event-store.ts'
import { childrenOf, isAlive } from './support/processes.ts'
import { TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'

let home: TestHome
let client: Client
let target: string
let recorder: number

/** Has a recording of pictures begun that takes minutes. */
beforeEach(async () => {
  home = new TestHome()
  const session = await home.ok('create', '--cols', '250', '--rows', '90', '--', 'true')
  await home.ok('wait', session, '--exit')
  await addFrames(session, 5000)
  target = path.join(home.root, 'target')
  fs.mkdirSync(target)
  client = await home.connect()
  const out = path.join(target, 'long.png')
  client.call('session.export', { session, out, format: 'apng', scale: 3, fps: 20 }).catch(() => {})
  await until('a picture is written', () =>
    fs.readdirSync(target).some((name) => fs.statSync(path.join(target, name)).size > 0),
  )
  const [found] = childrenOf(home.host().pid).filter(({ argv }) => argv[1] === '-')
  if (found === undefined) throw new Error('the recorder is a child of the host')
  recorder = found.pid
})

afterEach(async () => {
  client.close()
  await home.close()
})

/** Lets an ended session have printed a screen ten times a second. */
async function addFrames(session: string, count: number): Promise<void> {
  let time = Date.now()
  const folder = path.dirname(home.logPath(session))
  const log = await until(
    'the log is free',
    async () => (await EventStore.reopen(folder, { now: () => (time += 100) })) ?? false,
  )
  for (let index = 0; index < count; index++)
    log.append('output', Buffer.from(`\x1b[H${String(index).padStart(5, '0').repeat(200)}`))
  await log.close()
}

test('when the host is asked to leave', async () => {
  const { pid } = home.host()
  process.kill(pid, 'SIGTERM')
  await until('the host has left', () => !isAlive(pid))
  expect([isAlive(recorder), fs.readdirSync(target)]).toEqual([false, []])
})

test('when the host is killed', async () => {
  process.kill(home.host().pid, 'SIGKILL')
  await until('the recorder has ended', () => !isAlive(recorder))
  await until('nothing is left', () => fs.readdirSync(target).length === 0)
  expect(await home.ok('list', '--all')).toContain('exited')
})

test('when its client has left', async () => {
  const { pid } = home.host()
  client.close()
  await until('the recorder has ended', () => !isAlive(recorder))
  await until('nothing is left', () => fs.readdirSync(target).length === 0)
  expect(isAlive(pid)).toBe(true)
})
