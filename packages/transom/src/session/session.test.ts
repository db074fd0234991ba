import * as fs from 'node:fs'
import * as os from 'node:os'
import * as path from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { EventRecord } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { READ_ONLY, SYNC_FAILS, withFileSystem } from '../../../../test/support/failing-disk.ts'
import { fakeKind, type FakeSource } from '../../../../test/support/fake-kind.ts'
import { Home } from '../home/home.ts'
import { CdpClient } from '../kinds/web/cdp-client.ts'
import { folderSize } from '../lib/folder-size.ts'
import { eventRecord } from '../log/event-record.ts'
import { ChildReaper } from '../platform/child-reaper.ts'
import { KindRegistry } from './kind-registry.ts'
import type { Session } from './session.ts'
import { Sessions } from './sessions.ts'

let root: string
let home: Home
let sessions: Sessions
let started: FakeSource[]
let errors: string[]
const ACTOR = { actor: 'test' }
const WRITER = { actor: ACTOR, right: null }
const never = new AbortController().signal

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-session-'))
  home = Home.open(root)
  started = []
  errors = []
  sessions = new Sessions({
    home,
    kinds: new KindRegistry().add(fakeKind((source) => started.push(source))),
    reaper: new ChildReaper(),
    now: () => Date.now(),
    hostMark: 1n,
    limits: { quota: { sessionBytes: 1 << 20, homeBytes: 1 << 30, policy: 'pause' }, idleTimeoutMs: null },
    socket: '/none',
    onCountChange: () => {},
    onError: (session, error) => errors.push(`${session}: ${String(error)}`),
  })
})

afterEach(async () => {
  await sessions.destroyAll()
  fs.rmSync(root, { recursive: true, force: true })
})

async function create(request = {}): Promise<{ session: Session; source: FakeSource }> {
  const session = await sessions.create(request, ACTOR)
  const source = started.at(-1)
  if (source === undefined) throw new Error('the source was started')
  return { session, source }
}

async function recordsOf(session: string): Promise<EventRecord[]> {
  const all: EventRecord[] = []
  for await (const records of home.events(session).read()) all.push(...records.map(eventRecord))
  return all
}

describe('a session', () => {
  test('goes from the log over the projection to those that wait', async () => {
    const { session } = await create()
    const waiting = session.wait({ text: 'hello', timeout_ms: 5000, settle_ms: 100 }, never)
    const { seq } = await session.act({ act: 'type', text: 'hello' }, WRITER)
    expect(await waiting).toMatchObject({ matched: true, outcome: 'changed', match: { text: 'hello' } })
    expect(session.screen.seq).toBe(seq + 1)
    expect((await recordsOf(session.id)).map(({ type }) => type)).toEqual(['created', 'input', 'output'])
  })

  test('ends with its program, and is known from disk afterwards', async () => {
    const { session, source } = await create()
    source.exits(3)
    await session.whenClosed()
    expect(session.manifest).toMatchObject({ status: 'exited', exit: { code: 3 }, ended_by: 'exit' })
    expect(source.closed).toBe(true)
    expect((await sessions.find(session.id)).live).toBeNull()
    await expect(session.act({ act: 'type', text: 'x' }, WRITER)).rejects.toMatchObject({
      code: 'session_ended',
    })
  })

  test('is destroyed once for all callers, and keeps what could not be ended', async () => {
    const { session, source } = await create()
    source.endWith = async () => [42]
    const [one, other] = await Promise.all([session.destroy(), session.destroy('quota')])
    expect(one).toBe(other)
    expect(one).toMatchObject({
      status: 'destroyed',
      ended_by: 'destroy',
      failure: expect.stringContaining('42'),
    })
  })

  test('refuses what its kind cannot do, by the name of the capability', async () => {
    const { session } = await create()
    expect(() => session.capability('blocks')).toThrow(/is a fake, and this is for a shell with blocks/)
    await expect(
      session.wait({ needs_input: true, timeout_ms: 10, settle_ms: 0 }, never),
    ).rejects.toMatchObject({ code: 'wrong_kind', details: { wanted: 'needs_input' } })
  })
})

describe('a failure is local', () => {
  test('an error in a callback of one source fails that session and no other', async () => {
    const { session, source } = await create()
    const other = await create()
    source.scope.guard(() => {
      throw new Error('a bug in a callback')
    })()
    await session.whenClosed()
    expect(session.manifest).toMatchObject({
      status: 'failed',
      ended_by: 'session_error',
      failure: expect.stringContaining('a bug in a callback'),
    })
    expect(errors).toEqual([expect.stringContaining(`${session.id}: Error: a bug in a callback`)])
    expect((await recordsOf(session.id)).at(-1)).toMatchObject({
      type: 'status',
      fields: { status: 'failed' },
    })
    await other.session.act({ act: 'type', text: 'still here' }, WRITER)
    expect(other.session.screen.canonical().text).toBe('still here')
  })

  test('an error in a listener to a browser fails the session of that browser and no other', async () => {
    const { session, source } = await create()
    const other = await create()
    const incoming = new PassThrough()
    const cdp = new CdpClient(new PassThrough(), incoming, source.scope)
    cdp.on('Page.frameResized', () => {
      throw new Error('a bug in a listener')
    })
    incoming.write(`${JSON.stringify({ method: 'Page.frameResized', params: {} })}\0`)
    await session.whenClosed()
    expect(session.manifest).toMatchObject({ failure: expect.stringContaining('a bug in a listener') })
    expect(other.session.manifest.status).toBe('running')
  })

  test('an error in a task of one source fails that session', async () => {
    const { session, source } = await create()
    source.scope.run(async () => Promise.reject(new Error('a bug in a task')))
    await session.whenClosed()
    expect(session.manifest).toMatchObject({ status: 'failed' })
  })

  test('a source that cannot be ended fails its session', async () => {
    const { session, source } = await create()
    source.endWith = async () => Promise.reject(new Error('it hangs'))
    expect(await session.destroy()).toMatchObject({
      status: 'failed',
      failure: expect.stringContaining('hangs'),
    })
  })

  test('an error that keeps the exit from being seen does not keep the end waiting', async () => {
    const { session, source } = await create()
    source.endWith = async () => {
      source.scope.guard(() => {
        throw new Error('no exit')
      })()
      return []
    }
    expect(await session.destroy()).toMatchObject({ status: 'failed' })
  })

  test('reports of a source after the end of its session are ignored', async () => {
    const { session, source } = await create()
    source.exits(0)
    await session.whenClosed()
    source.prints('late')
    source.sink.append('prompt', { exit_code: 0, cwd: null })
    expect(session.manifest).toMatchObject({ status: 'exited', paused: null })
    expect((await recordsOf(session.id)).at(-1)).toMatchObject({ type: 'exit' })
    expect(() => session.log.append('output', Buffer.from('late'))).toThrow(/closed|ended/)
  })

  test('a disk that does not sync at the exit fails the session, with the exit kept', async () => {
    const { session, source } = await create()
    const other = await create()
    const restore = withFileSystem(SYNC_FAILS)
    try {
      source.exits(0)
      await session.whenClosed()
    } finally {
      restore()
    }
    expect(session.manifest).toMatchObject({
      status: 'failed',
      exit: { code: 0 },
      failure: expect.stringContaining('EIO'),
    })
    expect(home.readManifests().find((it) => it.session === session.id)).toMatchObject({ status: 'failed' })
    await other.session.act({ act: 'type', text: 'goes on' }, WRITER)
    expect(other.session.manifest.status).toBe('running')
  })
})

describe('a disk that refuses to cut off half a record', () => {
  test('pauses the session, which resumes when the disk does', async () => {
    const { session, source } = await create()
    const other = await create()
    const restore = withFileSystem(READ_ONLY)
    try {
      source.scope.guard(() => source.prints('kept'))()
      expect(session.manifest).toMatchObject({ status: 'running', paused: 'disk' })
    } finally {
      restore()
    }
    await vi.waitFor(() => expect(session.screen.canonical().text).toBe('kept'))
    expect(session.manifest.paused).toBeNull()
    expect(other.session.manifest.status).toBe('running')
    expect(errors).toEqual([])
  })

  test('does not keep a session from being ended, by a limit or a caller', async () => {
    const { session } = await create()
    const restore = withFileSystem(READ_ONLY)
    try {
      session.setQuota({ sessionBytes: 1, policy: 'end' })
      expect(await session.destroy()).toMatchObject({ status: 'destroyed', ended_by: 'quota' })
    } finally {
      restore()
    }
  })

  test('fails the session if it does not sync either', async () => {
    const { session, source } = await create()
    source.prints('x')
    const restore = withFileSystem({ ...READ_ONLY, ...SYNC_FAILS })
    try {
      await session.whenClosed()
    } finally {
      restore()
    }
    expect(session.manifest).toMatchObject({ status: 'failed', failure: expect.stringContaining('EIO') })
  })
})

describe('a projection that breaks', () => {
  const broken = (session: Session) =>
    vi.spyOn(session.screen, 'apply').mockImplementation(() => {
      throw new Error('a broken projection')
    })

  test('fails its session, though the failure cannot be applied either', async () => {
    const { session, source } = await create()
    broken(session)
    source.scope.guard(() => source.prints('x'))()
    await session.whenClosed()
    expect(session.manifest).toMatchObject({ status: 'failed', failure: expect.stringContaining('broken') })
    expect((await recordsOf(session.id)).at(-1)).toMatchObject({ fields: { status: 'failed' } })
  })

  test('does not keep its session from being destroyed', async () => {
    const { session } = await create()
    broken(session)
    expect(await session.destroy()).toMatchObject({ status: 'failed' })
    expect(await session.destroy()).toMatchObject({ status: 'failed' })
  })
})

test('an error in the idle timer fails its session', async () => {
  const { session, source } = await create({ idle_timeout_ms: 20 })
  source.isBusy = () => {
    throw new Error('a bug in a getter')
  }
  await session.whenClosed()
  expect(session.manifest).toMatchObject({ failure: expect.stringContaining('a bug in a getter') })
})

describe('a session is paused', () => {
  test('at the quota of its Home, which counts all that is stored', async () => {
    const { session, source } = await create()
    session.setQuota({ homeBytes: folderSize(path.join(root, 'sessions')) + 500 })
    for (let index = 0; index < 50; index++) source.prints('x')
    expect(session.manifest.paused).toBe('quota')
  })

  test('for as long as there is any reason: a disk that recovers does not lift a quota', async () => {
    const { session, source } = await create()
    session.setQuota({ sessionBytes: 10 })
    source.prints('more than the quota allows')
    expect(session.manifest.paused).toBe('quota')
    const append = vi.spyOn(session.log, 'append').mockImplementation(() => {
      throw new OpError('disk_full', 'no space is left')
    })
    source.prints('on its way')
    expect([session.manifest.paused, source.pauses.at(-1)]).toEqual(['disk', ['quota', 'disk']])
    append.mockRestore()
    await vi.waitFor(() => expect(session.screen.canonical().text).toBe('on its way'))
    expect([session.manifest.paused, source.pauses.at(-1)]).toEqual(['quota', ['quota']])
    session.setQuota({ sessionBytes: 1 << 20 })
    expect([session.manifest.paused, source.pauses.at(-1)]).toEqual([null, []])
  })
})
