/** A process that is killed at any of its writes to the disk loses nothing that it had appended. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Result } from '@transom/protocol'
import { Home } from '../packages/transom/src/home/home.ts'
import { reopenEvents } from '../packages/transom/src/home/session-events.ts'
import { EventStore } from '../packages/transom/src/log/event-store.ts'
import { repairLog } from '../packages/transom/src/log/repair-log.ts'
import { StoredEvents } from '../packages/transom/src/log/stored-events.ts'
import { COMPRESSED_FORMAT_VERSION, decodeFileHeader } from '../packages/transom/src/log/record.ts'
import { verifyLog } from '../packages/transom/src/log/verify-log.ts'
import { knownKinds } from '../packages/transom/src/main/kinds.ts'
import { replayLog } from '../packages/transom/src/evidence/replay/replay.ts'
import { screenHash } from '../packages/transom/src/session/snapshot.ts'
import { readLog } from './support/log-contents.ts'
import { FIXTURES, TestHome } from './support/test-home.ts'
import { until } from './support/until.ts'

const SESSION = 'crashing2345'
const AT_ONCE = 2 // most of the time a writer is starting
let root: string
let program: string
let mender: string

beforeAll(async () => {
  root = fs.mkdtempSync(path.join(import.meta.dirname, '..', 'node_modules', '.store-crash-')) // where koffi is found
  program = path.join(root, 'store-writer.mjs')
  mender = path.join(root, 'store-mender.mjs')
  await build({
    entryPoints: ['store-writer.ts', 'store-mender.ts'].map((name) => path.join(FIXTURES, name)),
    outdir: root,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['koffi'],
    logLevel: 'error',
  })
})

afterAll(() => fs.rmSync(root, { recursive: true, force: true }))

/** Runs the writer; returns the hash of the screen after each seq that it said was appended. */
async function write(homePath: string, dieAt: number): Promise<{ hashes: string[]; signal: string | null }> {
  const child = spawn(process.execPath, [program, homePath, String(dieAt)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.on('data', (chunk) => (printed += String(chunk)))
  const signal = await new Promise<string | null>((resolve) => child.on('close', (_, by) => resolve(by)))
  return {
    hashes: printed
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split(' ')[1] ?? ''),
    signal,
  }
}

function isCompressed(home: string, name: string): boolean {
  const bytes = fs.readFileSync(path.join(Home.at(home).sessionFolder(SESSION), name))
  return decodeFileHeader(bytes) === COMPRESSED_FORMAT_VERSION
}

const hashAt = async (home: Home, seq?: number) =>
  screenHash(
    (await replayLog({ events: home.events(SESSION), kinds: knownKinds() }, { seq })).screen.canonical(),
  )

test('a writer killed at any of its writes leaves every record, and the screen that it showed', async () => {
  const whole = path.join(root, 'whole')
  const { hashes: expected } = await write(whole, 0)
  const writes = Number(fs.readFileSync(path.join(whole, 'writes'), 'utf8'))
  const folder = fs.readdirSync(Home.at(whole).sessionFolder(SESSION))
  expect(folder.filter((name) => name.endsWith('.log')).length).toBeGreaterThan(2)
  expect(folder.filter((name) => name.includes('checkpoint')).length).toBeGreaterThan(1)
  const compressed = folder.filter((name) => name.endsWith('.log') && isCompressed(whole, name))
  expect(compressed).toContain('events.log')
  expect(compressed.length).toBeGreaterThan(2)
  const left = Array.from({ length: writes }, (_, index) => index + 1)
  const worker = async () => {
    for (let at = left.shift(); at !== undefined; at = left.shift()) await crashAt(at, expected)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}, 300_000)

async function crashAt(at: number, expected: readonly string[]): Promise<void> {
  const homePath = path.join(root, `home-${at}`)
  const { hashes, signal } = await write(homePath, at)
  // A slow machine syncs more often while it writes: this one may have been done before its write of this number.
  if (signal === null) expect(Number(fs.readFileSync(path.join(homePath, 'writes'), 'utf8'))).toBeLessThan(at)
  else expect({ at, signal }).toEqual({ at, signal: 'SIGKILL' })
  const home = Home.at(homePath)
  const manifest = home.readManifest(SESSION)
  const file = home.events(SESSION).path
  if (!fs.existsSync(file)) return expect(hashes).toEqual([])
  // Before it is touched: what a reader finds beside the corpse.
  if (hashes.length > 0)
    expect({ at, hash: await hashAt(home, hashes.length) }).toEqual({ at, hash: hashes.at(-1) })
  const store = await reopenEvents(home, SESSION, {
    now: () => 99,
    segmentBytesMax: 900,
    compressedBytesMin: 0,
  })
  const seq = store?.seq ?? 0
  expect({ at, lost: seq < hashes.length }).toEqual({ at, lost: false })
  if (seq > 0) expect({ at, hash: await hashAt(home) }).toEqual({ at, hash: expected[seq - 1] })
  expect(store?.appendFact('status', { status: 'failed', reason: 'host lost' })).toBe(seq + 1)
  await store?.close()
  expect((await readLog(file)).length).toBe(seq + 1)
  expect((await verifyLog(home.events(SESSION))).report).toMatchObject({ tail: 'none', missing: 0 })
  expect(fs.readdirSync(path.dirname(file)).filter((name) => /^events.*\.tmp$/.test(name))).toEqual([])
  if (seq > 0) {
    expect({ at, hash: await hashAt(home) }).toEqual({ at, hash: expected[seq - 1] })
    expect(manifest?.session).toBe(SESSION) // whole, or replaced as a whole
  }
  fs.rmSync(homePath, { recursive: true })
}

/** A log of several segments; returns its folder. */
async function writeLog(name: string, records: number): Promise<string> {
  const folder = path.join(root, name)
  fs.mkdirSync(folder)
  const store = EventStore.create(folder, { now: () => 1, segmentBytesMax: 250 })
  for (let seq = 1; seq <= records; seq++) store.append('output', Buffer.from(`record ${seq}`))
  await store.close()
  return folder
}

async function textsOf(folder: string): Promise<string[]> {
  const texts: string[] = []
  for await (const records of StoredEvents.at(folder).read())
    texts.push(...records.map(({ seq, payload }) => `${seq} ${Buffer.from(payload).toString()}`))
  return texts
}

/** Runs the mender on a copy of a folder, until it dies at a write; false if it had ended before. */
async function dyingMender(
  what: string,
  at: number,
  folder: string,
  examine: (corpse: string) => Promise<void>,
): Promise<boolean> {
  const corpse = `${folder}-${what}-${at}`
  fs.cpSync(folder, corpse, { recursive: true })
  const child = spawn(process.execPath, [mender, corpse, String(at), what], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  expect({ at, code, signal }).toEqual({
    at,
    ...(code === 0 ? { code, signal } : { code: null, signal: 'SIGKILL' }),
  })
  await examine(corpse)
  fs.rmSync(corpse, { recursive: true })
  return code === null
}

test('a log is reopened after a process that was killed while it reopened it', async () => {
  const folder = await writeLog('torn', 20)
  const segments = fs.readdirSync(folder).filter((name) => /^events-.*\.log$/.test(name))
  const last = path.join(folder, segments.toSorted().at(-1) ?? '')
  fs.truncateSync(last, fs.statSync(last).size - 3)
  fs.writeFileSync(path.join(folder, 'events.log.0123456789ab.tmp'), 'left behind')
  const before = await textsOf(folder)
  expect(before.length).toBe(19)
  const examine = async (corpse: string) => {
    expect((await textsOf(corpse)).slice(0, before.length)).toEqual(before)
    const store = await EventStore.reopen(corpse, { now: () => 99 })
    store?.append('output', Buffer.from('the end'))
    await store?.close()
    expect((await textsOf(corpse)).at(-1)).toMatch(/^2[01] the end$/)
    expect((await verifyLog(StoredEvents.at(corpse))).report).toMatchObject({ tail: 'none', missing: 0 })
  }
  for (let at = 1; await dyingMender('reopen', at, folder, examine); at++);
}, 120_000)

test('a log is repaired after a process that was killed while it repaired it', async () => {
  const folder = await writeLog('damaged', 20)
  const segments = fs.readdirSync(folder).filter((name) => /^events.*\.log$/.test(name))
  for (const name of [segments.at(-1), segments[1]].flatMap((it) => it ?? [])) {
    const file = path.join(folder, name)
    const bytes = fs.readFileSync(file)
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0xff
    fs.writeFileSync(file, bytes)
  }
  const repaired = `${folder}-whole`
  fs.cpSync(folder, repaired, { recursive: true })
  await repairLog(StoredEvents.at(repaired), { dryRun: false, now: 1 })
  const expected = await textsOf(repaired)
  expect(expected.length).toBeGreaterThan(15)
  const examine = async (corpse: string) => {
    await repairLog(StoredEvents.at(corpse), { dryRun: false, now: 2 })
    expect(await textsOf(corpse)).toEqual(expected)
    expect((await verifyLog(StoredEvents.at(corpse))).report.tail).not.toBe('damaged')
  }
  for (let at = 1; await dyingMender('repair', at, folder, examine); at++);
}, 120_000)

test('checkpoints are usable after a process that was killed while it thinned them out', async () => {
  const folder = await writeLog('thinned', 1100)
  const examine = async (corpse: string) => {
    const events = StoredEvents.at(corpse)
    const newest = await events.readCheckpoint('count', 1100)
    expect(Buffer.from(newest?.state ?? []).toString()).toBe(String(newest?.seq))
    const early = await events.readCheckpoint('count', (newest?.seq ?? 0) - 1)
    expect(early?.seq).toBeLessThan(newest?.seq ?? 0)
    expect((await textsOf(corpse)).length).toBe(1100)
  }
  for (const at of [1, 2, 7]) expect(await dyingMender('thin', at, folder, examine)).toBe(true)
  expect(await dyingMender('thin', 0, folder, examine)).toBe(false)
}, 120_000)

test('a host killed while a session writes its checkpoints leaves a log that shows what it showed', async () => {
  await using home = new TestHome()
  const session = await home.ok('create', '--', 'sh', '-c', 'seq 1 3000000')
  const folder = path.dirname(home.logPath(session))
  const checkpoints = () => fs.readdirSync(folder).filter((name) => name.includes('checkpoint'))
  await until('a checkpoint is there', () => checkpoints().length > 0)
  process.kill(home.host().pid, 'SIGKILL')
  const shown = async () => home.json<Result<'session.snapshot'>>('snapshot', session, '--scrollback')
  const fast = await shown()
  expect(await home.json('inspect', session)).toMatchObject({ status: 'failed', ended_by: 'host_lost' })
  await home.ok('host', 'stop')
  for (const name of checkpoints()) fs.rmSync(path.join(folder, name))
  expect(await shown()).toEqual(fast)
  expect(await home.json('log', 'verify', session)).toMatchObject({ tail: 'none', missing: 0 })
})
