import fsModule, * as fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import * as os from 'node:os'
import * as path from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { EVENT_TYPE_NUMBERS, type EventRecord } from '@transom/protocol'
import { OpError } from '@transom/protocol/errors'
import { Grid, canonicalText, createGridTables } from '@transom/grid'
import { Home } from '../home/home.ts'
import type { Scope } from '../lib/scope.ts'
import { eventRecord } from '../log/event-record.ts'
import type { LogRecord } from '../log/record.ts'
import { ChildReaper } from '../platform/child-reaper.ts'
import type { Act, Acted, EventSink, KindDefinition, Source } from './kind.ts'
import { KindRegistry } from './kind-registry.ts'
import type { PauseReason } from './pause-reasons.ts'
import type { Projection } from './projection.ts'
import type { Session } from './session.ts'
import { Sessions } from './sessions.ts'

/** Shows the last text that its source printed. */
class TextProjection implements Projection {
  readonly views = {}
  seq = 0
  #grid = new Grid(20, 2, createGridTables())

  apply(record: LogRecord): void {
    this.seq = record.seq
    if (record.typeNumber !== EVENT_TYPE_NUMBERS.output) return
    this.#grid = new Grid(20, 2, createGridTables())
    Array.from(Buffer.from(record.payload).toString()).forEach((character, index) => {
      this.#grid.codes[index] = character.codePointAt(0) ?? 0
    })
  }

  frame() {
    const cursor = { row: 0, col: 0, visible: true, shape: 'block', blink: false } as const
    const rest = { title: '', bells: 0, firstLine: 0, editedLines: [] }
    return { grid: this.#grid, text: this.#grid, cursor, ...rest }
  }

  canonical() {
    return canonicalText(this.#grid)
  }

  checkpoint() {
    return null
  }
}

/** A source that does what a test says. */
class FakeSource implements Source {
  readonly capabilities = {}
  readonly sink: EventSink
  readonly scope: Scope
  readonly pauses: PauseReason[][] = []
  endWith: () => Promise<readonly number[]> = async () => {
    this.exits(0)
    return []
  }
  closed = false

  constructor(sink: EventSink, scope: Scope) {
    this.sink = sink
    this.scope = scope
    sink.started(1234)
  }

  async act(act: Act): Promise<Acted> {
    const text = act.act === 'type' ? act.text : act.act
    const seq = this.sink.commit('input', { actor: 'test', via: 'type', length: text.length, data_b64: null })
    this.sink.entered(seq)
    this.prints(text)
    return { seq }
  }

  pause(reasons: ReadonlySet<PauseReason>): void {
    this.pauses.push([...reasons])
  }

  async end(): Promise<readonly number[]> {
    return this.endWith()
  }

  close(): void {
    this.closed = true
  }

  prints(text: string): void {
    this.sink.output(Buffer.from(text))
  }

  exits(code: number): void {
    this.sink.exiting()
    this.sink.exited({ code, signal: null })
  }
}

let root: string
let home: Home
let sessions: Sessions
let started: FakeSource[]
let errors: string[]
const ACTOR = { actor: 'test' }
const never = new AbortController().signal

beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'transom-session-'))
  home = Home.open(root)
  started = []
  errors = []
  const fake: KindDefinition<object> = {
    name: 'fake',
    words: 'a fake',
    capabilities: new Set(),
    shows: 'output',
    options: z.strictObject({}),
    isMeantBy: () => false,
    project: () => new TextProjection(),
    exportText: () => ({ take: () => [], end: () => [] }),
    plan: () => ({
      about: { command: [], cwd: '/', cols: 20, rows: 2 },
      start: ({ sink, scope }) => {
        const source = new FakeSource(sink, scope)
        started.push(source)
        return source
      },
    }),
  }
  sessions = new Sessions({
    home,
    kinds: new KindRegistry().add(fake),
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

async function create(): Promise<{ session: Session; source: FakeSource }> {
  const session = await sessions.create({}, ACTOR)
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
    const { seq } = await session.act({ act: 'type', text: 'hello' }, ACTOR)
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
    await expect(session.act({ act: 'type', text: 'x' }, ACTOR)).rejects.toMatchObject({
      code: 'session_ended',
    })
  })

  test('is destroyed once, whoever asks, and keeps what could not be ended', async () => {
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
    await other.session.act({ act: 'type', text: 'still here' }, ACTOR)
    expect(other.session.screen.canonical().text).toBe('still here')
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

  test('what a source reports after the end of its session goes nowhere', async () => {
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
    const { fdatasync } = fsModule
    const failing = ((_fd: number, callback: (error: NodeJS.ErrnoException) => void) =>
      setImmediate(() =>
        callback(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })),
      )) as unknown as typeof fdatasync
    Object.assign(fsModule, { fdatasync: failing })
    syncBuiltinESMExports()
    try {
      source.exits(0)
      await session.whenClosed()
    } finally {
      Object.assign(fsModule, { fdatasync })
      syncBuiltinESMExports()
    }
    expect(session.manifest).toMatchObject({
      status: 'failed',
      exit: { code: 0 },
      failure: expect.stringContaining('EIO'),
    })
    expect(home.readManifests().find((it) => it.session === session.id)).toMatchObject({ status: 'failed' })
    await other.session.act({ act: 'type', text: 'goes on' }, ACTOR)
    expect(other.session.manifest.status).toBe('running')
  })
})

describe('a session is paused', () => {
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
