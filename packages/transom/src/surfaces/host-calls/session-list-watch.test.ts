import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Home } from '../../home/home.ts'
import type { Manifest } from '../../home/manifest.ts'
import { SessionListWatch } from './session-list-watch.ts'

let root: string
let home: Home
let told: string[]
let wake: () => void

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-list-'))
  home = Home.open(path.join(root, 'home'))
  told = []
  wake = () => {}
})

afterEach(() => fs.rmSync(root, { recursive: true }))

function manifestOf(session: string, ended: boolean): Manifest {
  return {
    session,
    name: null,
    kind: 'terminal',
    status: ended ? 'exited' : 'running',
    command: ['cat'],
    cwd: '/',
    cols: 80,
    rows: 24,
    pid: null,
    created_at: '2026-01-01T00:00:00.000Z',
    ended_at: ended ? '2026-01-01T00:00:01.000Z' : null,
    exit: null,
    failure: null,
    ended_by: null,
    paused: null,
    process_mark: '1',
    version: 1,
    host_socket: '/nowhere.sock',
    host_protocol: 1,
  }
}

function listen(watch: SessionListWatch): () => void {
  return watch.subscribe((session) => {
    told.push(session)
    wake()
  })
}

async function untilTold(count: number): Promise<void> {
  while (told.length < count) await new Promise<void>((resolve) => (wake = resolve))
}

test('a session comes with its manifest, not with its folder, and goes when it has ended or is removed', async () => {
  home.createSessionFolder('old')
  home.writeManifest(manifestOf('old', false))
  const watch = new SessionListWatch(home)
  const stop = listen(watch)
  expect(told).toEqual([])
  home.createSessionFolder('young')
  home.writeManifest(manifestOf('young', false))
  await untilTold(1)
  expect(told).toEqual(['young'])
  home.writeManifest({ ...manifestOf('young', false), cols: 100 }) // no news to a list
  home.writeManifest(manifestOf('young', true))
  await untilTold(2)
  expect(told).toEqual(['young', 'young'])
  home.removeSessionFolder('old')
  await untilTold(3)
  expect(told).toEqual(['young', 'young', 'old'])
  stop()
})

test('a stopped listener gets nothing, and a later one gets what follows', async () => {
  const watch = new SessionListWatch(home)
  listen(watch)()
  home.createSessionFolder('unseen')
  home.writeManifest(manifestOf('unseen', false))
  const stop = listen(watch)
  home.createSessionFolder('seen')
  home.writeManifest(manifestOf('seen', false))
  await untilTold(1)
  expect(told).toEqual(['seen'])
  fs.rmSync(home.path, { recursive: true }) // a Home that is removed takes its sessions along
  await untilTold(3)
  expect(told.toSorted()).toEqual(['seen', 'seen', 'unseen'])
  stop()
})
