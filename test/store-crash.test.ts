/** A process that is killed at any of its writes to the disk loses nothing that it had appended. */
import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import * as path from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Home } from '../packages/transom/src/home/home.ts'
import { reopenEvents } from '../packages/transom/src/home/session-events.ts'
import { COMPRESSED_FORMAT_VERSION, decodeFileHeader } from '../packages/transom/src/log/record.ts'
import { verifyLog } from '../packages/transom/src/log/verify-log.ts'
import { knownKinds } from '../packages/transom/src/main/kinds.ts'
import { replayLog } from '../packages/transom/src/evidence/replay/replay.ts'
import { screenHash } from '../packages/transom/src/session/snapshot.ts'
import { readLog } from './support/log-contents.ts'
import { FIXTURES } from './support/test-home.ts'

const SESSION = 'crashing2345'
const AT_ONCE = 2 // most of the time a writer is starting
let root: string
let program: string

beforeAll(async () => {
  root = fs.mkdtempSync(path.join(import.meta.dirname, '..', 'node_modules', '.store-crash-')) // where koffi is found
  program = path.join(root, 'store-writer.mjs')
  const entryPoints = [path.join(FIXTURES, 'store-writer.ts')]
  await build({
    entryPoints,
    outfile: program,
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
