import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sessionStatus, type SessionStatus } from '@transom/protocol'
import { Home } from '../home/home.ts'
import { createEvents } from '../home/session-events.ts'
import type { EventStore } from '../log/event-store.ts'
import { collectGarbage } from './garbage-collection.ts'

const NOW = Date.UTC(2026, 5, 1)
const DAY_MS = 86_400_000

let folder: string
let home: Home

beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-gc-'))
  home = Home.open(folder)
})

afterEach(() => fs.rmSync(folder, { recursive: true }))

const collect = () => collectGarbage(home, { olderThanMs: 0, dryRun: false, now: NOW })
const ids = () => fs.readdirSync(path.join(folder, 'sessions'))

function writeSession(session: string, status: SessionStatus): EventStore {
  home.createSessionFolder(session)
  const log = createEvents(home, session, { now: () => NOW })
  const time = new Date(NOW - DAY_MS).toISOString()
  home.writeManifest({
    version: 1,
    session,
    name: null,
    kind: 'terminal',
    status,
    command: ['cat'],
    cwd: '/',
    cols: 80,
    rows: 24,
    pid: null,
    created_at: time,
    ended_at: time,
    exit: null,
    failure: null,
    ended_by: null,
    paused: null,
    process_mark: '1',
    host_socket: '/nowhere.sock',
    host_protocol: 1,
  })
  return log
}

test('only Collectable Sessions go, whatever lock is free', async () => {
  for (const status of sessionStatus.options) await writeSession(status, status).close()
  const { sessions } = await collect()
  expect(sessions.map(({ session }) => session).toSorted()).toEqual(['destroyed', 'exited', 'failed'])
  expect(ids().toSorted()).toEqual(['destroying', 'exiting', 'running', 'starting'])
})

test('a session whose log is still held stays, whatever its manifest says', async () => {
  const log = writeSession('held', 'exited')
  expect(await collect()).toMatchObject({ sessions: [], bytes: 0 })
  await log.close()
  expect((await collect()).sessions).toMatchObject([{ session: 'held', outcome: 'removed' }])
})

test('a folder without a manifest stays for a day, and as long as its log is held', async () => {
  const id = 'abcdefgh2345'
  home.createSessionFolder(id)
  const log = createEvents(home, id, { now: () => NOW })
  const age = (ms: number) => fs.utimesSync(home.sessionFolder(id), new Date(NOW - ms), new Date(NOW - ms))
  age(2 * DAY_MS)
  expect((await collect()).sessions).toEqual([])
  await log.close()
  age(DAY_MS - 1000)
  expect((await collect()).sessions).toEqual([])
  age(DAY_MS)
  expect((await collect()).sessions).toMatchObject([{ session: id, status: null, outcome: 'removed' }])
})

test('the next collection finishes an interrupted one, whose sessions stay hidden meanwhile', async () => {
  await writeSession('half', 'exited').close()
  home.setAsideSessionFolder('half')
  expect(home.readManifests()).toEqual([])
  expect((await collect()).sessions).toMatchObject([{ session: 'half', status: null, outcome: 'removed' }])
  expect(ids()).toEqual([])
})

test('a session folder that is a link loses the link alone', async () => {
  await writeSession('real', 'exited').close()
  const elsewhere = path.join(folder, 'elsewhere')
  fs.renameSync(home.sessionFolder('real'), elsewhere)
  fs.symlinkSync(elsewhere, home.sessionFolder('real'))
  await collect()
  expect(ids()).toEqual([])
  expect(fs.readdirSync(elsewhere).toSorted()).toEqual(['events.log', 'manifest.json'])
})
