/** Logs as large as real ones get. Written straight to disk: a program would take minutes to print them. */
import * as fs from 'node:fs'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Result } from '@transom/protocol'
import type { Manifest } from '../packages/transom/src/home/manifest.ts'
import { EventStore } from '../packages/transom/src/log/event-store.ts'
import { TestHome } from './support/test-home.ts'

const FULL = process.env['TRANSOM_FULL'] === '1'
const EVENTS = FULL ? 300_000 : 60_000
const BYTES = FULL ? 1 << 30 : 24 << 20
/** Far more than a session takes, far less than a log. */
const GROWTH_BYTES_MAX = 300 << 20

let home: TestHome

beforeEach(async () => {
  home = new TestHome()
  await home.startHost()
})

afterEach(async () => {
  await home.close()
})

/** An ended session whose log holds `count` outputs. */
async function writeSession(id: string, count: number, output: (index: number) => string): Promise<void> {
  fs.mkdirSync(path.dirname(home.logPath(id)), { mode: 0o700 })
  const log = EventStore.create(path.dirname(home.logPath(id)), { now: Date.now })
  const created = { session: id, command: ['x'], cwd: '/', cols: 80, rows: 24 }
  log.appendFact('created', created)
  for (let index = 0; index < count; index++) log.append('output', Buffer.from(output(index)))
  log.appendFact('exit', { code: 0, signal: null })
  await log.close()
  const time = new Date().toISOString()
  const manifest: Manifest = {
    ...created,
    version: 1,
    name: null,
    kind: 'terminal',
    status: 'exited',
    pid: null,
    created_at: time,
    ended_at: time,
    exit: { code: 0, signal: null },
    failure: null,
    ended_by: 'exit',
    paused: null,
    process_mark: '1',
    host_socket: '/nowhere.sock',
    host_protocol: 1,
  }
  fs.writeFileSync(path.join(path.dirname(home.logPath(id)), 'manifest.json'), JSON.stringify(manifest))
}

async function hostBytes(): Promise<number> {
  return (await home.json<Result<'host.status'>>('host', 'status')).rss_bytes
}

describe('a large log stays usable', () => {
  test(`with ${EVENTS} events: shown, waited on, verified and collected`, async () => {
    await writeSession('manyevents2', EVENTS, (index) => `event ${index}\r\n`)
    expect(await home.ok('snapshot', 'manyevents2')).toContain(`event ${EVENTS - 1}`)
    await home.ok('wait', 'manyevents2', '--text', `event ${EVENTS - 1}`, '--timeout', '600000')
    expect(await home.json('inspect', 'manyevents2')).toMatchObject({ seq: EVENTS + 2 })
    expect(await home.json('log', 'verify', 'manyevents2')).toMatchObject({
      records: EVENTS + 2,
      tail: 'none',
    })
    await home.ok('gc')
    expect(fs.existsSync(home.logPath('manyevents2'))).toBe(false)
  }, 600_000)

  test(`with ${BYTES >> 20} MB: shown at its end while the host does not grow by it`, async () => {
    const line = `${'0123456789'.repeat(7)}\r\n`
    const chunk = line.repeat(Math.floor((64 << 10) / line.length))
    const count = Math.ceil(BYTES / chunk.length)
    await writeSession('manybytes22', count, (index) => (index === count - 1 ? `${chunk}the end\r\n` : chunk))
    const before = await hostBytes()
    expect(await home.ok('snapshot', 'manybytes22')).toMatch(/the end$/)
    expect(await home.json('log', 'verify', 'manybytes22')).toMatchObject({
      records: count + 2,
      tail: 'none',
    })
    expect((await hostBytes()) - before).toBeLessThan(GROWTH_BYTES_MAX)
  }, 600_000)
})
